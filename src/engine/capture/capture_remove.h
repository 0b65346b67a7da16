/* Deletes a capture: only files that belong to a capture, only inside its folder; never follows
 * links. */
#ifndef ROOFTOP_ENGINE_CAPTURE_CAPTURE_REMOVE_H
#define ROOFTOP_ENGINE_CAPTURE_CAPTURE_REMOVE_H

#include "base/error.h"

/*
 * 0, or -errno with err: the path is a link or no capture, or its folder holds another file, which
 * then stays. The completion marker goes first, so a half-deleted folder is no capture.
 */
int capture_remove(const char *path, struct error *err);

#endif
