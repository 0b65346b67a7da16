/*
 * Places the kernels of a GPU profile under the roof's ceilings, by hardware counters (gpu_work.h).
 *
 * Each number of a kernel is the sum over the dispatches that counted it, divided by the time of
 * just those dispatches. The bound is of first order: the work needs at least bytes/peak seconds at
 * each level and, in each unit, the sum over types of operations/peak. The largest of these times
 * belongs to the binding ceiling; its share of the measured time says how close to the roof the
 * kernel is. With one type and one level this is the roofline of roofline.h. Missing counters can
 * only hide a tighter ceiling, so the distance is then an upper bound.
 */
#pragma once

#include "engine/roofline/roofline.h"
#include "engine/roofline/roofs_csv.h"
#include "engine/trace/trace.h"

/* Adds the roofs and points of the trace's kernels to r. Arrays are allocated from `memory`; names
 * belong to t->calls. roofs: measured ceilings that replace the theoretical ones, or NULL. */
void roofline_gpu_add(struct roofline *r, struct arena *memory, const struct trace *t,
                      const struct roofs_csv *roofs);

/* As roofline_gpu_add(), with the ceilings of the file `roofs`; NULL: of the file beside the
 * trace's files. 0, or -errno with err if the file cannot be read. */
int roofline_gpu_open(struct roofline *r, struct arena *memory, const struct trace *t,
                      const char *roofs, struct error *err);

/* Fills *p and *w for dispatch i < work->counted of a kernel's point; p->work becomes w. false if
 * there is no such dispatch. */
bool roofline_gpu_dispatch(struct roof_point *p, struct roof_work *w, const struct roofline *r,
                           const struct trace *t, const struct roof_point *kernel, uint32_t i);

/* The share of a ceiling that the work reached, 1 = all; NAN if it was not counted. */
double roofline_use(const struct ceiling *c, const struct roof_work *w);
/* Whether counters are missing that could change the result. */
static inline bool roofline_incomplete(const struct roof_point *p)
{
    return p->work && p->work->nmissing > 0;
}
/*
 * The share of its roof that a point reached, "58 %?", with its mark: "!" above the roof, "?"
 * counters are missing, "~" over the busiest thread's time. "n/a": no roof is known, or the
 * counters that are there show none of the work.
 */
const char *roofline_reached(const struct roof_point *p, int decimals, char out[24]);
/* The name of the binding ceiling: "HBM", "MFMA f16", "compute"; "n/a". */
const char *roofline_bound_name(const struct roofline *r, const struct roof_point *p);
