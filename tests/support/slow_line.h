/* Runs rooftop in a terminal on a line of 9600 baud, 960 bytes a second. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "support/pty.h"

enum { SLOW_BYTES = 960 /* a second */, SLOW_STEPS = 40 /* a second */ };

struct slow_line {
    struct pty p;
    size_t bytes; /* bytes carried so far */
    char tail[8]; /* the last bytes: a request for the status may be split between two reads */
    size_t ntail;
};

/* Starts rooftop with that interval and lets it measure the line's speed. */
void slow_line_start(struct slow_line *s, const char *interval);
/* Carries one step's bytes over the line. */
void slow_line_carry(struct slow_line *s);
void slow_line_seconds(struct slow_line *s, int n);
/* The bytes carried until the screen shows the text (or does not); fails the test after a great
 * many. */
size_t slow_line_until(struct slow_line *s, const char *text, bool shown);
