/* The difference of two texts as a unified diff, the reverse of diff.h, for people who read a
 * candidate. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/*
 * Writes hunks with three lines around each change; nothing where both are the same. They are the
 * fewest lines (E. Myers, "An O(ND) difference algorithm and its variations", Algorithmica 1,
 * 1986), or, where more than some hundred differ, all lines from the first that differs to the
 * last. name: of the file, in its head. The bytes of the texts are written as they are.
 */
void line_diff_write(FILE *out, const char *name, const char *before, size_t n_before,
                     const char *after, size_t n_after);
