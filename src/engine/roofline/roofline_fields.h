/* The fields of a point under a roof: columns of the list, its orders, filters, CSV and JSON. */
#pragma once

#include "engine/roofline/roofline.h"
#include "engine/roofline/roofline_gpu.h"
#include "engine/value/list_field.h"

struct roofline_item {
    const struct roofline *r;
    const struct graph *g; /* of the points' nodes */
    const struct roof_point *p;
    int level; /* of memory, for intensity: 1 + enum work_level; 0: the first with counters */
    uint64_t dispatch; /* the profiler's number, of a single dispatch; else GRAPH_UNKNOWN */
};
extern const struct list_field roofline_fields[]; /* rows: struct roofline_item */
enum roofline_field {
#define LIST_FILE   "engine/roofline/roofline_fields.def"
#define LIST_ID(id) ROOFLINE_FIELD_##id
#include "engine/value/list_field_ids.h"
};
/* Fields before this index come before the reasons in JSON, the others after them. */
enum { ROOFLINE_BEFORE_REASONS = 19 };

/* The intensity of a point at a level of memory; NAN if unknown. */
double roofline_intensity(const struct roof_point *p, int level);
