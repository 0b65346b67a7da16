/* A window of a timeline as a document: docs/TIMELINE.md. */
#pragma once

#include <stdio.h>

#include "engine/timeline/timeline.h"
#include "export/brief.h"

struct timeline_export {
    const struct timeline *t;
    const struct trace *trace;          /* NULL: the document does not say what was left out */
    uint64_t from, to;                  /* the window, absolute times in ns */
    const struct timeline_names *names; /* write only spans with these names; NULL: all */
};

/* The spans in the window, sorted by lane, row and start. Times are ns since the timeline's
 * begin. */
void timeline_export_csv(FILE *out, const struct timeline_export *e);
/* Schema "rooftop.timeline/1". */
void timeline_export_json(FILE *out, const struct timeline_export *e);
void timeline_brief(struct brief *b, const struct timeline_export *e);
/* A self-contained picture; spans with other names are pale. */
void timeline_export_svg(FILE *out, const struct timeline_export *e);

/* Calls `each` for every span in the window, in the same order. */
void timeline_export_each(const struct timeline_export *e,
                          void (*each)(void *ctx, uint32_t lane, uint32_t row, uint32_t node),
                          void *ctx);
