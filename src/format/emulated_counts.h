/*
 * What the emulated GPU of rooftop's tests tells of its dispatches so far, in place of times, which
 * mean nothing there: its function rooftop_emulated_counts fills this. The copies and fills that
 * the runtime makes by kernels of its own are dispatches, too.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct emulated_counts {
    uint64_t dispatches;
    uint64_t instructions; /* of waves */
    uint64_t lines;        /* of 64 bytes of memory, each once for an instruction that touches it */
    /* Different lines of each dispatch, without private memory. An atomic operation loads and
     * stores. */
    uint64_t loaded, stored;
};

/*
 * What its function rooftop_emulated_races tells of the dispatches since it was called last, and
 * forgets: accesses to LDS by two waves of a work-group with no barrier between them, of which one
 * stores and not both are atomic; barriers that not all waves of a work-group reach. It also says
 * whether the next dispatches are looked at. Offsets are from the first instruction of the kernel.
 */
struct emulated_races {
    uint64_t races, parted;
    uint64_t pc[2], address; /* of the first race: both accesses, and the byte of LDS */
    uint64_t barrier;        /* behind the first barrier that not all reach */
};
