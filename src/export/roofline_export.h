/*
 * The roofline model as documents: points and ceilings. The points of a program with bricks are
 * from its declarations, those of a GPU from its counters. Unknown values are n/a, null or an
 * empty field, never 0.
 */
#pragma once

#include <stdio.h>

#include "engine/bricks/bricks.h"
#include "engine/trace/trace.h"
#include "export/brief.h"

struct roofline_doc {
    const struct roofline *r;
    const struct trace *t;
    bool dispatches; /* write each dispatch of a kernel with counters, not only their sum */
    bool ascii;      /* for text */
};

void roofline_export_text(FILE *out, const struct roofline_doc *d);
void roofline_brief(struct brief *b, const struct roofline_doc *d);
void roofline_export_csv(FILE *out, const struct roofline_doc *d);
/* schema rooftop.roofline/2 */
void roofline_export_json(FILE *out, const struct roofline_doc *d);
/* A log-log plot with ceilings, and a circle for each point whose area is its time. */
void roofline_export_svg(FILE *out, const struct roofline_doc *d);

/* Calls visit for each point, or each of its dispatches, in order. id: the profiler's number of
 * the dispatch; GRAPH_UNKNOWN for a kernel or brick. */
void roofline_each(const struct roofline_doc *d,
                   void (*visit)(void *ctx, const struct roof_point *p, uint64_t id), void *ctx);
