/* The lines of a timeline: headings of groups, and rows of lanes, by folding and room. */
#include <string.h>

#include "base/list.h"
#include "tui/views/timeline/timeline.h"

enum { FIT_LEAST = 2, ROWS_MOST = 4096, LINES_MOST = 1000000 };

uint64_t timeline_fold_id(const struct timeline *t, uint32_t group, uint32_t lane)
{
    uint32_t node = lane == GRAPH_NONE ? t->groups[group].node : t->lanes[lane].node;
    if (node != GRAPH_NONE)
        return 1ull + node;
    return (lane == GRAPH_NONE ? 1ull << 40 : 1ull << 41) | group;
}

/*
 * Whether a lane or group is folded. Usually nothing is folded, so that the first place is free;
 * that is tested first, because there may be very many lanes.
 */
static bool is_lane_folded(const struct timeline *t, const struct view_state *st, uint32_t group,
                           uint32_t lane)
{
    return st->folded[0] && view_folded(st, timeline_fold_id(t, group, lane));
}

static void add_timeline_line(struct timeline_shown *shown, const struct timeline_line *line)
{
    LIST_ROOM(shown->l.lines, shown->l.n, shown->cap);
    if (shown->l.n < LINES_MOST)
        shown->l.lines[shown->l.n++] = *line;
}

/* The number of lines if each lane has at most `cap` rows. */
static uint64_t lines_with(const struct timeline *t, const struct view_state *st, uint32_t cap)
{
    uint64_t n = t->ngroups;
    for (uint32_t l = 0; l < t->nlanes; l++) {
        const struct timeline_lane *lane = &t->lanes[l];
        if (is_lane_folded(t, st, lane->group, GRAPH_NONE))
            continue;
        bool one = is_lane_folded(t, st, lane->group, l);
        if (lane->nrows < cap)
            n += lane->nrows;
        else
            n += one && lane->nrows ? 1 : cap;
    }
    return n;
}

/* The number of rows per lane with which all lanes fit. */
static uint32_t rows_a_lane(const struct timeline *t, const struct view_state *st, int room)
{
    uint32_t cap = FIT_LEAST, more = room > FIT_LEAST ? (uint32_t)room : FIT_LEAST;
    if (st->mode == TIMELINE_ALL)
        return ROWS_MOST;
    while (cap < more) { /* finds the largest number that fits */
        uint32_t m = cap + (more - cap + 1) / 2;
        if (lines_with(t, st, m) <= (uint64_t)room)
            cap = m;
        else
            more = m - 1;
    }
    return cap;
}

static void add_lane_lines(const struct timeline *t, const struct view_state *st, uint32_t l,
                           uint32_t cap)
{
    struct timeline_shown *shown = &((struct timeline_state *)st->own)->shown;
    const struct timeline_lane *lane = &t->lanes[l];
    uint32_t v = timeline_selected(t, st);
    bool folded = is_lane_folded(t, st, lane->group, l);
    uint32_t rows = lane->nrows < cap ? lane->nrows : cap, cursor = GRAPH_NONE;
    rows = folded ? 1 : rows;
    if (lane->nrows == 0)
        return;
    if (v != GRAPH_NONE && t->row_of[v] - lane->first_row < lane->nrows) {
        cursor = t->row_of[v] - lane->first_row; /* the selected span's row is always shown */
        if (!folded && cursor >= rows)
            rows = cursor < ROWS_MOST ? cursor + 1 : rows;
        cursor = cursor < rows ? cursor : rows - 1;
    }
    for (uint32_t r = 0; r < rows; r++) {
        if (r == cursor)
            shown->l.cursor = shown->l.n;
        add_timeline_line(shown,
                          &(struct timeline_line){lane->group, l, lane->first_row + r,
                                                  r + 1 == rows ? lane->nrows - rows : 0, folded});
    }
}

const struct timeline_lines *timeline_lines(const struct timeline *t, const struct view_state *st,
                                            int room)
{
    struct timeline_shown *shown = &((struct timeline_state *)st->own)->shown;
    if (shown->made && shown->serial == t->calls->serial && shown->at == st->at &&
        shown->mode == st->mode && shown->room == room &&
        memcmp(shown->folded, st->folded, sizeof shown->folded) == 0)
        return &shown->l;
    uint32_t cap = rows_a_lane(t, st, room);
    shown->l.n = shown->l.cursor = 0;
    for (uint32_t g = 0; g < t->ngroups; g++) {
        const struct timeline_group *group = &t->groups[g];
        bool folded = is_lane_folded(t, st, g, GRAPH_NONE), any = false;
        for (uint32_t l = group->first_lane; l < group->first_lane + group->nlanes; l++)
            any |= t->lanes[l].nrows > 0;
        if (!any)
            continue;
        if (st->at == timeline_at_group(g))
            shown->l.cursor = shown->l.n;
        add_timeline_line(shown, &(struct timeline_line){g, GRAPH_NONE, GRAPH_NONE, 0, folded});
        for (uint32_t l = group->first_lane; !folded && l < group->first_lane + group->nlanes; l++)
            add_lane_lines(t, st, l, cap);
    }
    shown->serial = t->calls->serial;
    shown->at = st->at;
    shown->mode = st->mode;
    shown->room = room;
    memcpy(shown->folded, st->folded, sizeof shown->folded);
    shown->made = true;
    return &shown->l;
}
