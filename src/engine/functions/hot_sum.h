/*
 * Sums the profiles of many intervals: of the last seconds (the window), or of all since the start.
 * Each interval is kept for HOT_SUM_KEEP_S as a short list of what it added, so that it can be
 * subtracted again and the window can change at any time.
 *
 * Symbols are equal if name, module, source file and "inlined" are. If there are more call paths
 * than the limit, those not seen in the kept intervals are merged into "[other]", then the new
 * ones. Only one thread may use it.
 */
#pragma once

#include "engine/functions/hot_stacks.h"

enum {
    HOT_SUM_KEEP_S = 60,
    HOT_SUM_LIMIT = 50000,
    HOT_SUM_TEXTS = 6 << 20,
    HOT_SUM_TALLIES = 1 << 20
};
#define HOT_OTHER "[other]"

struct hot_sum;

/*
 * limit: the most nodes, symbols and places, each; 0 = HOT_SUM_LIMIT. Names take HOT_SUM_TEXTS
 * bytes at most, kept intervals HOT_SUM_TALLIES rows: with more, the oldest are kept no longer.
 */
struct hot_sum *hot_sum_new(size_t limit);
void hot_sum_free(struct hot_sum *ps);
size_t hot_sum_memory(const struct hot_sum *ps); /* bytes, roughly */
void hot_sum_reset(struct hot_sum *ps);          /* keeps the window */
/* Adds a copy of p, the profile of the interval that ends at time_ns (snapshot.time_ns). A time
 * earlier than the last one resets the sum. */
void hot_sum_add(struct hot_sum *ps, const struct hot_stacks *p, uint64_t time_ns);
/* Seconds back from the newest interval, at most HOT_SUM_KEEP_S; 0 = all since the start. */
void hot_sum_set_window(struct hot_sum *ps, double seconds);
/*
 * The sum of the window: sorted symbols, nodes (callers before callees, siblings by name) and
 * places, only those with samples. Equal intervals give equal views, no matter what came before.
 * Valid until the next call with ps; NULL if nothing was ever added. Counts saturate.
 */
const struct hot_stacks *hot_sum_view(struct hot_sum *ps);
