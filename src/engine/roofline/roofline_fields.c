#include "engine/roofline/roofline_fields.h"

#include <math.h>

#include "engine/graph/graph_counters.h"

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
    if (p->roof == GRAPH_NONE || isnan(p->distance))
        return "";
    return p->memory_bound ? "memory" : "compute";
}

static int by_intensity(const void *a, const void *b)
{
    const struct roofline_item *x = a, *y = b;
    double p = roofline_intensity(x->p, x->level), q = roofline_intensity(y->p, y->level);
    if (isnan(p) || isnan(q))
        return isnan(p) - isnan(q);
    return (p < q) - (p > q);
}

static double counter_rate_of_point(const struct roof_point *p, enum graph_rate rate)
{
    return graph_rate(p->counters, p->counts, rate);
}

/* The rate of a counter: FLOPs or bytes per second. NaN if not all calls were counted, or if
 * threads worked at once, because the time of the counts is then unknown. */
static double counted_rate(const struct roof_point *p, const char *event)
{
    if (!p->counts || p->over != OVER_CALLS || p->counts->calls < p->calls || !p->total)
        return NAN;
    return graph_counted(p->counters, p->counts, event) * 1e9 / (double)p->total;
}

#define LIST_ROW   struct roofline_item
#define LIST_FILE  "engine/roofline/roofline_fields.def"
#define LIST_TABLE roofline_fields
#include "engine/value/list_field_table.h"
