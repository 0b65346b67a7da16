/*
 * Lanes over time. What a span does has a hue. The critical path is drawn in blocks, whose size
 * shows how much of a cell is busy; everything else is drawn in shades.
 */
#include <stdio.h>
#include <string.h>

#include "engine/trace/graph_brief.h"
#include "engine/value/timeline_scale.h"
#include "tui/views/timeline/timeline.h"
#include "tui/widgets/hue.h"

enum {
    CELLS_MOST = 1024,
    LABEL_WIDE = 26,
    LABEL = 18,
    LABEL_NARROW = 10,
    NAME_FROM = 4,
    NAME_CUT_FROM = 9
};

struct lanes_picture {
    struct canvas *c;
    const struct timeline *t;
    const struct timeline_names *names;
    struct timeline_window w;
    uint32_t selected;
    int x, width; /* the columns of the cells */
};

/* --- one cell --- */

static uint32_t ascii_of(const struct timeline_cell *cell, double share)
{
    int third = (share > 0.33) + (share > 0.66);
    return (uint32_t)(cell->critical ? "+*#" : ".-=")[third];
}

/*
 * The character for a busy part of a cell: a left part in eighths, a right part in halves (Unicode
 * has no others), and a part in between by its height.
 */
static uint32_t busy_block_of(const struct timeline_cell *cell, uint64_t t0, uint64_t t1,
                              double share)
{
    int eighths = (int)(share * 8 + 0.5);
    bool left = cell->first == t0, right = cell->last == t1;
    eighths = eighths < 1 ? 1 : eighths;
    if (eighths >= 8)
        return 0x2588;
    if (cell->count == 1 && left)
        return 0x2590 - (uint32_t)eighths;
    if (cell->count == 1 && right)
        return eighths < 3 ? 0x2595 : 0x2590;
    return 0x2580 + (uint32_t)eighths;
}

static uint32_t shade_of(const struct timeline_cell *cell, double share)
{
    if (cell->count == 1)
        return share < 0.5 ? 0x2591 : 0x2592;
    if (share < 0.34)
        return 0x2591;
    return share < 0.67 ? 0x2592 : 0x2593;
}

static struct style lane_cell_style(const struct lanes_picture *p, const struct timeline_cell *cell)
{
    const struct graph *g = p->t->calls;
    /* the selected span is marked by the background, which a full block hides */
    if (cell->longest == p->selected)
        return STYLE(cell->critical ? STYLE_TITLE : STYLE_SELECTED);
    if (p->names && p->names->hit[g->name[cell->longest]])
        return (struct style){.role = STYLE_HOT, .bold = 1};
    return hue_of_work((enum node_kind)g->kind[cell->longest],
                       g->flags[cell->longest] & NODE_COLLECTIVE);
}

/* Draws a cell. edge: another span follows this one. */
static void draw_cell(const struct lanes_picture *p, int x, int y, const struct timeline_cell *cell,
                      uint64_t t0, uint64_t t1, bool edge)
{
    double share = t1 > t0 ? (double)cell->busy / (double)(t1 - t0) : 1;
    uint32_t ch = cell->critical ? busy_block_of(cell, t0, t1, share) : shade_of(cell, share);
    if (p->c->ascii)
        ch = ascii_of(cell, share);
    canvas_put(p->c, x, y, edge ? hue_edge(ch, p->c->ascii) : ch, lane_cell_style(p, cell));
}

/* Whether a cell is the last of several of a span, directly before the next span. */
static bool is_edge(const struct timeline_cell *cells, uint32_t x, uint32_t n)
{
    return x > 0 && x + 1 < n && cells[x - 1].longest == cells[x].longest && cells[x + 1].count &&
           cells[x + 1].longest != cells[x].longest;
}

/* --- a row --- */

/* Draws how much later the selected span could end. */
static void draw_slack(const struct lanes_picture *p, int y)
{
    const struct graph *g = p->t->calls;
    uint64_t slack = p->t->way->slack[p->selected], end = timeline_end(g, p->selected);
    if (slack == GRAPH_UNKNOWN || slack == 0 || timeline_is_critical(p->t, p->selected))
        return;
    uint64_t until = slack > UINT64_MAX - end ? UINT64_MAX : end + slack;
    for (int x = 0; x < p->width; x++) {
        uint64_t t0 = timeline_boundary(p->w.from, p->w.to, (uint32_t)x, (uint32_t)p->width);
        if (t0 >= end && t0 < until)
            canvas_put(p->c, p->x + x, y, 0x00b7, STYLE(STYLE_DIM));
    }
}

/* Draws the name of the span that fills cells [a, b), if it fits. cell: the first of them. */
static void draw_lane_span_name(const struct lanes_picture *p, int y, int a, int b,
                                const struct timeline_cell *cell)
{
    char brief[256], name[258];
    const char *text =
        graph_brief(p->t->calls, cell->longest, b - a - 3, p->c->ascii, brief, sizeof brief);
    if (b - a < NAME_FROM || (b - a < NAME_CUT_FROM && text_width(text) + 2 > b - a))
        return;
    int room = b - a - 1;
    bool gaps = !cell->critical; /* text on the colour of the span needs none */
    snprintf(name, sizeof name, "%s%.255s", gaps ? " " : "", text);
    int w = canvas_text(p->c, p->x + a + 1, y, room - 1, name, STYLE(STYLE_TEXT));
    if (gaps && w < room - 1)
        canvas_put(p->c, p->x + a + 1 + w++, y, ' ', STYLE(STYLE_TEXT));
    for (int x = a + 1; x < a + 1 + w; x++) {
        struct style st = lane_cell_style(p, &cell[x - a]);
        st.reverse = cell[x - a].critical;
        canvas_restyle(p->c, (struct rect){p->x + x, y, 1, 1}, st);
    }
}

static void draw_lane_row(const struct lanes_picture *p, int y, uint32_t row)
{
    struct timeline_cell cells[CELLS_MOST];
    uint32_t n = (uint32_t)p->width;
    timeline_cells(p->t, row, p->w.from, p->w.to, n, cells);
    if (p->selected != GRAPH_NONE && p->t->row_of[p->selected] == row)
        draw_slack(p, y);
    for (uint32_t x = 0; x < n; x++)
        if (cells[x].count)
            draw_cell(p, p->x + (int)x, y, &cells[x], timeline_boundary(p->w.from, p->w.to, x, n),
                      timeline_boundary(p->w.from, p->w.to, x + 1, n), is_edge(cells, x, n));
    for (uint32_t a = 0, b; a < n; a = b) {
        for (b = a + 1; b < n && cells[a].longest == cells[b].longest; b++) {
        }
        if (cells[a].longest != GRAPH_NONE)
            draw_lane_span_name(p, y, (int)a, (int)b, &cells[a]);
    }
}

/* --- labels and axis --- */

static void draw_lane_group(const struct lanes_picture *p, struct rect r,
                            const struct timeline_line *line, bool cursor)
{
    const struct timeline_group *g = &p->t->groups[line->group];
    struct style st = STYLE(cursor ? STYLE_SELECTED : STYLE_TITLE);
    char text[256];
    snprintf(text, sizeof text, "%s %.200s", line->folded ? "▸" : "▾",
             timeline_group_name(p->t, line->group));
    int w = canvas_text(p->c, r.x, r.y, r.w, text, st);
    if (line->folded)
        canvas_printf(p->c, r.x + w, r.y, r.w - w, STYLE(STYLE_DIM), "  %u lane%s folded",
                      g->nlanes, g->nlanes == 1 ? "" : "s");
    else if (r.w - w > 4)
        canvas_fill(p->c, (struct rect){r.x + w + 1, r.y, r.w - w - 1, 1}, 0x2500,
                    STYLE(STYLE_DIV));
}

static void draw_lane_label(const struct lanes_picture *p, int x, int y, int w,
                            const struct timeline_line *line, bool cursor)
{
    const struct timeline_lane *lane = &p->t->lanes[line->lane];
    bool first = line->row == lane->first_row;
    char more[16] = "";
    if (line->hidden)
        snprintf(more, sizeof more, "+%u", line->hidden);
    int m = (int)strlen(more);
    canvas_put(p->c, x, y, cursor ? 0x25b8 : ' ', STYLE(STYLE_HOT));
    if (first)
        canvas_text_ends(p->c, x + 2, y, w - 4 - (m ? m + 1 : 0),
                         timeline_lane_name(p->t, line->lane),
                         STYLE(cursor ? STYLE_TITLE : STYLE_TEXT));
    canvas_text(p->c, x + w - 2 - m, y, m, more, STYLE(STYLE_DIM));
    canvas_put(p->c, x + w - 1, y, 0x2502, STYLE(STYLE_DIV));
}

static void draw_lanes_axis(const struct lanes_picture *p, int y, int label)
{
    const struct timeline *t = p->t;
    char text[TIMELINE_TIME_MAX];
    uint64_t from = p->w.from - t->from, to = p->w.to - t->from;
    uint64_t step = timeline_tick(from, to, (uint32_t)p->width);
    canvas_text(p->c, p->x - label + 2, y, label - 3, "since begin", STYLE(STYLE_DIM));
    for (uint64_t at = from - from % step + (from % step ? step : 0); at < to; at += step) {
        double share = (double)(at - from) / (double)(to - from);
        int x = p->x + (int)(share * p->width), room = p->x + p->width - x;
        timeline_time(at, step, to, text);
        if (text_width(text) < room) {
            canvas_put(p->c, x, y, 0x2502, STYLE(STYLE_DIV));
            canvas_text(p->c, x + 1, y, room - 1, text, STYLE(STYLE_DIM));
        }
        if (step > UINT64_MAX - at)
            break;
    }
}

static void keep_in_sight(struct view_state *st, const struct timeline_lines *l, int room)
{
    int n = (int)l->n, cursor = (int)l->cursor, last = n > room ? n - room : 0;
    if (cursor < st->scroll)
        st->scroll = cursor;
    if (cursor >= st->scroll + room)
        st->scroll = cursor - room + 1;
    if (st->scroll > last)
        st->scroll = last;
    else if (st->scroll < 0)
        st->scroll = 0;
    st->rows = n;
    st->selected = cursor;
}

void timeline_draw_lanes(struct canvas *c, struct rect r, const struct timeline *t,
                         struct view_state *st, const struct timeline_names *names)
{
    int label = r.w >= 70 ? LABEL : LABEL_NARROW, room = r.h - 1;
    if (r.w >= 130)
        label = LABEL_WIDE;
    int width = r.w - label < CELLS_MOST ? r.w - label : CELLS_MOST;
    st->page = room > 0 ? room : 0;
    st->list = (struct rect){r.x, r.y + 1, r.w, st->page};
    ((struct timeline_state *)st->own)->cells = (struct rect){r.x + label, r.y + 1, width, room};
    if (room < 1 || width < 10)
        return;
    struct lanes_picture p = {
        c, t, names, timeline_window_of(t, st), timeline_selected(t, st), r.x + label, width};
    const struct timeline_lines *l = timeline_lines(t, st, room);
    keep_in_sight(st, l, room);
    draw_lanes_axis(&p, r.y, label);
    for (int i = 0; i < room && st->scroll + i < (int)l->n; i++) {
        const struct timeline_line *line = &l->lines[st->scroll + i];
        bool cursor = st->at && st->scroll + i == (int)l->cursor;
        int y = r.y + 1 + i;
        if (line->lane == GRAPH_NONE) {
            draw_lane_group(&p, (struct rect){r.x, y, r.w, 1}, line, cursor);
            continue;
        }
        draw_lane_label(&p, r.x, y, label, line, cursor);
        draw_lane_row(&p, y, line->row);
    }
    timeline_draw_arrows(c, ((struct timeline_state *)st->own)->cells, t, st, l);
    canvas_zone(c, (struct rect){r.x, r.y + 1, r.w, room}, ACTION_POINT_SPAN, 0);
}
