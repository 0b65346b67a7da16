/* Applies a unified diff to one text in memory, strictly: an answer of a program or a model is
 * applied exactly or refused. No fuzzy matching, and no part is skipped. Source of the form:
 * POSIX.1-2024, "diff", "Diff -u or -U Output Format"; GNU diffutils manual, "Detailed
 * Description of Unified Format". */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Whether an answer is a diff: its first line begins as the first line of one. */
bool diff_is(const char *text, size_t n);

/*
 * Applies the diff of one file to text. Both file names of the diff must be path or its last part,
 * with "a/" and "b/" in front or without. Each hunk's lines must stand where its head says, in
 * ascending order, and be as many as it says. "diff --git" and "index" may stand before; nothing
 * else may. text and diff need not end with a 0; no 0 may be in them. 0 with *out, which the caller
 * frees, of *n_out bytes, a 0 behind them; or -EINVAL with ERROR_INPUT: the line and why; -EFBIG:
 * the result has more than `most` bytes.
 */
int diff_apply(const char *path, const char *text, size_t n, const char *diff, size_t n_diff,
               size_t most, char **out, size_t *n_out, struct error *err);
