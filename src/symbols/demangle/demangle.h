/* Turns mangled names into names as in the source. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Demangles C++ (Itanium) and Rust (v0, and the older form without its hash). name: NUL-terminated.
 * Returns name itself if it is not mangled, else the text in out, cut to size (at least 256). */
const char *demangle(const char *name, char *out, size_t size);
/*
 * The same, but returns name itself if the text does not fit, so that two names never become equal.
 */
const char *demangle_whole(const char *name, char *out, size_t size);

/* Demangles through the C++ library; false if the name is not mangled. */
bool demangle_cxx(const char *name, char *out, size_t size);
/* Demangle Rust's forms; false if the name has another form. */
bool demangle_rust_v0(const char *name, char *out, size_t size);

#ifdef __cplusplus
}
#endif
