/* Names that are too long for their column: what differs from the rows beside them stays visible.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether two texts look the same in so many cells, where the end of a longer text is cut. */
bool cut_looks_same(const char *a, const char *b, int cells);
/*
 * Writes text in at most `cells` cells so that it differs from other: cut in the middle, or, if
 * both would still look the same, from shortly before the place where they differ. A program's long
 * folders are left out, so that its name is seen. Returns out.
 */
char *cut_apart(char *out, size_t size, const char *text, const char *other, int cells, bool ascii);
