/*
 * Where state is kept that may be deleted at any time: $XDG_STATE_HOME/rooftop, else
 * ~/.local/state/rooftop. Never the configuration.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * Writes the folder's path to out. Returns false with "" where there is no home or the path does
 * not fit. Also where the folder (or its parent) belongs to another user, with the reason in err:
 * under sudo the home may be that of the calling user, who could choose with a link which file is
 * overwritten. err may be NULL.
 */
bool state_dir(char *out, size_t size, struct error *err);
/* Makes dir and its parents, with access for the user alone. Returns 0 or -errno. */
int state_dir_make(const char *dir);
