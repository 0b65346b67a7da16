/* A text of more than one row. */
#ifndef ROOFTOP_TUI_WIDGETS_WRAP_H
#define ROOFTOP_TUI_WIDGETS_WRAP_H

#include "tui/canvas/canvas.h"

/* Draws text into r, broken at blanks where there are some; what has no room is cut in the last
 * row. Returns the rows it takes. c NULL: only counts them. */
int wrap_draw(struct canvas *c, struct rect r, const char *text, struct style st);

#endif
