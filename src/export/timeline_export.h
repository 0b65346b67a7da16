/* A window of a timeline as a document: docs/TIMELINE.md. */
#ifndef ROOFTOP_EXPORT_TIMELINE_EXPORT_H
#define ROOFTOP_EXPORT_TIMELINE_EXPORT_H

#include <stdio.h>

#include "engine/timeline/timeline.h"

struct timeline_export {
    const struct timeline *t;
    uint64_t from, to;                  /* absolute */
    const struct timeline_names *names; /* only spans with these; NULL: all */
};

/* Spans that are in the window, by lane, row and start. Times are ns since the timeline's begin. */
void timeline_export_csv(FILE *out, const struct timeline_export *e);
/* Schema "rooftop.timeline/1". */
void timeline_export_json(FILE *out, const struct timeline_export *e);
/* A self-contained drawing; spans with other names are pale. */
void timeline_export_svg(FILE *out, const struct timeline_export *e);

/* Calls each for every span in the window, in that order. */
void timeline_export_each(const struct timeline_export *e,
                          void (*each)(void *ctx, uint32_t lane, uint32_t row, uint32_t node),
                          void *ctx);

#endif
