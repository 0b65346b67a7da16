/* Finds librooftop-capture.so, and makes an HSA runtime load it. */
#pragma once

#include <limits.h>

#include "base/error.h"

/* Searches $ROOFTOP_CAPTURE_LIBRARY, then next to rooftop in the build folder, then where it is
 * installed. Returns 0 or -errno with err. */
int capture_library_find(char out[PATH_MAX], struct error *err);
/* Sets the environment for programs started from now on: the library is added after the tools that
 * the user has set. */
void capture_library_environment(const char *library, const char *control);
