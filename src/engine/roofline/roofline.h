/*
 * Where bricks and kernels stand under their backend's roofs.
 *   S. Williams, A. Waterman, D. Patterson, "Roofline: An Insightful Visual Performance Model for
 *   Multicore Architectures", CACM 52(4), 2009: attainable FLOP/s = min(peak FLOP/s,
 *   operational intensity x peak bytes/s).
 */
#ifndef ROOFTOP_ENGINE_ROOFLINE_ROOFLINE_H
#define ROOFTOP_ENGINE_ROOFLINE_ROOFLINE_H

#include "base/arena.h"
#include "engine/bricks/bricks.h"

/* Peaks are those of all threads that work in a backend. What several threads run is over the time
 * in which any of them did (enum roof_over).
 *
 * Bricks and kernels with calls, time, FLOPs and bytes are points, all places of one name under one
 * roof together; the roof is the nearest backend. Arrays go into memory; names stay the graph's. */
void roofline_fill(struct roofline *out, struct arena *memory, const struct graph *sums);

/* What shares of time are of, ns: all kernels' time where points are of counters, else that of all
 * outermost spans. A kernel inside of a brick is in the brick's time already. */
uint64_t roofline_whole(const struct roofline *r, const struct graph *sums);

/* The order of points: by total, the largest first. */
void roofline_sort(struct roofline *r);

/* FLOP/s that a roof allows at an intensity (FLOP/byte); 0 where it has no peak. */
double roofline_bound(const struct roof *r, double intensity);

/* Above its roof, as nothing can be: by more than rounding. */
bool roofline_above(const struct roof_point *p);
/* The likely reason, a sentence without its end; NULL where it is not above. */
const char *roofline_why_above(const struct roofline *r, const struct roof_point *p);

#endif
