/* The libraries of rooftop that other programs load: beside the program, or in ../lib/rooftop. */
#pragma once

#include <limits.h>

#include "base/error.h"

struct own_library {
    const char *name;     /* "librooftop-capture.so" */
    const char *variable; /* the environment variable that names another file */
    const char *what;     /* what is impossible without it, for the error */
    const char *help;     /* how to install it, for the error */
};

/* Fills out with the absolute path of the library. 0 or -errno with err. */
int own_library_find(const struct own_library *l, char out[PATH_MAX], struct error *err);
