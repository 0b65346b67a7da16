/* Text that is wrapped over several rows. */
#pragma once

#include "tui/canvas/canvas.h"

/* The bytes of text that fit into a row of w cells; it is broken at a blank if possible. */
size_t wrap_bytes(const char *text, int w);
/* Draws text into r, broken at blanks if possible; text that does not fit is cut in the last row.
 * Returns the number of rows. c NULL: only counts them. */
int wrap_draw(struct canvas *c, struct rect r, const char *text, struct style st);
/* Draws what a view says if it has nothing to show: a title, and n lines below it, wrapped. A
 * line that begins with a blank is an example, which is not. */
void lines_draw(struct canvas *c, struct rect r, const char *title, const char *const *lines,
                size_t n);
