/*
 * What a dispatch of a GPU did, from its hardware counters: operations by unit and data type, bytes
 * by level of memory. Which counters, in which formula, differs by architecture; the table with
 * sources is in gpu_work_table.c.
 */
#ifndef ROOFTOP_ENGINE_GPU_WORK_H
#define ROOFTOP_ENGINE_GPU_WORK_H

#include "engine/trace.h"

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
};

/* Of trace_dispatch_at(trace, dispatch). Only the counters of this dispatch. Dispatches whose
 * architecture has no formulas know nothing. */
void gpu_work_of(struct gpu_work *out, const struct trace *t, uint32_t dispatch);

const char *work_unit_name(enum work_unit u);   /* "VALU", "MFMA" */
const char *work_type_name(enum work_type t);   /* "f64"… */
const char *work_level_name(enum work_level l); /* "HBM"… */

#endif
