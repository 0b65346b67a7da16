// Makes captures without a tools library, so that replay is tested by itself: a kernel runs on this
// GPU, and rooftop's writer saves its memory before and after.
#pragma once

#include "support/run_kernel.h"

enum { CAPTURED_REGIONS = 8, CAPTURED_VARIABLES = 4 };

struct captured {
    const char *folder;
    struct launch launch;
    struct arguments arguments;
    struct captured_region {
        void *memory;
        size_t size;
        bool host;
    } regions[CAPTURED_REGIONS];
    size_t nregions;
    const char *variables[CAPTURED_VARIABLES]; // of the module
    uint32_t variable_sizes[CAPTURED_VARIABLES];
    size_t nvariables;
    bool no_after, zstd;
};

void captured_add(struct captured *c, void *memory, size_t size, bool host);
// Host memory that the GPU may use.
void *gpu_allocate_host(const struct gpu *gpu, size_t size);
// Runs the kernel once. The folder must not be there.
void make_capture(struct gpu *gpu, struct captured *c);
