/*
 * The kernel's own description of its PMUs: /sys/bus/event_source/devices/PMU/{type,format/…,
 * events/…,cpumask,cpus,caps/…}. All paths go through env_path.
 */
#ifndef ROOFTOP_BACKENDS_PERF_EVENT_PMU_SYSFS_H
#define ROOFTOP_BACKENDS_PERF_EVENT_PMU_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/perf_event/encoding.h"
#include "base/error.h"
#include "base/nearest.h"

struct pmu {
    char name[48];
    uint32_t type;
    char cpus[256]; /* cpumask (uncore) or cpus (core PMUs of hybrids and Arm) */
    bool uncore;    /* has a cpumask */
    bool core;      /* counts the events of a core */
};
enum { CORE_PMUS_MAX = 8 };

/* false where there is no such PMU (or name could not be a file's name). */
bool pmu_read(struct pmu *out, const char *name);
/*
 * The core PMUs of this machine, "cpu" or the several of a hybrid, sorted by name; 0 of them on a
 * virtual machine without a PMU. Read once per root.
 */
size_t pmu_cores(struct pmu out[CORE_PMUS_MAX]);
/*
 * The PMUs that a user's word names: itself, or its numbered family ("uncore_imc" for uncore_imc_0,
 * uncore_imc_1, …; "cpu" for all core PMUs). Sorted by number. Returns how many, at most max.
 */
size_t pmu_family(const char *word, struct pmu *out, size_t max);
/* caps/NAME or another small file of the PMU as a number; -1 where there is none. */
long pmu_number(const char *pmu, const char *file);
/*
 * Whether an Arm core PMU says that it counts a common event: the kernel lists under events/ those
 * that the PMU names in PMCEID, but opens any number, and one that the PMU lacks reads 0 for ever.
 * 1 listed, 0 not, -1 unknown (no list, or not a common event).
 */
int pmu_lists_event(const struct pmu *pmu, uint64_t event);
/* Offers the names of all PMUs. */
void pmu_offer_names(struct nearest *n);

/*
 * Encodes "event=0x3c,umask=1" or "energy-pkg" for one PMU into *enc (type, config…, scale, unit,
 * scope, cpumask, pmu). ERROR_USAGE for an unknown term or a value too large.
 */
int pmu_encode(const struct pmu *pmu, const char *terms, struct perf_encoding *enc,
               struct error *err);

/* Reads a small file (after env_path) into out without its last newline. 0 or -errno. */
int pmu_read_file(const char *path, char *out, size_t size);

#endif
