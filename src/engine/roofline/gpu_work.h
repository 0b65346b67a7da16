/*
 * What a dispatch of a GPU did, from its hardware counters: operations by unit and data type, bytes
 * by level of memory. Which counters, in which formula, differs by architecture; the table with
 * sources is in gpu_work_table.c.
 */
#ifndef ROOFTOP_ENGINE_ROOFLINE_GPU_WORK_H
#define ROOFTOP_ENGINE_ROOFLINE_GPU_WORK_H

#include "engine/trace/trace.h"

enum work_unit { UNIT_VALU, UNIT_MATRIX, WORK_UNITS }; /* CUDA cores and tensor cores too */
enum work_type {
    WORK_F64,
    WORK_F32,
    WORK_F16,
    WORK_BF16,
    WORK_XF32, /* TF32 too */
    WORK_F8,
    WORK_F6F4,
    WORK_I8,
    WORK_TYPES
};
enum work_level { LEVEL_HBM, LEVEL_L2, LEVEL_L1, LEVEL_LDS, WORK_LEVELS }; /* HBM: device memory */

/* NAN where a counter that the formula needs is not there: never 0 for "not counted". */
struct gpu_work {
    double ops[WORK_UNITS][WORK_TYPES]; /* operations; an FMA is two */
    double bytes[WORK_LEVELS];          /* read and written at that level */
    uint32_t missing; /* counters that formulas of its architecture want and it lacks */
    uint8_t derived;  /* bit 1 << level: by the profiler's own sum (FETCH_SIZE, WRITE_SIZE) */
};

/* Of trace_dispatch_at(trace, dispatch). Only the counters of this dispatch. Dispatches whose
 * architecture has no formulas know nothing. Values below 0 or not finite are as not counted; so is
 * a number that comes out below 0. */
void gpu_work_of(struct gpu_work *out, const struct trace *t, uint32_t dispatch);

/* Which of the formulas' counters dispatches have: a set, a bit each. */
enum { WORK_COUNTERS_MAX = 192 };
struct gpu_counters {
    uint64_t have[WORK_COUNTERS_MAX / 64];
};
/* The same, and adds what the dispatch has to a set. */
void gpu_work_count(struct gpu_work *out, const struct trace *t, uint32_t dispatch,
                    struct gpu_counters *set);
/* Names of counters that would be needed for what of w is NAN on that architecture ("gfx942") and
 * are not in the set: the first max of them, and how many in all. They are constants. */
uint32_t gpu_work_missing(const char *arch, const struct gpu_work *w,
                          const struct gpu_counters *set, const char **names, uint32_t max);

/* Whether a counter has a part in any formula of an architecture; for "_sum" and base names. */
bool gpu_work_knows(const char *arch, const char *counter);

const char *work_unit_name(enum work_unit u);   /* "VALU", "MFMA" */
const char *work_type_name(enum work_type t);   /* "f64"… */
const char *work_level_name(enum work_level l); /* "HBM"… */

#endif
