/*
 * Opened files and everything that is found out about them, computed once for views and commands. A
 * new analysis is a member here and a line in analysis.c.
 */
#pragma once

#include "base/arena.h"
#include "engine/analysis/steps.h"
#include "engine/bricks/bricks.h"
#include "engine/kernels/device_use.h"
#include "engine/kernels/kernels.h"
#include "engine/path/critical_path.h"
#include "engine/path/path_shares.h"
#include "engine/path/what_if.h"
#include "engine/timeline/timeline.h"
#include "engine/trace/trace.h"

struct analysis_steps {
    bool likely; /* known before they are found: something repeats, or devices were used */
    bool found;
    struct steps steps;
};

struct analysis {
    struct trace trace;
    struct critical_path path; /* over the nodes of trace.calls */
    struct path_shares shares; /* what the path consists of */
    /* what twice the speed would save; of fewer names in large profiles */
    struct what_if_best best[WHAT_IF_BEST];
    uint32_t nbest;
    struct device_uses uses;   /* what each device did for each rank */
    struct timeline *timeline; /* built on first use by analysis_timeline */
    struct bricks bricks;      /* the trace as bricks, the form of live data that the views draw */
    struct kernels kernels;    /* the table of kernels, with what limits each */
    struct analysis_steps *steps; /* found on first use by analysis_steps */
    struct arena memory;          /* holds the texts of bricks */
    const char *roofs;            /* a file of roofs (roofline_open.h); NULL = none */
};

/* Opens n files. *a must be zeroed except for roofs, trace.watch and trace.watch_ctx; the watch is
 * called meanwhile. 0 or -errno with err; close *a in either case. */
int analysis_open(struct analysis *a, const char *const *paths, size_t n, struct error *err);
void analysis_close(struct analysis *a);
/* Makes an analysis of a part (window.h) of `whole`, which does not change. *a must be zeroed. */
int analysis_part(struct analysis *a, const struct analysis *whole,
                  const struct window_spans *spans, struct error *err);
/* The repeated ranges, one by one. The first call computes them,
 * which may take long. If the watch says stop (base/watch.h), it returns NULL with err and may be
 * called again. There are no rows if nothing repeats. */
const struct analysis_steps *analysis_steps(const struct analysis *a, struct error *err);
/* The spans over time; the first call builds the index. NULL if no file is open. */
const struct timeline *analysis_timeline(const struct analysis *a);
