/* The collectives of a rank while it runs: the memory into which our plugin in the rank's program
 * writes them, and its copy in the rank's folder. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"

struct rank_collectives;

/*
 * Makes the memory and names it, and the plugin, in the environment of the program that starts
 * next. NULL with err: nothing is recorded, and the program runs as it would. -EBUSY: the user has
 * chosen another plugin. Free it with rank_collectives_free.
 */
struct rank_collectives *rank_collectives_new(struct error *err);
/* Whether they could be recorded here, and the plugin that would do that; false with err. */
bool rank_collectives_probe(char plugin[PATH_MAX], struct error *err);
/* Copies what is new into the folder. What cannot be written now is written at the next call. 0 or
 * -errno. c: may be NULL. */
int rank_collectives_copy(struct rank_collectives *c, const char *folder);
void rank_collectives_free(struct rank_collectives *c);
