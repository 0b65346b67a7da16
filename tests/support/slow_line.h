/* rooftop in a terminal on a line of 9600 baud, 960 bytes a second. */
#ifndef TESTS_SUPPORT_SLOW_LINE_H
#define TESTS_SUPPORT_SLOW_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "support/pty.h"

enum { SLOW_BYTES = 960 /* a second */, SLOW_STEPS = 40 /* a second */ };

struct slow_line {
    struct pty p;
    size_t bytes; /* carried so far */
    char tail[8]; /* the last bytes: a question may be cut */
    size_t ntail;
};

/* Starts it with that interval, and lets it learn what the line carries. */
void slow_line_start(struct slow_line *s, const char *interval);
/* One step of the line. */
void slow_line_carry(struct slow_line *s);
void slow_line_seconds(struct slow_line *s, int n);
/* Bytes until the screen shows text (or hides it); fails after a great many. */
size_t slow_line_until(struct slow_line *s, const char *text, bool shown);

#endif
