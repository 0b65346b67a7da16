/*
 * The kernel's own description of its PMUs: /sys/bus/event_source/devices/PMU/{type,format/…,
 * events/…,cpumask,cpus,caps/…}. All paths go through env_path.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/perf_event/encoding.h"
#include "base/error.h"
#include "base/nearest.h"

struct pmu {
    char name[48];
    uint32_t type;
    char cpus[256]; /* cpumask (uncore) or cpus (core PMUs of hybrid CPUs and Arm) */
    bool uncore;    /* it has a cpumask */
    bool core;      /* counts the events of a core */
};
enum { CORE_PMUS_MAX = 8 };

/* Reads a PMU; false if there is none or name cannot be a file's name. */
bool pmu_read(struct pmu *out, const char *name);
/* The core PMUs of this machine, sorted by name: "cpu", or several on a hybrid CPU; 0 on a virtual
 * machine without a PMU. Read once for each root. */
size_t pmu_cores(struct pmu out[CORE_PMUS_MAX]);
/* Finds the PMUs that the user's word names: one PMU, or a numbered family ("uncore_imc" for
 * uncore_imc_0, uncore_imc_1, …; "cpu" for all core PMUs). Sorted by number. Returns how many, at
 * most max. */
size_t pmu_family(const char *word, struct pmu *out, size_t max);
/* The number in a small file of the PMU, such as caps/NAME; -1 if there is none. */
long pmu_number(const char *pmu, const char *file);
/*
 * Whether an Arm core PMU reports that it counts a common event. The kernel lists under events/ the
 * events that the PMU reports in PMCEID, but it opens any number, and an event that the PMU lacks
 * reads 0 for ever. Returns 1: listed, 0: not listed, -1: unknown (no list, or not a common event).
 */
int pmu_lists_event(const struct pmu *pmu, uint64_t event);
/* Offers the names of all PMUs to n. */
void pmu_offer_names(struct nearest *n);

/* Encodes "event=0x3c,umask=1" or "energy-pkg" for one PMU into *enc (type, config…, scale, unit,
 * scope, cpumask, pmu). ERROR_USAGE for an unknown term or a value that is too large. */
int pmu_encode(const struct pmu *pmu, const char *terms, struct perf_encoding *enc,
               struct error *err);

/*
 * Reads a small file (path: after env_path) into out without its last newline. Returns 0 or -errno.
 */
int pmu_read_file(const char *path, char *out, size_t size);
