/*
 * The work of a GPU dispatch, from its hardware counters: operations by unit and data type, bytes
 * by level of memory. Counters and formulas differ by architecture; gpu_work_table.c has them with
 * their sources.
 */
#pragma once

#include "engine/trace/trace.h"

enum work_unit { UNIT_VALU, UNIT_MATRIX, WORK_UNITS }; /* CUDA cores and tensor cores too */
enum work_type {
    WORK_F64,
    WORK_F32,
    WORK_F16,
    WORK_BF16,
    WORK_XF32, /* TF32 counts here, too */
    WORK_F8,
    WORK_F6F4,
    WORK_I8,
    WORK_TYPES
};
enum work_level { LEVEL_HBM, LEVEL_L2, LEVEL_L1, LEVEL_LDS, WORK_LEVELS }; /* HBM: device memory */

/* A number is NAN, never 0, if a counter that its formula needs is missing. */
struct gpu_work {
    double ops[WORK_UNITS][WORK_TYPES]; /* operations; an FMA is two */
    double bytes[WORK_LEVELS];          /* read and written at that level */
    uint32_t missing; /* counters that the architecture's formulas need and the dispatch lacks */
    uint8_t derived;  /* bit 1 << level: from the profiler's own sum (FETCH_SIZE, WRITE_SIZE) */
};

/* The work of trace_dispatch_at(t, dispatch), from its own counters only. All is NAN if its
 * architecture has no formulas. Counter values and results that are negative or not finite count as
 * missing. */
void gpu_work_of(struct gpu_work *out, const struct trace *t, uint32_t dispatch);

/* A set of counters that occur in formulas, one bit each. */
enum { WORK_COUNTERS_MAX = 192 };
struct gpu_counters {
    uint64_t have[WORK_COUNTERS_MAX / 64];
};
/* As gpu_work_of(); also adds the dispatch's counters to a set. */
void gpu_work_count(struct gpu_work *out, const struct trace *t, uint32_t dispatch,
                    struct gpu_counters *set);
/* The counters that are needed on arch ("gfx942") for the NAN numbers of w and are not in the set.
 * Stores the first max names (constants) and returns how many there are. */
uint32_t gpu_work_missing(const char *arch, const struct gpu_work *w,
                          const struct gpu_counters *set, const char **names, uint32_t max);

const char *work_unit_name(enum work_unit u);   /* "VALU", "MFMA" */
const char *work_type_name(enum work_type t);   /* "f64"… */
const char *work_level_name(enum work_level l); /* "HBM"… */
