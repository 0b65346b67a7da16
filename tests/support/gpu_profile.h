/* rocpd profiles with counters, for tests: one GPU of any architecture, kernels by name. */
#ifndef TESTS_SUPPORT_GPU_PROFILE_H
#define TESTS_SUPPORT_GPU_PROFILE_H

#include "support/rocpd_file.h"

struct gpu_profile {
    struct rocpd_file file;
    unsigned kernels, dispatches, counters;
    const char *kernel[64], *counter[128];
};

/* A new file. extdata: what the profiler knew of the agent as JSON, "{}" nothing. */
void gpu_profile_open(struct gpu_profile *p, const char *name, const char *arch,
                      const char *product, const char *extdata);
/* The number of the new dispatch, for its counters. Names must stay valid. */
unsigned gpu_profile_dispatch(struct gpu_profile *p, const char *kernel, unsigned long start,
                              unsigned long end);
/* A row: again for each instance. */
void gpu_profile_counter(struct gpu_profile *p, unsigned dispatch, const char *name, double value);
void gpu_profile_close(struct gpu_profile *p); /* written; p->file.path is its path */
void gpu_profile_remove(struct gpu_profile *p);

/* Three kernels of an MI300X: "gemm" at its MFMA, "saxpy" at its HBM, "softmax" incomplete. Closed.
 */
void gpu_profile_mi300x(struct gpu_profile *p);

#endif
