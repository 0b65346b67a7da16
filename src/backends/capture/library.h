/* librooftop-capture.so, and how an HSA runtime is made to load it. */
#ifndef ROOFTOP_BACKENDS_CAPTURE_LIBRARY_H
#define ROOFTOP_BACKENDS_CAPTURE_LIBRARY_H

#include <limits.h>

#include "base/error.h"

/* $ROOFTOP_CAPTURE_LIBRARY, beside rooftop where it was built, or where it is installed. */
int capture_library_find(char out[PATH_MAX], struct error *err);
/* For what is started from now on: behind the tools that the user has set already. */
void capture_library_environment(const char *library, const char *control);

#endif
