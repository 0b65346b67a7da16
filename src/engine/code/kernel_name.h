/* Names of kernels as their source has them. */
#pragma once

#include <stddef.h>

/* The base name, without template arguments, parameters and result: "void ns::gemm<float,
 * 4>(float*, int) [clone]" gives "ns::gemm". Mangled names are demangled and ".kd" is dropped; any
 * other text stays as it is. Returns out, or name itself if the result does not fit, so that two
 * different names never become equal. */
enum { KERNEL_NAME_BYTES = 16384 /* room for nearly all */ };
const char *kernel_base_name(const char *name, char *out, size_t size);
/* The name demangled and without ".kd". Forms that only NVIDIA's tools write ("(int)4",
 * "<unnamed>::", "[lambda(int) (instance 1)]") become those of c++filt. Other text stays. */
const char *kernel_full_name(const char *name, char *out, size_t size);
