/*
 * Names of kernels as short as they can be read: without namespaces, parameters and results; and
 * where there is less room, what is in the brackets of templates folded but for what tells the
 * kernel from others of a profile that are called alike.
 *
 *   elementwise_kernel<128, 4, gpu_kernel_impl<CUDAFunctor_add<float>>>     where there is room
 *   elementwise_kernel<…CUDAFunctor_add…>                                   where there is less
 */
#ifndef ROOFTOP_ENGINE_CODE_KERNEL_BRIEF_H
#define ROOFTOP_ENGINE_CODE_KERNEL_BRIEF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct briefs;

/* Of n names, mangled or not; they need not live on. Free it. */
struct briefs *briefs_new(const char *const *names, uint32_t n);
void briefs_free(struct briefs *b); /* NULL allowed */
/* The name in at most so many cells, as it was given or demangled. One that is not among them, or
 * b NULL: cut at its end. ascii: "..", else "…". Returns out, which has at least 8 bytes. */
const char *briefs_fit(const struct briefs *b, const char *name, int cells, bool ascii, char *out,
                       size_t size);

#endif
