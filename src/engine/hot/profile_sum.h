/*
 * The profiles of many intervals as one: of the last seconds (the window), or of all since the
 * start. Each interval is kept for PROFILE_SUM_KEEP_S as a short list of what it added, so that it
 * is taken away again as it was put in, and the window can be changed at any time.
 *
 * Symbols are the same when name, module, source file and "inlined" are. Of more call paths than
 * the limit, those not seen in the kept intervals are put together as "[other]", then the new ones.
 * Used by one thread.
 */
#ifndef ROOFTOP_ENGINE_HOT_PROFILE_SUM_H
#define ROOFTOP_ENGINE_HOT_PROFILE_SUM_H

#include "engine/hot/profile.h"

enum { PROFILE_SUM_KEEP_S = 60, PROFILE_SUM_LIMIT = 200000 };
#define PROFILE_OTHER "[other]"

struct profile_sum;

/* limit: of nodes, of symbols and of places, each; 0 = PROFILE_SUM_LIMIT. */
struct profile_sum *profile_sum_new(size_t limit);
void profile_sum_free(struct profile_sum *ps);
struct profile_sum *profile_sum_clone(const struct profile_sum *ps); /* for a paused picture */
void profile_sum_reset(struct profile_sum *ps);                      /* keeps the window */
/* p: of the interval that ends at time_ns (snapshot.time_ns); copied. An earlier time than the last
 * one starts anew. */
void profile_sum_add(struct profile_sum *ps, const struct profile *p, uint64_t time_ns);
/* Seconds back from the newest interval, at most PROFILE_SUM_KEEP_S; 0 = all since the start. */
void profile_sum_set_window(struct profile_sum *ps, double seconds);
/*
 * The sum of the window: symbols, nodes (callers before callees, siblings by name) and places
 * sorted, only those with samples. The same intervals give the same view, whatever came before
 * them. Valid until the next call with ps; NULL where nothing was ever added. Counts stop at their
 * type's maximum.
 */
const struct profile *profile_sum_view(struct profile_sum *ps);

#endif
