/*
 * Short, readable names of kernels: without namespaces, parameters and results. In less room,
 * template arguments are folded too, except those that distinguish it from other kernels of the
 * profile with the same base name.
 *
 *   elementwise_kernel<128, 4, gpu_kernel_impl<CUDAFunctor_add<float>>>     where there is room
 *   elementwise_kernel<…CUDAFunctor_add…>                                   where there is less
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct briefs;

/* Makes short names for n names, mangled or not, which it copies. Free with briefs_free. */
struct briefs *briefs_new(const char *const *names, uint32_t n);
void briefs_free(struct briefs *b); /* NULL allowed */
/* Shortens a name, as given to briefs_new or demangled, to at most `cells` cells. If it is not
 * among those names, or b is NULL, it is cut at its end. ascii: ".." instead of "…". size >= 8.
 * Returns out. */
const char *briefs_fit(const struct briefs *b, const char *name, int cells, bool ascii, char *out,
                       size_t size);
