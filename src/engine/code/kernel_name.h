/* Names of kernels, shortened to what they were written as. */
#ifndef ROOFTOP_ENGINE_CODE_KERNEL_NAME_H
#define ROOFTOP_ENGINE_CODE_KERNEL_NAME_H

#include <stddef.h>

/*
 * The name without what is in it of its instance: "void ns::gemm<float, 4>(float*, int) [clone]"
 * gives "ns::gemm". Demangled where it is mangled; ".kd" is dropped. What is no such name stays as
 * it is. Returns out; name itself where that is too long for it, so that two names never become
 * one: out is nothing then.
 */
enum { KERNEL_NAME_BYTES = 16384 /* room for nearly all */ };
const char *kernel_base_name(const char *name, char *out, size_t size);
/* Demangled and without ".kd", and what NVIDIA's tools write as nobody else does ("(int)4",
 * "<unnamed>::", "[lambda(int) (instance 1)]") as c++filt writes it; else as it is. */
const char *kernel_full_name(const char *name, char *out, size_t size);

#endif
