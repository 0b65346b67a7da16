/* The facts that gpu_peaks.c multiplies; each row has its source. */
#pragma once

#include "engine/roofline/gpu_work.h"

/* Operations per cycle of a compute unit (SM). */
struct unit_rate {
    const char *archs; /* words; one that ends in * stands for all names that begin like it */
    uint8_t unit, type;
    double ops;
    bool extra; /* rate without packed instructions: drawn, but never the binding ceiling */
    const char *source;
};
/* Bytes per cycle of a memory level: for each compute unit, or for L2 each channel. */
struct level_rate {
    const char *archs;
    uint8_t level;
    double bytes;
    const char *source;
};
struct gpu_model {
    const char *name; /* a part of the model's name; the first matching row counts */
    const char *archs;
    uint32_t units, clock_mhz, channels; /* channels of its L2; 0 unknown */
    double memory;                       /* bytes/s of device memory; 0 if it has none */
    const char *source;
};
extern const struct unit_rate unit_rates[];   /* end with archs NULL */
extern const struct level_rate level_rates[]; /* end with archs NULL */
extern const struct gpu_model gpu_models[];   /* end with name NULL */
