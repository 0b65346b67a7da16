/* The formulas of gpu_work.c: which counters give which number on an architecture. */
#pragma once

#include "engine/roofline/gpu_work.h"

enum { WORK_TERMS = 6 };

/* The sum of times * counter over the terms. If several rows give the same number for an
 * architecture, the first one whose counters are all present is used. */
struct work_formula {
    const char *archs; /* words; one that ends in * stands for all names that begin like it */
    bool memory;       /* true: bytes of a level; false: operations of a unit and type */
    uint8_t unit, type, level;
    bool derived;  /* a sum that the profiler made; used only if plain counters are missing */
    bool optional; /* its counters do not count as missing */
    struct work_term {
        const char *counter; /* without "_sum" */
        double times;
    } terms[WORK_TERMS];
    const char *source;
};
extern const struct work_formula work_formulas[]; /* ends with archs NULL */
