/*
 * Files that were opened, and all that is found out about them, once: what the views show and the
 * commands print. Whoever adds an analysis adds a member and a line in analysis.c.
 */
#ifndef ROOFTOP_ENGINE_ANALYSIS_H
#define ROOFTOP_ENGINE_ANALYSIS_H

#include "base/arena.h"
#include "engine/bricks.h"
#include "engine/critical_path.h"
#include "engine/kernels.h"
#include "engine/path_shares.h"
#include "engine/timeline.h"
#include "engine/trace.h"
#include "engine/what_if.h"

struct analysis {
    struct trace trace;
    struct critical_path path;              /* through trace.calls */
    struct path_shares shares;              /* of it */
    struct what_if_best best[WHAT_IF_BEST]; /* what twice the speed buys; of small profiles */
    uint32_t nbest;
    struct timeline *timeline; /* not built before somebody asks for it: analysis_timeline */
    struct bricks bricks;      /* the same, as views of what is live know it */
    struct kernels kernels;    /* the table of kernels, with what bounds them */
    struct arena memory;       /* of bricks */
    const char *roofs;         /* a roofline.csv to take the GPUs' ceilings from; NULL = none */
};

/* Zeroed but for roofs, and trace.watch and its ctx, which are asked and told while it lasts. Close
 * it after either outcome. */
int analysis_open(struct analysis *a, const char *const *paths, size_t n, struct error *err);
void analysis_close(struct analysis *a);
/* Its spans over time; the first call builds it. NULL: nothing was opened. */
const struct timeline *analysis_timeline(const struct analysis *a);

#endif
