/* The formulas of gpu_work.c: for an architecture, which counters make which number. */
#ifndef ROOFTOP_ENGINE_ROOFLINE_GPU_WORK_TABLE_H
#define ROOFTOP_ENGINE_ROOFLINE_GPU_WORK_TABLE_H

#include "engine/roofline/gpu_work.h"

enum { WORK_TERMS = 6 };

/* The sum of times * counter. Of several rows for the same number and architecture the first whose
 * counters are all there is taken. */
struct work_formula {
    const char *archs; /* words; one that ends in * stands for all that begin so */
    bool memory;       /* bytes of a level, else operations of a unit and type */
    uint8_t unit, type, level;
    bool derived;  /* the profiler itself has summed it up: only where counters are missing */
    bool optional; /* its counters are no loss where they are not there */
    struct work_term {
        const char *counter; /* without "_sum" */
        double times;
    } terms[WORK_TERMS];
    const char *source;
};
extern const struct work_formula work_formulas[]; /* ends with archs NULL */

#endif
