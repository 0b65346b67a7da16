/*
 * Where state lives that may be deleted at any time: $XDG_STATE_HOME/rooftop, else
 * ~/.local/state/rooftop. Never the configuration.
 */
#ifndef ROOFTOP_BASE_STATE_DIR_H
#define ROOFTOP_BASE_STATE_DIR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* false with "" where there is no home, or the path does not fit; and, with err, where the folder
 * (or what it would be made in) is another user's, as under sudo with the home of who called it: he
 * could say by a link there what is overwritten. err: NULL allowed. */
bool state_dir(char *out, size_t size, struct error *err);
/* Makes dir and what it lies in, for the user alone. 0 or -errno. */
int state_dir_make(const char *dir);

#endif
