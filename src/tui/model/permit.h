/*
 * Actions that are refused: with --readonly (on a shared machine) and in the playback of a file,
 * whose processes are gone. One table serves menus, keys and the command line.
 */
#pragma once

#include "tui/model/view.h"

/* Why the action is refused, as a clause; NULL if it is allowed. */
const char *permit_refused(const struct model *m, enum action act);
