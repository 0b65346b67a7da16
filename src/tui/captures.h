/* "Capture the next one" on rows that are kernels. */
#ifndef ROOFTOP_TUI_CAPTURES_H
#define ROOFTOP_TUI_CAPTURES_H

#include "engine/graph.h"
#include "tui/menu.h"
#include "tui/view.h"

/*
 * Appends the entry for a row of that kind and name, demangled or not: done at once where what is
 * watched was started for it; the line for a shell, copied, where the command of an opened profile
 * is known; else denied with the reason, as for all that are no kernels.
 */
void captures_menu(const struct model *m, struct menu *out, char letter, enum node_kind kind,
                   const char *name);

#endif
