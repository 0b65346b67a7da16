/*
 * Counts of the dispatches so far of the emulated GPU in rooftop's tests, where times mean nothing.
 * Its function rooftop_emulated_counts fills this. Copies and fills that the runtime makes by its
 * own kernels are dispatches too.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct emulated_counts {
    uint64_t dispatches;
    uint64_t instructions; /* instructions of waves */
    uint64_t lines; /* lines of 64 bytes of memory, each once for an instruction that touches it */
    /* Different lines of each dispatch, without private memory. An atomic operation loads and
     * stores. */
    uint64_t loaded, stored;
};

/* Races in the dispatches since the last call of its function rooftop_emulated_races: accesses to
 * LDS by two waves of a work-group without a barrier between them, of which one stores and not both
 * are atomic; barriers that not all waves of a work-group reach. The call also decides whether the
 * next dispatches are checked. Offsets are from the first instruction of the kernel. */
struct emulated_races {
    uint64_t races, parted;
    uint64_t pc[2], address; /* the first race: both accesses, and the byte of LDS */
    uint64_t barrier;        /* address after the first barrier that not all waves reach */
};
