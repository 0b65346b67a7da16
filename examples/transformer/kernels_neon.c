/* Built with the flags of neon (the Makefile has them); empty on machines without it. */
#if defined(__ARM_NEON)
#define LANES 4
#define NAME  "neon"
#define GEMV  gemv_neon
#include "kernels.inc"
const struct kernels *const kernels_neon = &table;
#else
#include "kernels.h"
const struct kernels *const kernels_neon = NULL;
#endif
