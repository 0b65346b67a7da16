/*
 * Who calls whom in a profile (functions.h has the flat list). Samples throughout.
 */
#ifndef ROOFTOP_ENGINE_HOT_HOT_CALLS_H
#define ROOFTOP_ENGINE_HOT_HOT_CALLS_H

#include "engine/hot/hot_stacks.h"

struct profile_share {
    uint32_t symbol; /* PROFILE_NO_CALLER: the frame is outermost */
    uint64_t samples;
};
#define PROFILE_NO_CALLER UINT32_MAX

/* Sets out[0..p->nnodes) to the samples in each node and below it. */
void profile_node_totals(const struct profile *p, uint64_t *out);
/*
 * The callers of a symbol's outermost frame in each stack; they add up to the symbol's total. The
 * callees of its innermost frame in each stack; with its self they add up to its total too. Both
 * are sorted, the largest first. out needs room for p->nsymbols + 1 rows. Returns their number.
 */
size_t profile_callers(const struct profile *p, const uint64_t *node_total, uint32_t symbol,
                       struct profile_share *out);
size_t profile_callees(const struct profile *p, uint32_t symbol, struct profile_share *out);

#endif
