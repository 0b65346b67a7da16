/* A program that gets the dashboard's terminal for a while. */
#pragma once

#include "base/error.h"
#include "tui/term/term.h"

/* Runs the words (words[0] is a path or in PATH) in the terminal and waits for their end. -errno
 * with err: it could not be started, or failed; its own messages are on the terminal. */
int visit_in_terminal(struct term *t, char *const words[], struct error *err);
