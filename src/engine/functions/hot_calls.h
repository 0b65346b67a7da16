/*
 * Who calls whom in a profile (functions.h has the flat list). Samples throughout.
 */
#pragma once

#include "engine/functions/hot_stacks.h"

struct hot_share {
    uint32_t symbol; /* HOT_NO_CALLER: the frame is outermost */
    uint64_t samples;
};
#define HOT_NO_CALLER UINT32_MAX

/* Sets out[0..p->nnodes) to the samples in each node and below it. */
void hot_node_totals(const struct hot_stacks *p, uint64_t *out);
/*
 * The callers of a symbol's outermost frame in each stack; they add up to the symbol's total. The
 * callees of its innermost frame in each stack; with its self they add up to its total too. Both
 * are sorted, the largest first. out needs room for p->nsymbols + 1 rows. Returns their number.
 */
size_t hot_callers(const struct hot_stacks *p, const uint64_t *node_total, uint32_t symbol,
                   struct hot_share *out);
size_t hot_callees(const struct hot_stacks *p, uint32_t symbol, struct hot_share *out);
