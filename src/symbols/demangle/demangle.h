/* Names as people wrote them. */
#ifndef ROOFTOP_SYMBOLS_DEMANGLE_DEMANGLE_H
#define ROOFTOP_SYMBOLS_DEMANGLE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * C++ (Itanium), Rust (v0, and the older form without its hash). name: NUL-terminated. Returns
 * name itself where there is nothing to do, else the text in out, cut to size (256 at least).
 */
const char *demangle(const char *name, char *out, size_t size);
/* The same; name itself where the text does not fit, so that two names never become one. */
const char *demangle_whole(const char *name, char *out, size_t size);

/* C++ through the C++ library; false where it is not a mangled name. */
bool demangle_cxx(const char *name, char *out, size_t size);
/* Rust's forms; false where it is none of them. */
bool demangle_rust_v0(const char *name, char *out, size_t size);
bool demangle_rust_legacy(const char *name, char *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
