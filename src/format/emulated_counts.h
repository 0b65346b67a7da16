/*
 * What the emulated GPU of rooftop's tests tells of its dispatches so far, in place of times, which
 * mean nothing there: its function rooftop_emulated_counts fills this. The copies and fills that
 * the runtime makes by kernels of its own are dispatches, too.
 */
#ifndef ROOFTOP_FORMAT_EMULATED_COUNTS_H
#define ROOFTOP_FORMAT_EMULATED_COUNTS_H

#include <stdint.h>

struct emulated_counts {
    uint64_t dispatches;
    uint64_t instructions; /* of waves */
    uint64_t lines;        /* of 64 bytes of memory, each once for an instruction that touches it */
    /* Different lines of each dispatch, without private memory. An atomic operation loads and
     * stores. */
    uint64_t loaded, stored;
};

#endif
