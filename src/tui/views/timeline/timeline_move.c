/* Moving in a timeline: between spans, between rows, in time. */

#include "tui/views/timeline/timeline.h"

enum { LEAST_NS = 32 }; /* the shortest time that a picture shows */

uint32_t timeline_selected(const struct timeline *t, const struct view_state *st)
{
    if (st->at == 0 || (st->at & TIMELINE_AT_GROUP) || st->at > t->calls->nnodes ||
        t->row_of[st->at - 1] == GRAPH_NONE)
        return GRAPH_NONE;
    return (uint32_t)(st->at - 1);
}

/* --- the window --- */

static uint64_t timeline_wall_of(const struct timeline *t)
{
    return t->to > t->from ? t->to - t->from : 1;
}

struct timeline_window timeline_window_of(const struct timeline *t, const struct view_state *st)
{
    uint64_t width = st->zoom && st->zoom < timeline_wall_of(t) ? st->zoom : timeline_wall_of(t);
    uint64_t top = st->top < timeline_wall_of(t) - width ? st->top : timeline_wall_of(t) - width;
    return (struct timeline_window){t->from + top, t->from + top + width};
}

void timeline_set_window(const struct timeline *t, struct view_state *st, uint64_t from,
                         uint64_t width)
{
    uint64_t all = timeline_wall_of(t), least = all < LEAST_NS ? all : LEAST_NS;
    width = width < least ? least : width;
    if (width >= all) {
        st->zoom = st->top = 0;
        return;
    }
    st->zoom = width;
    st->top = from > t->from ? from - t->from : 0;
    st->top = st->top < all - width ? st->top : all - width;
}

/* Zooms around a time, which keeps its place in the picture. */
static void zoom_timeline(const struct timeline *t, struct view_state *st, uint64_t around, bool in)
{
    struct timeline_window w = timeline_window_of(t, st);
    uint64_t width = w.to - w.from, left = around - w.from;
    uint64_t wider = width > timeline_wall_of(t) / 2 ? timeline_wall_of(t) : 2 * width;
    uint64_t then = in ? width - width / 2 : wider;
    uint64_t farther = left > UINT64_MAX / 2 ? UINT64_MAX : 2 * left;
    uint64_t before = in ? left - left / 2 : farther;
    timeline_set_window(t, st, around - t->from > before ? around - before : t->from, then);
}

static void pan_timeline(const struct timeline *t, struct view_state *st, int step)
{
    struct timeline_window w = timeline_window_of(t, st);
    uint64_t width = w.to - w.from, by = width / 4 + 1;
    if (width >= timeline_wall_of(t))
        return;
    uint64_t back = w.from - t->from > by ? w.from - by : t->from;
    uint64_t forth = w.from + (t->to - w.to > by ? by : t->to - w.to);
    timeline_set_window(t, st, step < 0 ? back : forth, width);
}

/* The time under the cursor if it is visible, else the middle of the picture. */
static uint64_t find_zoom_centre(const struct timeline *t, const struct view_state *st)
{
    struct timeline_window w = timeline_window_of(t, st);
    uint64_t at = st->hit < timeline_wall_of(t) ? t->from + st->hit : t->to;
    return at >= w.from && at < w.to ? at : w.from + (w.to - w.from) / 2;
}

/* --- the cursor --- */

/* The middle of the visible part of a span. */
static uint64_t find_span_middle(const struct timeline *t, const struct view_state *st, uint32_t v)
{
    struct timeline_window w = timeline_window_of(t, st);
    uint64_t a = t->calls->start[v], b = timeline_end(t->calls, v);
    if (b > w.from && a < w.to) {
        a = a < w.from ? w.from : a;
        b = b > w.to ? w.to : b;
    }
    return a + (b - a) / 2;
}

static void unfold_span(const struct timeline *t, struct view_state *st, uint32_t v)
{
    uint32_t row = t->row_of[v], lane = timeline_lane_of_row(t, row);
    uint32_t group = t->lanes[lane].group;
    view_set_folded(st, timeline_fold_id(t, group, GRAPH_NONE), false);
    if (row > t->lanes[lane].first_row)
        view_set_folded(st, timeline_fold_id(t, group, lane), false);
}

void timeline_select(const struct timeline *t, struct view_state *st, uint32_t v, bool show)
{
    if (v == GRAPH_NONE)
        return;
    struct timeline_window w = timeline_window_of(t, st);
    st->at = timeline_at_span(v);
    unfold_span(t, st, v);
    if (!show)
        return;
    uint64_t at = find_span_middle(t, st, v), width = w.to - w.from;
    st->hit = at - t->from;
    if (at < w.from || at >= w.to)
        timeline_set_window(t, st, at - t->from > width / 2 ? at - width / 2 : t->from, width);
}

/* Moves to another line: to its span at or near the time under the cursor. */
static void go_to_line(const struct timeline *t, struct view_state *st,
                       const struct timeline_lines *l, int64_t to)
{
    if (l->n == 0)
        return;
    if (to < 0)
        to = 0;
    else if (to >= l->n)
        to = l->n - 1;
    const struct timeline_line *line = &l->lines[to];
    if (line->lane == GRAPH_NONE) {
        st->at = timeline_at_group(line->group);
        return;
    }
    st->at = timeline_at_span(timeline_near(t, line->row, find_zoom_centre(t, st)));
}

static bool move_line(enum action a, const struct timeline *t, struct view_state *st)
{
    const struct timeline_lines *l = timeline_lines(t, st, st->page);
    int64_t page = st->page > 1 ? st->page - 1 : 1, by = 0;
    switch (a) {
    case ACTION_UP:
        by = -1;
        break;
    case ACTION_DOWN:
        by = 1;
        break;
    case ACTION_PAGE_UP:
        by = -page;
        break;
    case ACTION_PAGE_DOWN:
        by = page;
        break;
    default:
        return false;
    }
    go_to_line(t, st, l, (int64_t)l->cursor + by);
    return true;
}

/* Moves to another span. Returns false for other actions. */
static bool move_span(enum action a, const struct timeline *t, struct view_state *st)
{
    uint32_t v = timeline_selected(t, st), row = v == GRAPH_NONE ? 0 : t->row_of[v];
    if (a == ACTION_NEXT_CRITICAL) {
        uint32_t next = timeline_next_critical(t, v, find_zoom_centre(t, st), 1);
        next = next == GRAPH_NONE ? timeline_next_critical(t, GRAPH_NONE, 0, 1) : next;
        timeline_select(t, st, next, true);
        return true;
    }
    bool ours = a == ACTION_SPAN_PREV || a == ACTION_SPAN_NEXT || a == ACTION_LANE_PREV ||
                a == ACTION_LANE_NEXT || a == ACTION_TOP || a == ACTION_BOTTOM ||
                a == ACTION_LAUNCHER || a == ACTION_LAUNCHED;
    if (!ours || v == GRAPH_NONE)
        return ours;
    uint32_t to;
    switch (a) {
    case ACTION_SPAN_PREV:
    case ACTION_SPAN_NEXT:
        to = timeline_next(t, v, a == ACTION_SPAN_PREV ? -1 : 1);
        break;
    case ACTION_LANE_PREV:
    case ACTION_LANE_NEXT:
        to = timeline_next_in_lane(t, v, a == ACTION_LANE_PREV ? -1 : 1);
        break;
    case ACTION_TOP:
        to = t->spans[t->row_first[row]];
        break;
    case ACTION_BOTTOM:
        to = t->spans[t->row_first[row + 1] - 1];
        break;
    default:
        to = timeline_cause(t, v, a == ACTION_LAUNCHED);
        if (to == GRAPH_NONE)
            st->host->say(st->host->app, false,
                          a == ACTION_LAUNCHED
                              ? "it is not known that this span launched one, or that one waited"
                              : "it is not known what launched this span, or what it waited for");
    }
    timeline_select(t, st, to, true);
    return true;
}

static void zoom_to_span(const struct timeline *t, struct view_state *st)
{
    uint32_t v = timeline_selected(t, st);
    if (v == GRAPH_NONE)
        return;
    uint64_t a = t->calls->start[v], length = timeline_end(t->calls, v) - a, edge = length / 8 + 4;
    uint64_t from = a - t->from > edge ? a - edge : t->from;
    st->hit = a - t->from + length / 2;
    timeline_set_window(t, st, from,
                        length > UINT64_MAX / 2 ? UINT64_MAX : (a - from) + length + edge);
}

/* --- the mouse --- */

static bool mouse_time(const struct timeline *t, const struct view_state *st, uint64_t *time)
{
    struct rect r = ((const struct timeline_state *)st->own)->cells;
    int x = st->mouse_x - 1 - r.x;
    struct timeline_window w = timeline_window_of(t, st);
    if (!st->mouse_x || r.w <= 0 || x < 0 || x >= r.w)
        return false;
    uint64_t a = timeline_boundary(w.from, w.to, (uint32_t)x, (uint32_t)r.w);
    uint64_t b = timeline_boundary(w.from, w.to, (uint32_t)x + 1, (uint32_t)r.w);
    *time = a + (b - a) / 2;
    return true;
}

/*
 * Selects the span that the clicked cell shows, else the nearest one of its row; on a heading the
 * group.
 */
static void select_clicked_span(const struct timeline *t, struct view_state *st)
{
    struct rect r = ((const struct timeline_state *)st->own)->cells;
    const struct timeline_lines *l = timeline_lines(t, st, st->page);
    int64_t to = (int64_t)st->scroll + st->mouse_y - 1 - r.y;
    uint64_t time;
    if (to < 0 || to >= l->n)
        return;
    bool timed = mouse_time(t, st, &time);
    if (timed)
        st->hit = time - t->from;
    const struct timeline_line *line = &l->lines[to];
    go_to_line(t, st, l, to);
    if (!timed || line->lane == GRAPH_NONE)
        return;
    struct timeline_window w = timeline_window_of(t, st);
    struct timeline_cell cell;
    uint32_t x = (uint32_t)(st->mouse_x - 1 - r.x), n = (uint32_t)r.w;
    uint64_t t0 = timeline_boundary(w.from, w.to, x, n);
    uint64_t t1 = timeline_boundary(w.from, w.to, x + 1, n);
    timeline_cell(t, line->row, t0, t1 > t0 ? t1 : t0 + 1, &cell);
    if (cell.longest != GRAPH_NONE)
        st->at = timeline_at_span(cell.longest);
}

/* --- all actions --- */

static void fold_lane(const struct timeline *t, struct view_state *st)
{
    const struct timeline_lines *l = timeline_lines(t, st, st->page);
    if (l->n == 0)
        return;
    const struct timeline_line *line = &l->lines[l->cursor];
    if (line->lane != GRAPH_NONE && t->lanes[line->lane].nrows < 2) {
        st->host->say(st->host->app, false, "this lane has one row only: there is nothing to fold");
        return;
    }
    uint64_t id = timeline_fold_id(t, line->group, line->lane);
    bool folded = !view_folded(st, id);
    view_set_folded(st, id, folded);
    /* the cursor moves to the heading, which stays visible */
    if (folded && line->lane != GRAPH_NONE)
        st->at = timeline_at_span(
            timeline_near(t, t->lanes[line->lane].first_row, find_zoom_centre(t, st)));
}

bool timeline_act(enum action a, const struct timeline *t, struct view_state *st)
{
    uint64_t time = find_zoom_centre(t, st);
    if (move_line(a, t, st) || move_span(a, t, st))
        return true;
    switch (a) {
    case ACTION_PLOT_ZOOM_IN:
    case ACTION_PLOT_ZOOM_OUT:
        mouse_time(t, st, &time);
        zoom_timeline(t, st, time, a == ACTION_PLOT_ZOOM_IN);
        return true;
    case ACTION_ZOOM_OUT:
        st->zoom = st->top = 0;
        return true;
    case ACTION_ZOOM_SPAN:
        zoom_to_span(t, st);
        return true;
    case ACTION_PAN_LEFT:
    case ACTION_PAN_RIGHT:
        pan_timeline(t, st, a == ACTION_PAN_LEFT ? -1 : 1);
        return true;
    case ACTION_FOLD_TOGGLE:
        fold_lane(t, st);
        return true;
    case ACTION_TIMELINE_ROWS:
        st->mode = (st->mode + 1) % TIMELINE_MODES;
        return true;
    case ACTION_DETAILS:
        st->pane = !st->pane;
        return true;
    case ACTION_SEARCH_NEXT:
    case ACTION_SEARCH_PREV:
        st->find = a == ACTION_SEARCH_NEXT ? 1 : -1;
        return true;
    case ACTION_POINT_SPAN:
        select_clicked_span(t, st);
        return true;
    default:
        return false;
    }
}
