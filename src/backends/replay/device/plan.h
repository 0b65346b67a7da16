/*
 * Computes the address ranges that a replay needs: the captured regions, rounded to pages and to
 * the blocks of device memory; regions in one block are joined. Ranges are sorted and do not
 * overlap.
 */
#pragma once

#include <stdint.h>

#include "engine/capture/capture.h"

enum {
    REPLAY_PAGE = 4096,
    REPLAY_BLOCK = 2 << 20, /* the runtime's pools allocate parts of such blocks */
};

struct replay_range {
    uint64_t base, size; /* bytes, whole pages */
    bool host;           /* host memory that the GPU may access */
    size_t first, n;     /* the capture's regions in it */
};

struct replay_plan {
    struct replay_range *ranges;
    size_t n;
    uint64_t device_bytes, host_bytes; /* sums over the ranges */
};

/*
 * Makes the plan. Returns 0, or ERROR_INPUT: memory of the device and of the host in one page, or
 * addresses that no process can have. Free it with replay_plan_free.
 */
int replay_plan_make(struct replay_plan *out, const struct capture *c, struct error *err);
void replay_plan_free(struct replay_plan *p);
