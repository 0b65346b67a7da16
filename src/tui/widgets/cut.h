/* Names that are too long for their column: what differs from the rows beside them stays visible.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether two texts look the same in so many cells, where the end of a longer text is cut. */
bool cut_looks_same(const char *a, const char *b, int cells);
/* A command line in so many cells: its begin, or, where it does not fit and long folders of its
 * program would take the place of its name, its name. */
const char *cut_folders(const char *text, int cells);
/*
 * Writes text in at most `cells` cells so that it differs from other: cut in the middle, or, if
 * both would still look the same, from shortly before the place where they differ. A program's long
 * folders are left out, so that its name is seen. Returns out.
 */
char *cut_apart(char *out, size_t size, const char *text, const char *other, int cells, bool ascii);
