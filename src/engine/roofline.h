/*
 * Where bricks and kernels stand under their backend's roofs.
 *   S. Williams, A. Waterman, D. Patterson, "Roofline: An Insightful Visual Performance Model for
 *   Multicore Architectures", CACM 52(4), 2009: attainable FLOP/s = min(peak FLOP/s,
 *   operational intensity x peak bytes/s).
 */
#ifndef ROOFTOP_ENGINE_ROOFLINE_H
#define ROOFTOP_ENGINE_ROOFLINE_H

#include "base/arena.h"
#include "engine/bricks.h"

/* Peaks are those of all threads that work in a backend. What several threads run is taken as run
 * at once: its work over the time of the thread that spent most in it.
 *
 * Bricks and kernels with calls, time, FLOPs and bytes are points, all places of one name under one
 * roof together; the roof is the nearest backend. Arrays go into memory; names stay the graph's. */
void roofline_fill(struct roofline *out, struct arena *memory, const struct graph *sums);

/* The order of points: by total, the largest first. */
void roofline_sort(struct roofline *r);

/* FLOP/s that a roof allows at an intensity (FLOP/byte); 0 where it has no peak. */
double roofline_bound(const struct roof *r, double intensity);

#endif
