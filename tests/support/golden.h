/* Compares pictures and texts with files in tests/data/golden. A picture shows that nothing moved
 * unnoticed. A number in it needs a test of its own, because a person who regenerates pictures
 * looks at many of them at once. */
#pragma once

#include <stdio.h>

struct canvas;

/* Fails with the first line that differs. If UPDATE_GOLDEN is set in the environment, a file that
 * differs or is missing is written instead. */
void golden_is(const char *path, const char *text);
/* Adds a screen to the text of such a file: what it shows, its styles and what it shows in ASCII,
 * each after a line that says so with the screen's size. */
void golden_add_screen(FILE *f, const struct canvas *utf8, const struct canvas *ascii);
/* The status for main to return. A run that wrote files has not tested them, so it does not
 * pass. */
int golden_end(int failed);
