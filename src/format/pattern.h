/*
 * POSIX extended regular expressions for the names of kernels, inside of the captured program: the
 * C library's allocate, which is not to be done between a program and its GPU, and can take time
 * without end. Neither happens here: a set of states over one pass of the text. Bytes are
 * characters; \w \W \s \S are known besides; there are no back references.
 */
#ifndef ROOFTOP_FORMAT_PATTERN_H
#define ROOFTOP_FORMAT_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PATTERN_STEPS = 2048, PATTERN_SETS = 64 };

struct pattern {
    uint16_t n, nsets;
    struct pattern_step {
        uint8_t op, byte;
        int16_t one, other; /* steps from this one */
    } steps[PATTERN_STEPS];
    uint8_t sets[PATTERN_SETS][32];
};

/* False with why, and where: "unmatched ( at 3". */
bool pattern_compile(struct pattern *p, const char *text, char *why, size_t size);
/* Whether some part of the text matches. */
bool pattern_matches(const struct pattern *p, const char *text);

#endif
