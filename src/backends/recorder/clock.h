/* The time stamp counter (TSC), which the recorder reads, as CLOCK_MONOTONIC in ns: a straight line
 * through two moments at which both clocks were read. */
#ifndef ROOFTOP_BACKENDS_RECORDER_CLOCK_H
#define ROOFTOP_BACKENDS_RECORDER_CLOCK_H

#include <stdint.h>

struct tsc_line;
uint64_t tsc_now(void); /* ticks */
void tsc_line_begin(struct tsc_line *l);
void tsc_line_draw(struct tsc_line *l); /* makes this moment the line's second one */
uint64_t tsc_line_ns(const struct tsc_line *l, uint64_t tsc);

#endif
