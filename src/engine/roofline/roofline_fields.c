#include "engine/roofline/roofline_fields.h"

#include <math.h>

double roofline_intensity(const struct roof_point *p, int level)
{
    if (!p->work)
        return p->intensity;
    if (level)
        return p->work->intensity[level - 1];
    for (int l = 0; l < WORK_LEVELS; l++)
        if (p->work->intensity[l] > 0)
            return p->work->intensity[l];
    return p->work->intensity[LEVEL_HBM];
}

static const char *roof_name(const struct roofline_item *r)
{
    return r->p->roof == GRAPH_NONE ? "" : r->r->roofs[r->p->roof].name;
}

static const char *bound_of(const struct roof_point *p)
{
    return p->roof == GRAPH_NONE || isnan(p->distance) ? ""
           : p->memory_bound                           ? "memory"
                                                       : "compute";
}

static int by_intensity(const void *a, const void *b)
{
    const struct roofline_item *x = a, *y = b;
    double p = roofline_intensity(x->p, x->level), q = roofline_intensity(y->p, y->level);
    if (isnan(p) || isnan(q))
        return isnan(p) - isnan(q);
    return (p < q) - (p > q);
}

#define LIST_ROW   struct roofline_item
#define LIST_FILE  "engine/roofline/roofline_fields.def"
#define LIST_TABLE roofline_fields
#include "engine/value/list_field_table.h"
