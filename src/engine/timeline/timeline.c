#include "engine/timeline/timeline.h"

#include <errno.h>
#include <stdlib.h>

#include "base/search.h"
#include "base/watch.h"
#include "engine/timeline/timeline_impl.h"

static void find_time_range(struct timeline *t)
{
    const struct graph *g = t->calls;
    t->from = t->nspans ? UINT64_MAX : 0;
    for (uint32_t r = 0; r < t->nrows; r++) { /* rows are in order, and do not overlap */
        uint32_t first = t->spans[t->row_first[r]], last = t->spans[t->row_first[r + 1] - 1];
        uint64_t end = timeline_end(g, last);
        t->from = g->start[first] < t->from ? g->start[first] : t->from;
        t->to = end > t->to ? end : t->to;
    }
}

int timeline_build(struct timeline *t, const struct graph *calls, const struct critical_path *way,
                   struct error *err)
{
    if (calls->nnodes > GRAPH_MAX_NODES)
        return error_set(err, ERROR_INTERNAL, EOVERFLOW, NULL, "timeline", "too many calls");
    *t = (struct timeline){.calls = calls, .way = way};
    uint32_t *lane_of = timeline_find_lanes(t);
    int rc = watch_check("timeline", err);
    if (rc == 0) {
        timeline_make_rows(t, lane_of);
        rc = watch_check("timeline", err);
    }
    free(lane_of);
    if (rc == 0) {
        timeline_mark_path(t);
        timeline_make_levels(t);
        rc = watch_check("timeline", err);
    }
    if (rc == 0) {
        timeline_make_links(t);
        find_time_range(t);
    }
    return rc;
}

void timeline_free(struct timeline *t)
{
    for (uint32_t i = 0; i < t->nlevels; i++) {
        free(t->busy[i]);
        free(t->longest[i]);
        free(t->best[i]);
    }
    arena_free(&t->names);
    free(t->groups);
    free(t->lanes);
    free(t->spans);
    free(t->row_first);
    free(t->row_of);
    free(t->critical);
    free(t->steps);
    free(t->row_steps);
    free(t->block_start);
    free(t->by_from);
    free(t->by_to);
    *t = (struct timeline){0};
}

size_t timeline_memory(const struct timeline *t)
{
    size_t n = sizeof *t, blocks = t->nspans;
    if (!t->calls)
        return n;
    for (uint32_t i = 0; i < t->nlevels; i++) {
        blocks = blocks ? (blocks - 1) / TIMELINE_FAN + 1 : 0;
        n += blocks * (sizeof **t->busy + sizeof **t->longest + sizeof **t->best);
    }
    n += (t->nspans / TIMELINE_FAN + 1u) * sizeof *t->block_start;
    n += t->ngroups * sizeof *t->groups + t->nlanes * sizeof *t->lanes;
    n += (t->nspans + 2 * (t->nrows + 1u) + t->row_steps[t->nrows] + t->calls->nnodes) *
         sizeof(uint32_t);
    return n + t->calls->nnodes / 8u + 2 * (size_t)t->nlinks * sizeof(uint32_t);
}

const char *timeline_group_name(const struct timeline *t, uint32_t group)
{
    return t->groups[group].name;
}

const char *timeline_lane_name(const struct timeline *t, uint32_t lane)
{
    return t->lanes[lane].name;
}

const char *timeline_lane_alone(const struct timeline *t, uint32_t lane)
{
    return t->lanes[lane].alone;
}

uint32_t timeline_lane_of_row(const struct timeline *t, uint32_t row)
{
    uint32_t a = 0; /* the last lane that begins there or before */
    SEARCH_FIRST(a, t->nlanes, t->lanes[a].first_row <= row);
    return a - 1; /* a lane without rows begins where the next one does, and lies before it */
}

/* --- moving about --- */

uint32_t timeline_at(const struct timeline *t, uint32_t row, uint64_t time)
{
    uint32_t i = timeline_lower(t, row, time);
    if (i < t->row_first[row + 1] && t->calls->start[t->spans[i]] == time)
        return t->spans[i];
    if (i > t->row_first[row] && timeline_end(t->calls, t->spans[i - 1]) > time)
        return t->spans[i - 1];
    return GRAPH_NONE;
}

uint32_t timeline_near(const struct timeline *t, uint32_t row, uint64_t time)
{
    const struct graph *g = t->calls;
    uint32_t at = timeline_at(t, row, time), i = timeline_lower(t, row, time);
    bool before = i > t->row_first[row], after = i < t->row_first[row + 1];
    if (at != GRAPH_NONE || (!before && !after))
        return at;
    if (!before || !after)
        return t->spans[before ? i - 1 : i];
    uint64_t since = time - timeline_end(g, t->spans[i - 1]);
    return t->spans[g->start[t->spans[i]] - time < since ? i : i - 1];
}

uint32_t timeline_place(const struct timeline *t, uint32_t node)
{
    const struct graph *g = t->calls;
    uint32_t row = t->row_of[node], at = timeline_lower(t, row, g->start[node]);
    /* several spans of one start have no duration */
    SEARCH_FIRST(at, t->row_first[row + 1],
                 timeline_order(g, t->spans[at], node) < 0 && t->spans[at] != node);
    return at;
}

static uint32_t in_row(const struct timeline *t, uint32_t row, uint32_t place)
{
    return place >= t->row_first[row] && place < t->row_first[row + 1] ? t->spans[place]
                                                                       : GRAPH_NONE;
}

uint32_t timeline_next(const struct timeline *t, uint32_t node, int step)
{
    return in_row(t, t->row_of[node], timeline_place(t, node) + (step > 0 ? 1u : UINT32_MAX));
}

/* In another row, the nearest neighbour in the order of the lane. */
static uint32_t find_neighbour_span(const struct timeline *t, uint32_t node, uint32_t row, int step)
{
    uint64_t start = t->calls->start[node];
    uint32_t own = t->row_of[node];
    if (row == own)
        return timeline_next(t, node, step);
    bool same = step > 0 ? row > own : row < own; /* spans of equal start there */
    uint64_t bound = start + ((step > 0) != same ? 1 : 0);
    uint32_t at = timeline_lower(t, row, bound);
    return in_row(t, row, step > 0 ? at : at - 1);
}

uint32_t timeline_next_in_lane(const struct timeline *t, uint32_t node, int step)
{
    const struct graph *g = t->calls;
    const struct timeline_lane *l = &t->lanes[timeline_lane_of_row(t, t->row_of[node])];
    uint32_t found = GRAPH_NONE;
    for (uint32_t r = l->first_row; r < l->first_row + l->nrows; r++) {
        uint32_t v = find_neighbour_span(t, node, r, step);
        if (v == GRAPH_NONE)
            continue;
        /* rows come in order: of equal starts the first one after, the last one before */
        if (found == GRAPH_NONE ||
            (step > 0 ? g->start[v] < g->start[found] : g->start[v] >= g->start[found]))
            found = v;
    }
    return found;
}

uint32_t timeline_next_critical(const struct timeline *t, uint32_t node, uint64_t time, int step)
{
    const struct graph *g = t->calls;
    uint32_t found = GRAPH_NONE;
    for (uint32_t i = 0; i < t->way->nsteps; i++) {
        uint32_t v = t->way->steps[i].node;
        if (t->row_of[v] == GRAPH_NONE || v == node)
            continue;
        int c = g->start[v] < time ? -1 : 1;
        if (node != GRAPH_NONE)
            c = timeline_order(g, v, node);
        if ((step > 0) != (c > 0))
            continue;
        if (found == GRAPH_NONE || (timeline_order(g, v, found) < 0) == (step > 0))
            found = v;
    }
    return found;
}
