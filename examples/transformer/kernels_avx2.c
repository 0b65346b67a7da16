/* Built with the flags of avx2 (the Makefile has them); empty on machines without it. */
#if defined(__AVX2__)
#define LANES 8
#define NAME  "avx2"
#define GEMV  gemv_avx2
#include "kernels.inc"
const struct kernels *const kernels_avx2 = &table;
#else
#include "kernels.h"
const struct kernels *const kernels_avx2 = NULL;
#endif
