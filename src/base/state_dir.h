/*
 * The folder for state that may be deleted at any time: $XDG_STATE_HOME/rooftop, else
 * ~/.local/state/rooftop. Configuration is never kept there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Writes the folder's path to out. Returns false with "" if there is no home or the path does not
 * fit. Returns false with err (may be NULL) if the folder or its parent belongs to another user:
 * under sudo the home may be the calling user's, who could choose with a link which file is
 * overwritten. */
bool state_dir(char *out, size_t size, struct error *err);
/* Makes dir and its parents, with access for the user alone. Returns 0 or -errno. */
int state_dir_make(const char *dir);
