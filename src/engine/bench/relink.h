/* Links a program anew with its objects in another order, because their places in memory decide up
 * to a tenth of its time (T. Mytkowicz et al., ASPLOS 2009). */
#pragma once

#include "engine/bench/runner.h"

/* Runs a command, words between blanks, with those words that end in ".o" in an order that chance
 * chooses. 0, or -errno with err, also where it ends with another status than 0. */
int relink_run(const char *command, const struct runner_ops *with, struct error *err);
/* Whether there are two words to change places; else err. */
int relink_check(const char *command, struct error *err);
