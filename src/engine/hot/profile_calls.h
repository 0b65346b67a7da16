/*
 * Who calls whom in a profile (functions.h has the flat list). Samples throughout.
 */
#ifndef ROOFTOP_ENGINE_HOT_PROFILE_CALLS_H
#define ROOFTOP_ENGINE_HOT_PROFILE_CALLS_H

#include "engine/hot/profile.h"

struct profile_share {
    uint32_t symbol; /* PROFILE_NO_CALLER: none, the frame is outermost */
    uint64_t samples;
};
#define PROFILE_NO_CALLER UINT32_MAX

/* Of each node, samples in it and below: out[0..p->nnodes). */
void profile_node_totals(const struct profile *p, uint64_t *out);
/*
 * Callers of the outermost frames of a symbol in each stack; they add up to the symbol's total.
 * Callees of its innermost frames: with its own self they add up to its total too. Both sorted, the
 * largest first. out has room for p->nsymbols + 1; how many.
 */
size_t profile_callers(const struct profile *p, const uint64_t *node_total, uint32_t symbol,
                       struct profile_share *out);
size_t profile_callees(const struct profile *p, uint32_t symbol, struct profile_share *out);

#endif
