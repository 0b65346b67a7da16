/*
 * What a call is given. A seed makes the same inputs again on both sides; it is drawn after the
 * candidate was built, for each call anew.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/judge/harness.h"

enum judge_distribution {
    JUDGE_AS_SAID, /* by the harness: generate, low, high */
    JUDGE_BITS,    /* zeros and ones: sums are exact in any order, so outputs are the same bits */
    JUDGE_ZEROS,
    JUDGE_WIDE,   /* real numbers of sizes from 2^-20 to 2^20, both signs; else as said */
    JUDGE_SPARSE, /* nine of ten are zero, the others as said */
    /* As said, but for real numbers without low and high: */
    JUDGE_NANS,     /* one, or each 32nd value, is NaN */
    JUDGE_INFINITE, /* the same, infinities of both signs */
    JUDGE_TINY,     /* half of them, or all, are denormal or negative zero */
    JUDGE_HUGE,     /* one is near the end of the range: 2^100, float64: 2^900 */
    JUDGE_DISTRIBUTIONS
};
const char *judge_distribution_name(enum judge_distribution d);
/* Whether it is one of the special ones, which a harness may leave out. */
bool judge_is_special(enum judge_distribution d);
/* Whether an input can have these: real numbers without low and high. */
bool judge_takes_special(const struct harness *h);

/*
 * Fills an array argument of `length` values. Within low and high where the harness gives them
 * (then zeros, ones and wide numbers are limited to these, too). argument: which argument it is, so
 * that two of them differ. Behind the first 2^18 values come rows of these, in random order.
 */
void judge_fill(const struct judge_argument *a, size_t argument, enum judge_distribution d,
                uint64_t seed, void *out);

/* The next random number of a seed. */
uint64_t judge_random(uint64_t *state);
/*
 * Fills an array argument quickly, of a pool of n values that judge_fill made as the harness says,
 * n at least 2: rows of up to 4096 values are the sum of two rows from anywhere in it, brought back
 * to the same distribution (normal: divided by the square root of 2; uniform: what is above `high`
 * goes on from `low`). Calls share no rows then, so that what one call found is of no use to
 * another.
 */
void judge_mix_input(const struct judge_argument *a, const void *pool, size_t n, uint64_t *state,
                     void *out);

/* Fills n bytes with one of two patterns (which: 0 or 1), of which no value is a plausible output.
 */
void judge_poison(void *out, size_t n, unsigned which);
