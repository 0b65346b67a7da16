/* Libraries of others that are opened when they are needed, so that rooftop also runs without. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct library_function {
    const char *name;
    void *at; /* a pointer to a function, which is set */
};

/* Opens the first of n names that is there, for as long as the process lives, and finds the
 * functions. Returns false unless all are there. */
bool library_open(const char *const *names, size_t n, const struct library_function *functions,
                  size_t nfunctions);
