/*
 * Points under their roofs as documents. For a program with bricks they are from its declarations,
 * for a GPU from its counters. Unknown values are n/a, null or an empty field, never 0.
 */
#ifndef ROOFTOP_EXPORT_ROOFLINE_EXPORT_H
#define ROOFTOP_EXPORT_ROOFLINE_EXPORT_H

#include <stdio.h>

#include "engine/bricks/bricks.h"
#include "engine/trace/trace.h"

struct roofline_doc {
    const struct roofline *r;
    const struct trace *t;
    bool dispatches; /* of each kernel with counters: its dispatches, one by one */
    bool ascii;      /* text */
};

void roofline_export_text(FILE *out, const struct roofline_doc *d);
void roofline_export_csv(FILE *out, const struct roofline_doc *d);
/* schema rooftop.roofline/1 */
void roofline_export_json(FILE *out, const struct roofline_doc *d);
/* A log-log plot: roofs, and a circle for each point, its area by time. */
void roofline_export_svg(FILE *out, const struct roofline_doc *d);

/* For the functions above: visits each point, or its dispatches, in order. id: the profiler's
 * number of the dispatch; GRAPH_UNKNOWN for a kernel or brick. */
void roofline_each(const struct roofline_doc *d,
                   void (*visit)(void *ctx, const struct roof_point *p, uint64_t id), void *ctx);

#endif
