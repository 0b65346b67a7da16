/*
 * Compares memory after the kernel with the expected contents: those captured after the kernel, or
 * those that another build left.
 */
#pragma once

#include "backends/replay/device/failure.h"
#include "backends/replay/restore.h"
#include "backends/replay/workers.h"
#include "engine/capture/capture.h"
#include "engine/replay/replay_rule.h"

struct memory_difference {    /* the first one in a region */
    uint64_t region, offset;  /* base of the region; offset in bytes */
    uint64_t expected, found; /* as bits */
    uint64_t count;           /* different elements in this region */
    double max_absolute, max_relative;
};
struct replay_verdict {
    bool equal;
    struct replay_rule rule;
    size_t regions, skipped; /* skipped: the expected contents are unknown */
    uint64_t bytes;
    struct memory_difference *differences; /* one for each region that differs */
    size_t n;
};
void replay_verdict_free(struct replay_verdict *v);

/*
 * Compares memory with the capture. REPLAY_CAPTURE where it has nothing to compare with. Free *out
 * with replay_verdict_free.
 */
int replay_verify(struct replay_verdict *out, const struct capture *c, struct replay_workers *w,
                  const struct replay_rule *rule, replay_progress progress, void *ctx,
                  struct replay_failure *f);

/*
 * Copies the present memory; NULL where that would take more than a third of the free memory. Free
 * it with replay_output_free.
 */
struct replay_output;
struct replay_output *replay_output_keep(const struct capture *c, struct replay_workers *w);
void replay_output_free(struct replay_output *o); /* NULL is allowed */
/* What was kept of a region at an offset that is a multiple of CAPTURE_BLOCK: that many bytes, or
 * those to the region's end. */
const uint8_t *replay_output_bytes(const struct replay_output *o, size_t region, uint64_t offset);
int replay_output_compare(struct replay_verdict *out, struct replay_output *o,
                          const struct replay_rule *rule, struct replay_failure *f);
