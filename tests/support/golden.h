/* Compares pictures and texts with files in tests/data/golden. A picture shows that nothing moved
 * unnoticed. A number in it needs a test of its own, because a person who regenerates pictures
 * looks at many of them at once. */
#pragma once

/* Fails with the first line that differs. If UPDATE_GOLDEN is set in the environment, a file that
 * differs or is missing is written instead. */
void golden_is(const char *path, const char *text);
/* The same for a screen: its text, its styles and its text in ASCII, each after a line that says
 * so. */
void golden_screen(const char *path, const char *text, const char *styles, const char *ascii);
/* The status for main to return. A run that wrote files has not tested them, so it does not
 * pass. */
int golden_end(int failed);
