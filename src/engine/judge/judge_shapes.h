/*
 * Lengths of arrays that follow from whole numbers of the call, and the same harness with others. A
 * harness says numbers only: that 9216 values are 96 by 96 is guessed, and the baseline's calls
 * with other lengths show whether it is so (judge_check.c).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/judge/harness.h"

enum { JUDGE_SHAPES = 16 /* at least JUDGE_VALUES */ };

/* Marks the numbers from which lengths follow (is_length); each has the largest of its values then.
 * Where the harness wants no other lengths, none does. */
void judge_shapes_mark(struct harness *h);

/* Whether it is a length, and the first one of its value: numbers of one value change together. */
bool judge_shapes_lead(const struct harness *h, size_t argument);

/*
 * Which other values the number gets: those that the harness says; else one, sizes of blocks and
 * their neighbours, and some at random, below its own value. Returns how many.
 */
size_t judge_shapes_values(const struct harness *h, size_t argument, uint64_t seed,
                           double out[JUDGE_SHAPES]);

/* The harness with that number, and those of the same value, as `value`. False: an array would have
 * no values, or more than it had. */
bool judge_shape(const struct harness *h, size_t argument, double value, struct harness *out);
