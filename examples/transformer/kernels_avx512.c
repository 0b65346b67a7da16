/* Built with the flags of avx512 (the Makefile has them); empty on machines without it. */
#if defined(__AVX512F__)
#define LANES 16
#define NAME  "avx512"
#define GEMV  gemv_avx512
#include "kernels.inc"
const struct kernels *const kernels_avx512 = &table;
#else
#include "kernels.h"
const struct kernels *const kernels_avx512 = NULL;
#endif
