/* Names of kernels as people wrote them, inside of the captured program: nothing is allocated. */
#ifndef ROOFTOP_CAPTURE_DEMANGLE_H
#define ROOFTOP_CAPTURE_DEMANGLE_H

#include <stddef.h>

/* Into out, cut to size; the name itself where it is not C++'s. Returns out. */
const char *demangle_kernel(const char *name, char *out, size_t size);
/* What a folder is called after a kernel: its name without parameters, namespaces and templates'
 * arguments, of letters, digits, '_' and '-', 60 bytes at most, never empty. Returns out. */
const char *kernel_file_name(const char *demangled, char out[64]);

#endif
