/* Demangles kernel names inside the captured program: nothing is allocated. */
#ifndef ROOFTOP_CAPTURE_DEMANGLE_H
#define ROOFTOP_CAPTURE_DEMANGLE_H

#include <stddef.h>

/*
 * Writes the demangled name to out, cut to size; the name itself where it is not C++. Returns out.
 */
const char *demangle_kernel(const char *name, char *out, size_t size);
/*
 * Makes a folder name from a kernel's name: without parameters, namespaces and template arguments;
 * letters, digits, '_' and '-', at most 60 bytes, never empty. Returns out.
 */
const char *kernel_file_name(const char *demangled, char out[64]);

#endif
