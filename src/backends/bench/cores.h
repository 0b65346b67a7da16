/* Which CPUs this process may use, which of them share a core, and how busy each was. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cpu_state {
    bool allowed;
    int core;             /* the first CPU of its core */
    uint64_t busy, total; /* since boot, in ticks; 0 = unknown */
};

struct cores {
    struct cpu_state *cpu; /* by number; owned */
    size_t n;
};

/* Reads the state of all CPUs, however many there are. */
void cores_read(struct cores *c);
void cores_free(struct cores *c);
/*
 * The two CPUs of different cores that were busy least between two readings, the lower number
 * first; of a core the threads count together. busy: the share of each core's time, 0..1, NAN =
 * unknown. -errno with err where there are no two.
 */
int cores_choose(const struct cores *before, const struct cores *after, int cpu[2], double busy[2],
                 struct error *err);
