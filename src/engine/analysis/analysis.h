/*
 * Files that were opened, and all that is found out about them, once: what the views show and the
 * commands print. Whoever adds an analysis adds a member and a line in analysis.c.
 */
#ifndef ROOFTOP_ENGINE_ANALYSIS_ANALYSIS_H
#define ROOFTOP_ENGINE_ANALYSIS_ANALYSIS_H

#include "base/arena.h"
#include "engine/bricks/bricks.h"
#include "engine/path/critical_path.h"
#include "engine/kernels/kernels.h"
#include "engine/kernels/device_use.h"
#include "engine/path/path_shares.h"
#include "engine/analysis/steps.h"
#include "engine/timeline/timeline.h"
#include "engine/trace/trace.h"
#include "engine/path/what_if.h"

struct analysis_steps {
    bool found;
    struct steps steps;
    struct device_uses uses; /* what each device did for each rank */
};

struct analysis {
    struct trace trace;
    struct critical_path path;              /* through trace.calls */
    struct path_shares shares;              /* of it */
    struct what_if_best best[WHAT_IF_BEST]; /* what twice the speed buys; of small profiles */
    uint32_t nbest;
    struct timeline *timeline;    /* not built before somebody asks for it: analysis_timeline */
    struct bricks bricks;         /* the same, as views of what is live know it */
    struct kernels kernels;       /* the table of kernels, with what bounds them */
    struct analysis_steps *steps; /* not found before somebody asks for them: analysis_steps */
    struct arena memory;          /* of bricks */
    const char *roofs;            /* a roofline.csv to take the GPUs' ceilings from; NULL = none */
};

/* Zeroed but for roofs, and trace.watch and its ctx, which are asked and told while it lasts. Close
 * it after either outcome. */
int analysis_open(struct analysis *a, const char *const *paths, size_t n, struct error *err);
void analysis_close(struct analysis *a);
/* The same of a part of what was opened (window.h), which is not changed. *a: zeroed. */
int analysis_part(struct analysis *a, const struct analysis *whole,
                  const struct window_spans *spans, struct error *err);
/* What repeats in it, one by one, and what its devices did; the first call finds both, which may
 * take a while: what ends that (base/watch.h) leaves NULL with err, to be asked for again. No rows
 * where nothing repeats. */
const struct analysis_steps *analysis_steps(const struct analysis *a, struct error *err);
/* Its spans over time; the first call builds it. NULL: nothing was opened. */
const struct timeline *analysis_timeline(const struct analysis *a);

#endif
