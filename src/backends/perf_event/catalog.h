/*
 * Which events the default sets hold on which CPU: rows with their source, no code.
 */
#ifndef ROOFTOP_BACKENDS_PERF_EVENT_CATALOG_H
#define ROOFTOP_BACKENDS_PERF_EVENT_CATALOG_H

#include <stddef.h>

#include "backends/perf_event/encoding.h"

struct event_def {
    const char *set;  /* events of one set are counted together: "core", "topdown", "l1d", … */
    const char *name; /* as formulas of that set use it */
    const char
        *spec; /* for event_resolve: libpfm4 name, or sysfs/raw form where libpfm4 lacks it */
    const char *desc;
    const char *reference; /* where the encoding is documented */
};

struct arch_def {
    const char *key;   /* "zen3", "zen4", "zen5", "skl", "icl", "spr" (EMR and GNR too), "adl"
                          (hybrid),   "neoverse_n1", _n2, _v1, _v2, "armv8", "armv8_slotsN" (N issue
                          slots),   "generic" (any other core PMU), "none" */
    const char *label; /* "AMD Zen 4" */
    const struct event_def *events; /* terminated by name == NULL; sets in order of importance */
    int counters;                   /* general-purpose counters; sysfs caps override */
    int fixed; /* counters for cycles, instructions (…) beside them; 0 on AMD and Arm (Arm: cycles
                  1) */
};

/* Software and system-wide rows that hold on every CPU (set "software", "tracepoint", "msr",
 * "rapl", "dram"). */
/* Rows whose PMU is not here fail to resolve (ERROR_UNSUPPORTED, or ERROR_USAGE for one event). */
extern const struct event_def catalog_common[];
extern const struct arch_def arch_table[]; /* terminated by key == NULL */

/* From /proc/cpuinfo and /sys (through env_path): the arch of this machine; "none" without a core
 * PMU. */
const struct arch_def *arch_detect(void);
const struct arch_def *arch_find(const char *key);
/* libpfm's PMU name to force in tests: "amd64_fam19h_zen4"; NULL where libpfm4 4.13 lacks it. */
const char *arch_libpfm_name(const char *key);

#endif
