/*
 * Kernels of a GPU's profile under the ceilings of its roof, from hardware counters (gpu_work.h).
 *
 * A kernel's numbers are sums over those of its dispatches that counted them, over the time of just
 * those. Its first-order bound: what a dispatch did needs at least bytes/peak of each level and, of
 * each unit, the sum over types of operations/peak. The largest of these over the time it took is
 * how far up its roof it is; that ceiling binds. With one type and one level it is the roofline of
 * roofline.h. Counters that are missing can only hide a ceiling that binds more: then the distance
 * is the most it can be.
 */
#ifndef ROOFTOP_ENGINE_ROOFLINE_ROOFLINE_GPU_H
#define ROOFTOP_ENGINE_ROOFLINE_ROOFLINE_GPU_H

#include "engine/roofline/roofline.h"
#include "engine/roofline/roofs_csv.h"
#include "engine/trace/trace.h"

/* Adds roofs and points of the trace's kernels; arrays go into memory, names stay those of
 * t->calls. roofs: ceilings instead of the theoretical ones; NULL = none. */
void roofline_gpu_add(struct roofline *r, struct arena *memory, const struct trace *t,
                      const struct roofs_csv *roofs);

/* The same with the ceilings of the file that was asked for, else of the one that lies beside the
 * trace's files. 0 or -errno with err: it cannot be read. */
int roofline_gpu_open(struct roofline *r, struct arena *memory, const struct trace *t,
                      const char *roofs, struct error *err);

/* The i-th (below work->counted) dispatch of a kernel's point, as a point of its own; p->work is w.
 * false where it is not there. */
bool roofline_gpu_dispatch(struct roof_point *p, struct roof_work *w, const struct roofline *r,
                           const struct trace *t, const struct roof_point *kernel, uint32_t i);

/* How much of a ceiling work reached: 1 = all; NAN where that was not counted. */
double roofline_use(const struct ceiling *c, const struct roof_work *w);
/* Whether counters are missing that could change the picture. */
static inline bool roofline_incomplete(const struct roof_point *p)
{
    return p->work && p->work->nmissing > 0;
}
/* What stands behind its share of the roof: "!" above it, "?" incomplete, "~" of the busiest
 * thread. */
const char *roofline_mark(const struct roof_point *p);
/* "HBM", "MFMA f16", "compute"; "n/a". */
const char *roofline_bound_name(const struct roofline *r, const struct roof_point *p);

#endif
