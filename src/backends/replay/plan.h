/*
 * Which address ranges a replay needs: the captured regions, rounded to pages and to the blocks
 * that device memory is handed out in, neighbours in one block together. Ranges are sorted and
 * disjoint.
 */
#ifndef ROOFTOP_BACKENDS_REPLAY_PLAN_H
#define ROOFTOP_BACKENDS_REPLAY_PLAN_H

#include <stdint.h>

#include "engine/capture/capture.h"

enum {
    REPLAY_PAGE = 4096,
    REPLAY_BLOCK = 2 << 20, /* the runtime's pools hand out parts of such blocks */
};

struct replay_range {
    uint64_t base, size; /* bytes, whole pages */
    bool host;           /* needs the host's memory, which the GPU may use */
    size_t first, n;     /* the capture's regions in it */
};

struct replay_plan {
    struct replay_range *ranges;
    size_t n;
    uint64_t device_bytes, host_bytes; /* of the ranges */
};

/* 0, or ERROR_INPUT: memory of the device and of the host in one page, addresses that no process
 * has. Free it with replay_plan_free. */
int replay_plan_make(struct replay_plan *out, const struct capture *c, struct error *err);
void replay_plan_free(struct replay_plan *p);

/* The range that an address lies in; p->n: none. */
size_t replay_plan_at(const struct replay_plan *p, uint64_t address);

#endif
