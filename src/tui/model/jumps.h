/* Menu entries that lead from a row to the same thing in other views. */
#pragma once

#include "tui/input/menu.h"
#include "tui/model/view.h"

/* Appends 't' the tree, 'p' the critical path and 'o' the roofline, each filtered by the name;
 * denied if the view does not have it. from: the asking view, which is left out. */
void jumps_menu(const struct model *m, struct menu *out, const char *from, const char *name);
