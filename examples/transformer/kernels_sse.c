/* Built with the flags of sse (the Makefile has them); empty on machines without it. */
#if defined(__SSE2__)
#define LANES 4
#define NAME  "sse"
#define GEMV  gemv_sse
#include "kernels.inc"
const struct kernels *const kernels_sse = &table;
#else
#include "kernels.h"
const struct kernels *const kernels_sse = NULL;
#endif
