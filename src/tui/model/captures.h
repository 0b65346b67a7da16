/* The entry "capture the next one" in the menus of kernels. */
#pragma once

#include "engine/capture/capturer.h"
#include "engine/graph/graph.h"
#include "tui/input/menu.h"
#include "tui/model/view.h"

/* Bytes of an expression; with the command word it fits into the command line. */
enum { CAPTURE_PATTERN_MAX = 240 };

/* Why no kernel of the target can be captured now; NULL if one can. */
const char *captures_refused(const struct model *m);

/* Makes an expression that matches only this name, or, if it had to be cut, all names with that
 * beginning. Returns whether it was not cut. */
bool captures_expression(const char *name, char *out, size_t size);

/*
 * Appends the entry for a row of this kind and name, demangled or not. It captures at once if the
 * target was started for captures. It copies a shell command if the command of an opened profile is
 * known. Otherwise, and for rows that are no kernels, it is denied with the reason.
 */
void captures_menu(const struct model *m, struct menu *out, char letter, enum node_kind kind,
                   const char *name);
