/* From a row to the same thing in other views. */
#ifndef ROOFTOP_TUI_MODEL_JUMPS_H
#define ROOFTOP_TUI_MODEL_JUMPS_H

#include "tui/input/menu.h"
#include "tui/model/view.h"

/* Appends 't' the tree, 'p' the critical path, 'o' the roofline, each filtered by the name that the
 * program or profile tells; denied where it is not there. from: the view that asks, left out. */
void jumps_menu(const struct model *m, struct menu *out, const char *from, const char *name);

#endif
