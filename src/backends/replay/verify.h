/*
 * Memory as the kernel left it, against what it should be: what was captured after the kernel, or
 * what another build of it left.
 */
#ifndef ROOFTOP_BACKENDS_REPLAY_VERIFY_H
#define ROOFTOP_BACKENDS_REPLAY_VERIFY_H

#include "backends/replay/failure.h"
#include "backends/replay/restore.h"
#include "backends/replay/workers.h"
#include "engine/capture/capture.h"
#include "engine/replay/replay_rule.h"

struct replay_difference {    /* the first one of a region */
    uint64_t region, offset;  /* base; bytes from it */
    uint64_t expected, found; /* bits */
    uint64_t count;           /* elements of this region that differ */
    double max_absolute, max_relative;
};
struct replay_verdict {
    bool equal;
    struct replay_rule rule;
    size_t regions, skipped; /* skipped: what should be there is not known */
    uint64_t bytes;
    struct replay_difference *differences; /* one for each region that differs */
    size_t n;
};
void replay_verdict_free(struct replay_verdict *v);

/* Against the capture. REPLAY_CAPTURE where it has nothing to compare with. */
int replay_verify(struct replay_verdict *out, const struct capture *c, struct replay_workers *w,
                  const struct replay_rule *rule, replay_progress progress, void *ctx,
                  struct replay_failure *f);

/* A copy of what memory holds now; NULL where it would take more than a third of the free memory.
 */
struct replay_output;
struct replay_output *replay_output_keep(const struct capture *c, struct replay_workers *w);
void replay_output_free(struct replay_output *o); /* NULL allowed */
int replay_output_compare(struct replay_verdict *out, struct replay_output *o,
                          const struct replay_rule *rule, struct replay_failure *f);

#endif
