/* Deletes a capture: only files that belong to a capture, only inside its folder; never follows
 * links. */
#pragma once

#include "base/error.h"

/* Returns 0, or -errno with err if the path is a link or no capture, or if the folder holds a file
 * that is not a capture's; that file stays. The completion marker is deleted first, so a
 * half-deleted folder is not taken for a capture. */
int capture_remove(const char *path, struct error *err);
