/*
 * What may not be done: on a shared machine (--readonly), and in the playback of a file, where
 * nothing runs any more. One table for menus, keys and the command line.
 */
#ifndef ROOFTOP_TUI_MODEL_PERMIT_H
#define ROOFTOP_TUI_MODEL_PERMIT_H

#include "tui/model/view.h"

/* Why the action is refused, a clause; NULL: it is not. */
const char *permit_refused(const struct model *m, enum action act);

#endif
