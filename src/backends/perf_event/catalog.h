/* The events of the default sets on each CPU: table rows with their source, no code. */
#pragma once

#include <stddef.h>

#include "backends/perf_event/encoding.h"

struct event_def {
    const char *set;  /* events of one set are counted together: "core", "topdown", "l1d", … */
    const char *name; /* its name in the formulas of the set */
    const char
        /* for event_resolve: libpfm4's name, or the sysfs or raw form if libpfm4 lacks it */
        *spec;
    const char *desc;
    const char *reference; /* where the encoding is documented */
};

struct arch_def {
    const char *key;   /* "zen3", "zen4", "zen5", "skl", "icl", "spr" (EMR and GNR too), "adl"
                          (hybrid),   "neoverse_n1", _n2, _v1, _v2, "armv8", "armv8_slotsN" (N issue
                          slots),   "generic" (any other core PMU), "none" */
    const char *label; /* "AMD Zen 4" */
    const struct event_def *events; /* ends with name NULL; most important sets first */
    int counters;                   /* general-purpose counters; sysfs's caps have precedence */
    /* additional counters for cycles, instructions (…); 0 on AMD; on Arm 1, for cycles */
    int fixed;
};

/* Software and system-wide rows for every CPU (sets "software", "tracepoint", "msr", "rapl",
 * "dram"). */
/* Rows of a PMU that this machine lacks do not resolve (ERROR_UNSUPPORTED, or ERROR_USAGE for a
 * single event). */
extern const struct event_def catalog_common[];
extern const struct arch_def arch_table[]; /* ends with key NULL */

/* The arch of this machine, from /proc/cpuinfo and /sys (through env_path); "none" without a core
 * PMU. */
const struct arch_def *arch_detect(void);
/* The key of this machine's CPU ("zen4"), whether its counters can be used or not; "generic" or
 * "armv8" if the table lacks it. For a hybrid CPU, the key of CPU 0. */
const char *arch_of_cpu(void);
const struct arch_def *arch_find(const char *key);
