/* Deletes a capture: only what a capture is made of, only inside its folder, and never what a link
 * leads to. */
#ifndef ROOFTOP_ENGINE_CAPTURE_CAPTURE_REMOVE_H
#define ROOFTOP_ENGINE_CAPTURE_CAPTURE_REMOVE_H

#include "base/error.h"

/*
 * 0, or -errno with err: the path is a link or no capture, or something else lies in its folder,
 * which stays then. Its completion marker goes first: what is deleted half is no capture.
 */
int capture_remove(const char *path, struct error *err);

#endif
