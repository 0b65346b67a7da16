/* Links a program again with its objects in another order, because the positions of functions in
 * memory decide up to a tenth of its time (T. Mytkowicz et al., ASPLOS 2009). */
#pragma once

#include "engine/bench/runner.h"

/* Runs a command, words between blanks, with those words that end in ".o" in random order. 0, or
 * -errno with err, also if it ends with another status than 0. */
int relink_run(const char *command, const struct runner_ops *with, struct error *err);
/* Whether at least two words can be exchanged; else err. */
int relink_check(const char *command, struct error *err);
