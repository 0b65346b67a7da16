/* Built with the flags of scalar (the Makefile has them); empty on machines without it. */
#if 1
#define LANES 1
#define NAME  "scalar"
#define GEMV  gemv_scalar
#include "kernels.inc"
const struct kernels *const kernels_scalar = &table;
#else
#include "kernels.h"
const struct kernels *const kernels_scalar = NULL;
#endif
