/* Makes rocpd profiles with counters for tests: one GPU of any architecture, and kernels by
 * name. */
#pragma once

#include "support/rocpd_file.h"

struct gpu_profile {
    struct rocpd_file file;
    unsigned kernels, dispatches, counters;
    const char *kernel[64], *counter[128];
};

/* Begins a new file. extdata: what the profiler knew about the agent, as JSON; "{}" = nothing. */
void gpu_profile_open(struct gpu_profile *p, const char *name, const char *arch,
                      const char *product, const char *extdata);
/* Adds a dispatch; returns its number, for counters. Names must stay valid. */
unsigned gpu_profile_dispatch(struct gpu_profile *p, const char *kernel, unsigned long start,
                              unsigned long end);
/* Adds a row; call it again for each instance. */
void gpu_profile_counter(struct gpu_profile *p, unsigned dispatch, const char *name, double value);
void gpu_profile_close(struct gpu_profile *p); /* writes the file; its path is p->file.path */
void gpu_profile_remove(struct gpu_profile *p);

/* Makes and closes a profile of an MI300X with three kernels: "gemm" at the MFMA peak, "saxpy" at
 * the HBM peak, "softmax" with counters missing. */
void gpu_profile_mi300x(struct gpu_profile *p);
