/*
 * Every span of an opened profile in its lane over time; for a running program the spans of its
 * last pass.
 */
#include "tui/views/timeline/timeline.h"
#include "tui/widgets/hue.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "engine/timeline/timeline_live.h"
#include "engine/trace/graph_brief.h"
#include "engine/value/timeline_scale.h"
#include "tui/model/captures.h"
#include "tui/model/jumps.h"
#include "tui/views/tree/tree.h"

enum { DETAIL = 6, DETAIL_FROM = 18, MAP_FROM = 14, LEGEND_AND_MAP = 100 };

static struct timeline_state *own_of(const struct view_state *st)
{
    return st->own;
}

static void free_timeline(void *own)
{
    struct timeline_state *o = own;
    timeline_names_free(&o->found.names);
    timeline_live_free(&o->running.live);
    free(o->shown.l.lines);
}

static const struct timeline *find_live_timeline(const struct model *m,
                                                 struct timeline_running *running)
{
    const struct bricks *b = model_bricks(m);
    if (!b)
        return NULL;
    const struct brick_window *w = &b->window;
    if (running->live.calls && running->of == m->snap && running->seq == m->snap->seq &&
        running->start == w->start && running->wall == w->wall && running->nspans == w->nspans)
        return &running->live.timeline;
    timeline_live_free(&running->live);
    running->of = m->snap;
    running->seq = m->snap->seq;
    running->start = w->start;
    running->wall = w->wall;
    running->nspans = w->nspans;
    return timeline_live_build(&running->live, w, NULL) == 0 ? &running->live.timeline : NULL;
}

static const struct timeline *timeline_of(const struct model *m, const struct view_state *st)
{
    return m->profile ? analysis_timeline(m->profile) : find_live_timeline(m, &own_of(st)->running);
}

static uint64_t time_between(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* After a new pass, moves the cursor to the span of the same name and lane at the same time. */
static void follow_cursor(const struct timeline *t, struct view_state *st)
{
    const struct timeline_cursor *cursor = &own_of(st)->cursor;
    uint32_t found_at = GRAPH_NONE;
    if (st->at == 0 || cursor->serial == t->calls->serial)
        return;
    for (uint32_t i = 0; i < t->nspans; i++) {
        uint32_t v = t->spans[i], lane = timeline_lane_of_row(t, t->row_of[v]);
        if (strncmp(graph_name(t->calls, v), cursor->name, sizeof cursor->name - 1) != 0 ||
            strncmp(timeline_lane_name(t, lane), cursor->lane, sizeof cursor->lane - 1) != 0)
            continue;
        uint64_t at = t->calls->start[v] - t->from;
        if (found_at == GRAPH_NONE ||
            time_between(at, st->hit) < time_between(t->calls->start[found_at] - t->from, st->hit))
            found_at = v;
    }
    st->at = found_at == GRAPH_NONE ? 0 : timeline_at_span(found_at);
}

static void note_cursor(const struct timeline *t, const struct view_state *st)
{
    struct timeline_cursor *cursor = &own_of(st)->cursor;
    uint32_t v = timeline_selected(t, st);
    cursor->serial = t->calls->serial;
    if (v == GRAPH_NONE)
        return;
    uint32_t lane = timeline_lane_of_row(t, t->row_of[v]);
    snprintf(cursor->name, sizeof cursor->name, "%s", graph_name(t->calls, v));
    snprintf(cursor->lane, sizeof cursor->lane, "%s", timeline_lane_name(t, lane));
}

static const struct timeline_names *find_searched_names(const struct timeline *t,
                                                        const struct view_state *st)
{
    struct timeline_found *found = &own_of(st)->found;
    if (!st->search[0])
        return NULL;
    if (found->serial == t->calls->serial && strcmp(found->text, st->search) == 0)
        return found->names.hit ? &found->names : NULL;
    timeline_names_free(&found->names);
    found->serial = t->calls->serial;
    snprintf(found->text, sizeof found->text, "%s", st->search);
    found->hit = (struct timeline_hit){.node = GRAPH_NONE};
    found->wrong = (struct error){0};
    timeline_names(&found->names, t, st->search, &found->wrong);
    return found->names.hit ? &found->names : NULL;
}

/* Goes to the match that a key asked for. */
static void go_to_match(const struct timeline *t, struct view_state *st)
{
    struct timeline_found *found = &own_of(st)->found;
    const struct timeline_names *names = find_searched_names(t, st);
    uint32_t at = timeline_selected(t, st);
    bool from_here = st->find == 2;
    if (names && st->find) {
        uint64_t time = at != GRAPH_NONE ? t->calls->start[at] : t->from;
        found->hit =
            timeline_search(t, names, from_here ? GRAPH_NONE : at, time, st->find < 0 ? -1 : 1);
        timeline_select(t, st, found->hit.node, true);
    }
    st->find = 0;
}

static void title_of(const struct view_state *st, char *out, size_t size)
{
    const struct timeline_found *found = &own_of(st)->found;
    out[0] = '\0';
    if (!st->search[0])
        return;
    if (found->wrong.kind != ERROR_NONE)
        snprintf(out, size, "'%.30s': %.60s", st->search, found->wrong.why);
    else if (found->hit.node == GRAPH_NONE)
        snprintf(out, size, "'%.30s': no span", st->search);
    else
        snprintf(out, size, "'%.30s': %u of %u", st->search, found->hit.index + 1,
                 found->hit.total);
}

static void draw_timeline_numbers(struct canvas *c, struct rect r, const struct timeline *t,
                                  struct timeline_window w)
{
    char part[VALUE_TEXT_MAX], all[VALUE_TEXT_MAX], path[VALUE_TEXT_MAX];
    int x = r.x, end = r.x + r.w;
    value_time((double)(w.to - w.from), c->ascii, part);
    value_time((double)(t->to - t->from), c->ascii, all);
    value_time((double)t->way->length, c->ascii, path);
    x += canvas_text(c, x, r.y, end - x, c->ascii ? "#" : "█", STYLE(STYLE_TEXT));
    x += canvas_printf(c, x, r.y, end - x, STYLE(STYLE_TEXT), " critical path %s  ", path);
    x += canvas_text(c, x, r.y, end - x, c->ascii ? "=" : "▒", STYLE(STYLE_TEXT));
    x += canvas_printf(c, x, r.y, end - x, STYLE(STYLE_TEXT), " beside it  ");
    if (t->untimed)
        x += canvas_printf(c, x, r.y, end - x, STYLE(STYLE_WARN), "%u without times  ", t->untimed);
    canvas_printf(c, x, r.y, end - x, STYLE(STYLE_DIM), "%s of %s · %u %s, %u %s", part, all,
                  t->nspans, plural(t->nspans, "span", "spans"), t->nlanes,
                  plural(t->nlanes, "lane", "lanes"));
}

/* Draws the place of the window in the whole timeline. */
static void draw_map(struct canvas *c, struct rect r, const struct timeline *t,
                     struct timeline_window w)
{
    double all = t->to > t->from ? (double)(t->to - t->from) : 1; /* spans without length */
    int a = (int)((double)(w.from - t->from) / all * r.w);
    int b = (int)((double)(w.to - t->from) / all * r.w + 0.999);
    canvas_fill(c, r, 0x2500, STYLE(STYLE_DIV));
    for (int x = a; x < r.w && (x < b || x == a); x++)
        canvas_put(c, r.x + x, r.y, c->ascii ? '=' : 0x2501, STYLE(STYLE_HOT));
}

static void draw_timeline_page(struct canvas *c, struct rect r, const struct model *m,
                               const struct timeline *t, struct view_state *st)
{
    struct timeline_window w = timeline_window_of(t, st);
    bool zoomed = st->zoom > 0, detail = !st->pane && r.h >= DETAIL_FROM;
    draw_timeline_numbers(c, r, t, w);
    r.y++;
    r.h--;
    if (r.h >= MAP_FROM) {
        int legend = hue_legend(c, r.x, r.y, zoomed && r.w < LEGEND_AND_MAP ? 0 : r.w);
        legend += legend ? 2 : 0;
        if (zoomed)
            draw_map(c, (struct rect){r.x + legend, r.y, r.w - legend, 1}, t, w);
        r.y++;
        r.h--;
    }
    if (detail) {
        const struct rect d = canvas_cut_below(c, &r, r.h >= 36 ? DETAIL + 2 : DETAIL);
        timeline_detail(c, d, t, m->profile ? &m->profile->trace : NULL, timeline_selected(t, st));
    }
    timeline_draw_lanes(c, r, t, st, find_searched_names(t, st));
}

static void draw_timeline(struct canvas *c, struct rect area, const struct model *m,
                          struct view_state *st)
{
    char right[160];
    const struct timeline *t = timeline_of(m, st);
    struct rect r = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    st->mode = st->mode < 0 ? 0 : st->mode % TIMELINE_MODES;
    st->list = (struct rect){0};
    st->rows = st->page = 0;
    if (t)
        follow_cursor(t, st);
    if (t && st->at == 0) /* the first span of the path that the timeline has */
        timeline_select(t, st, timeline_next_critical(t, GRAPH_NONE, 0, 1), true);
    if (t && t->nspans)
        go_to_match(t, st);
    title_of(st, right, sizeof right);
    canvas_box(c, area, STYLE(STYLE_BOX_NET),
               st->mode == TIMELINE_ALL ? "timeline: all rows" : "timeline",
               right[0] ? right : NULL);
    if (!t || t->nspans == 0)
        canvas_text(c, r.x, r.y + 1, r.w, "No call of this profile has times.", STYLE(STYLE_TITLE));
    else
        draw_timeline_page(c, r, m, t, st);
    if (t)
        note_cursor(t, st);
}

/*
 * Asks for an analysis of the visible part if the picture is zoomed in; else for the whole again,
 * or for the selected span.
 */
static enum view_result want_window(const struct model *m, const struct timeline *t,
                                    struct view_state *st)
{
    struct timeline_window w = timeline_window_of(t, st);
    uint32_t v = timeline_selected(t, st);
    if (st->zoom)
        snprintf(st->selected_key, sizeof st->selected_key, "t:%" PRIu64 ":%" PRIu64, w.from, w.to);
    else if (m->profile && m->profile->trace.window)
        snprintf(st->selected_key, sizeof st->selected_key, "whole");
    else if (v != GRAPH_NONE)
        snprintf(st->selected_key, sizeof st->selected_key, "n:%" PRIu32, v);
    else
        return VIEW_HANDLED;
    return VIEW_WINDOW;
}

static enum view_result act_in_timeline(enum action a, const struct model *m, struct view_state *st)
{
    const struct timeline *t = timeline_of(m, st);
    if (!t || t->nspans == 0)
        return VIEW_IGNORED;
    follow_cursor(t, st);
    if (a == ACTION_WINDOW)
        return want_window(m, t, st);
    uint64_t at = st->at;
    if (!timeline_act(a, t, st))
        return VIEW_IGNORED;
    bool again = a == ACTION_POINT_SPAN && st->at == at;
    return again && timeline_selected(t, st) != GRAPH_NONE ? VIEW_MENU : VIEW_HANDLED;
}

static bool timeline_menu(const struct model *m, const struct view_state *st, const char *key,
                          struct menu *out)
{
    const struct timeline *t = timeline_of(m, st);
    uint32_t v = t ? timeline_selected(t, st) : GRAPH_NONE;
    (void)key;
    if (v == GRAPH_NONE)
        return false;
    const char *name = graph_name(t->calls, v);
    char text[MENU_COMMAND_MAX], length[VALUE_TEXT_MAX], from[TIMELINE_TIME_MAX];
    uint64_t start = t->calls->start[v];
    snprintf(out->title, sizeof out->title, "%.60s",
             graph_brief(t->calls, v, 58, false, text, sizeof text));
    menu_action(out, 'z', ACTION_ZOOM_SPAN, "zoom to it");
    menu_action(out, 'b', ACTION_LAUNCHER, "to what launched it, or what it waited for");
    if (timeline_cause(t, v, false) == GRAPH_NONE)
        menu_deny(out, "none is known");
    menu_action(out, 'l', ACTION_LAUNCHED, "to the first that it launched, or that waited for it");
    if (timeline_cause(t, v, true) == GRAPH_NONE)
        menu_deny(out, "none is known");
    snprintf(text, sizeof text, "range #%u", v);
    menu_command(out, 'w', text, "analyse it alone: what ran and was launched in its time");
    menu_deny(out, m->profile ? NULL : "for profiles that were opened: rooftop FILE");
    menu_action(out, 'c', ACTION_NEXT_CRITICAL, "to the next span of the critical path");
    jumps_menu(m, out, "timeline", name);
    captures_menu(m, out, 'r', (enum node_kind)t->calls->kind[v], name);
    menu_action(out, 'f', ACTION_FOLD_TOGGLE, "fold its lane to one row, or unfold it");
    snprintf(text, sizeof text, "%.300s  %s from %s", name,
             value_time((double)(timeline_end(t->calls, v) - start), true, length),
             timeline_time(start - t->from, 1, t->to - t->from, from));
    menu_copy(out, 'y', text, "copy name and times");
    menu_copy(out, 'n', name, "copy its name");
    return true;
}

static bool timeline_available(const struct model *m, const struct view_state *st)
{
    (void)st;
    const struct timeline *t = m->profile ? m->profile->timeline : NULL;
    if (t && t->calls) /* the timeline was built */
        return t->nspans > 0;
    return t ? m->profile->trace.calls && m->profile->trace.calls->nnodes
             : model_bricks(m) && model_bricks(m)->window.nspans;
}

const struct view_ops view_timeline = {
    .name = "timeline",
    .title = "timeline",
    .select = ACTION_VIEW_TIMELINE,
    .contexts = CONTEXT_TIMELINE,
    .traces = true,
    .available = timeline_available,
    .own_size = sizeof(struct timeline_state),
    .end = free_timeline,
    .absent = "There are no spans: open a profile that has times (rooftop FILE), or run an "
              "instrumented program",
    .draw = draw_timeline,
    .act = act_in_timeline,
    .menu = timeline_menu,
};
