/* The short answer of a timeline: the lanes that work most of the window. */
#include <inttypes.h>

#include "base/plural.h"
#include "engine/value/timeline_scale.h"
#include "engine/value/value.h"
#include "export/timeline_export.h"

/* What its outermost spans take of the window. */
static struct timeline_cell sum_lane(const struct timeline_export *e, uint32_t lane)
{
    struct timeline_cell c = {.busy = 0};
    if (e->t->lanes[lane].nrows)
        timeline_cell(e->t, e->t->lanes[lane].first_row, e->from, e->to, &c);
    return c;
}

static void brief_lane_row(struct brief *b, const struct timeline_export *e, uint32_t lane)
{
    const struct timeline_cell c = sum_lane(e, lane);
    const char *longest = c.longest == GRAPH_NONE ? "" : graph_name(e->t->calls, c.longest);
    char busy[VALUE_TEXT_MAX];
    brief_row(b, timeline_lane_alone(e->t, lane),
              "busy %s, %.1f %% of the window, with %" PRIu32 " span%s; the longest: %s",
              value_time((double)c.busy, true, busy),
              100 * (double)c.busy / (double)(e->to - e->from), c.count, c.count == 1 ? "" : "s",
              longest);
}

void timeline_brief(struct brief *b, const struct timeline_export *e)
{
    const struct timeline *t = e->t;
    struct brief_top top = {.n = 0};
    char part[VALUE_TEXT_MAX], all[VALUE_TEXT_MAX], path[VALUE_TEXT_MAX];
    for (uint32_t i = 0; i < t->nlanes; i++) {
        const struct timeline_cell c = sum_lane(e, i);
        if (c.count)
            brief_top_add(&top, i, (double)c.busy);
    }
    if (top.n)
        brief_verdict(b, "%s works most: %.1f %% of %s",
                      timeline_lane_alone(t, (uint32_t)top.index[0]),
                      100 * top.weight[0] / (double)(e->to - e->from),
                      value_time((double)(e->to - e->from), true, part));
    else
        brief_verdict(b, "no span lies in the window");
    brief_evidence(b, "%" PRIu32 " %s in %" PRIu32 " %s, %s from begin to end", t->nspans,
                   plural(t->nspans, "span", "spans"), t->nlanes,
                   plural(t->nlanes, "lane", "lanes"),
                   value_time((double)(t->to - t->from), true, all));
    brief_evidence(b, "the critical path takes %s", value_time((double)t->way->length, true, path));
    if (t->untimed)
        brief_evidence(b, "%" PRIu32 " without times are left out", t->untimed);
    for (size_t i = 0; i < top.n; i++)
        brief_lane_row(b, e, (uint32_t)top.index[i]);
    b->left_out += top.left_out;
}
