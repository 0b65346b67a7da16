/*
 * What a profile says about functions: how much of it each one takes itself and with all it calls,
 * who calls it and whom it calls. Samples throughout.
 */
#ifndef ROOFTOP_ENGINE_PROFILE_FLAT_H
#define ROOFTOP_ENGINE_PROFILE_FLAT_H

#include "engine/profile.h"

struct profile_share {
    uint32_t symbol; /* PROFILE_NO_CALLER: the outermost frames */
    uint64_t self;   /* samples in the function itself */
    uint64_t total;  /* samples with it anywhere in the stack; recursion counts once */
};
enum { PROFILE_NO_CALLER = UINT32_MAX };

/* Of each node, samples in it and below: out[0..p->nnodes). */
void profile_node_totals(const struct profile *p, uint64_t *out);
/* One row a symbol that is in the tree, in their order, into out[0..p->nsymbols); how many.
 * node_total: from profile_node_totals. */
size_t profile_flat(const struct profile *p, const uint64_t *node_total, struct profile_share *out);
/*
 * Callers of the outermost frames of a symbol in each stack; their totals add up to its total.
 * Callees of its innermost frames: with its own self they add up to its total too. Both sorted by
 * total, the largest first. out has room for p->nsymbols + 1; how many.
 */
size_t profile_callers(const struct profile *p, const uint64_t *node_total, uint32_t symbol,
                       struct profile_share *out);
size_t profile_callees(const struct profile *p, uint32_t symbol, struct profile_share *out);

#endif
