/* Runs rooftop in a terminal on a line of 9600 baud, 960 bytes a second. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/pty.h"

enum { SLOW_BYTES = 960 /* a second */, SLOW_STEPS = 40 /* a second */ };

struct slow_line {
    struct pty p;
    size_t bytes; /* bytes carried so far */
    size_t room;  /* bytes that it could have carried */
    uint64_t ns;  /* when it carried the last time */
    char tail[8]; /* the last bytes: a request for the status may be split between two reads */
    size_t ntail;
};

/* Starts rooftop with that interval and lets it measure the line's speed. */
void slow_line_start(struct slow_line *s, const char *interval);
/* Waits a step and carries its bytes over the line; those of several where a busy machine woke us
 * late: a line does not wait for processors. */
void slow_line_carry(struct slow_line *s);
void slow_line_seconds(struct slow_line *s, size_t n);
/* The bytes carried until the screen shows the text (or does not); fails the test after a great
 * many. */
size_t slow_line_until(struct slow_line *s, const char *text, bool shown);
