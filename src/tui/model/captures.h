/* "Capture the next one" on rows that are kernels. */
#ifndef ROOFTOP_TUI_MODEL_CAPTURES_H
#define ROOFTOP_TUI_MODEL_CAPTURES_H

#include "engine/capture/capturer.h"
#include "engine/graph/graph.h"
#include "tui/input/menu.h"
#include "tui/model/view.h"

/* Bytes of an expression, so that it and the word before it fit the line that a user types. */
enum { CAPTURE_PATTERN_MAX = 240 };

/* Why no kernel of what is watched can be captured now; NULL: it can. */
const char *captures_refused(const struct model *m);

/* An expression that matches this name only, or, cut to fit, all that begin so. Whether it is
 * whole. */
bool captures_expression(const char *name, char *out, size_t size);

/*
 * Appends the entry for a row of that kind and name, demangled or not: done at once where what is
 * watched was started for it; the line for a shell, copied, where the command of an opened profile
 * is known; else denied with the reason, as for all that are no kernels.
 */
void captures_menu(const struct model *m, struct menu *out, char letter, enum node_kind kind,
                   const char *name);

#endif
