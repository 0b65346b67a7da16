/*
 * POSIX extended regular expressions for kernel names, inside the captured program. The C library's
 * version allocates, which is not safe between a program and its GPU, and its time is not bounded.
 * This one simulates a set of states in one pass over the text, without allocation. A character is
 * a byte; \w \W \s \S are known too; there are no back references.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PATTERN_STEPS = 2048, PATTERN_SETS = 64 };

struct pattern {
    uint16_t n, nsets;
    struct pattern_step {
        uint8_t op, byte;
        int16_t one, other; /* relative to this step */
    } steps[PATTERN_STEPS];
    uint8_t sets[PATTERN_SETS][32];
};

/* Compiles text. False with the reason and the position in why: "unmatched ( at 3". */
bool pattern_compile(struct pattern *p, const char *text, char *why, size_t size);
/* Whether any part of the text matches. */
bool pattern_matches(const struct pattern *p, const char *text);
