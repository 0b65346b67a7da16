/* Where the recorder is, and the environment that brings it into a program. */
#ifndef ROOFTOP_BACKENDS_RECORDER_LIBRARY_H
#define ROOFTOP_BACKENDS_RECORDER_LIBRARY_H

#include <limits.h>

#include "base/error.h"

/* $ROOFTOP_RECORDER_LIBRARY, beside rooftop, or in ../lib/rooftop. */
int recorder_library_find(char out[PATH_MAX], struct error *err);
/* A copy of the environment with the recorder in it; one allocation, which the caller frees. */
char **recorder_environment(char *const *from, const char *library, int control_id);

#endif
