/*
 * Sums the profiles of many intervals: of the last seconds (the window), or of all since the start.
 * Each interval is kept for PROFILE_SUM_KEEP_S as a short list of what it added, so that it can be
 * subtracted again and the window can change at any time.
 *
 * Symbols are equal if name, module, source file and "inlined" are. If there are more call paths
 * than the limit, those not seen in the kept intervals are merged into "[other]", then the new
 * ones. Only one thread may use it.
 */
#ifndef ROOFTOP_ENGINE_HOT_HOT_SUM_H
#define ROOFTOP_ENGINE_HOT_HOT_SUM_H

#include "engine/hot/hot_stacks.h"

enum { PROFILE_SUM_KEEP_S = 60, PROFILE_SUM_LIMIT = 200000 };
#define PROFILE_OTHER "[other]"

struct profile_sum;

/* limit: the most nodes, symbols and places, each; 0 = PROFILE_SUM_LIMIT. */
struct profile_sum *profile_sum_new(size_t limit);
void profile_sum_free(struct profile_sum *ps);
void profile_sum_reset(struct profile_sum *ps); /* keeps the window */
/* Adds a copy of p, the profile of the interval that ends at time_ns (snapshot.time_ns). A time
 * earlier than the last one resets the sum. */
void profile_sum_add(struct profile_sum *ps, const struct profile *p, uint64_t time_ns);
/* Seconds back from the newest interval, at most PROFILE_SUM_KEEP_S; 0 = all since the start. */
void profile_sum_set_window(struct profile_sum *ps, double seconds);
/*
 * The sum of the window: sorted symbols, nodes (callers before callees, siblings by name) and
 * places, only those with samples. Equal intervals give equal views, no matter what came before.
 * Valid until the next call with ps; NULL if nothing was ever added. Counts saturate.
 */
const struct profile *profile_sum_view(struct profile_sum *ps);

#endif
