/* The time stamp counter, which the recorder reads, as CLOCK_MONOTONIC. */
#ifndef ROOFTOP_BACKENDS_RECORDER_CLOCK_H
#define ROOFTOP_BACKENDS_RECORDER_CLOCK_H

#include <stdint.h>

struct tsc_line;
uint64_t tsc_now(void);
void tsc_line_begin(struct tsc_line *l);
void tsc_line_draw(struct tsc_line *l); /* anew, to this moment */
uint64_t tsc_line_ns(const struct tsc_line *l, uint64_t tsc);

#endif
