/*
 * Everything that ran during a pass, with one lane per thread and a hue for what a span does. What
 * is on the critical path is solid; work that could wait is shaded, and its slack is a dotted line
 * behind it. A bar above the lanes shows the path itself.
 */
#include <string.h>

#include "engine/code/kernel_brief.h"
#include "tui/views/path/path.h"
#include "tui/views/tree/tree.h"
#include "tui/widgets/hue.h"

enum { LABEL_W = 18, BAR_FROM = 5 /* rows */, CELLS_MOST = 1024, BRIEF_FROM = 16 };

struct scale {
    uint64_t from, to;
    int x, w;
    const struct briefs *briefs;
};

static int scale_cell_of(const struct scale *s, uint64_t t)
{
    if (t <= s->from)
        return 0;
    double share = (double)(t - s->from) / (double)(s->to - s->from);
    return share >= 1 ? s->w : (int)(share * s->w);
}

static struct scale choose_scale(const struct brick_window *win, int zoom, uint32_t selected, int x,
                                 int w)
{
    struct scale s = {.to = win->wall ? win->wall : 1, .x = x, .w = w};
    if (zoom == 0 || selected == GRAPH_NONE)
        return s;
    const struct brick_span *at = &win->spans[selected];
    uint64_t width = s.to >> zoom, middle = at->start + at->duration / 2;
    width = width ? width : 1;
    uint64_t from = middle > width / 2 ? middle - width / 2 : 0;
    from = from + width > s.to ? s.to - width : from;
    s.from = from;
    s.to = from + width;
    return s;
}

static bool is_lane_span(const struct brick_span *p)
{
    return p->kind == NODE_THREAD || p->kind == NODE_QUEUE;
}

static uint32_t path_block_glyph(const struct canvas *c, bool on_path)
{
    if (c->ascii)
        return on_path ? '#' : '=';
    return on_path ? 0x2588 : 0x2592;
}

static struct style span_style_of(const struct brick_span *p, bool selected)
{
    if (selected)
        return STYLE(STYLE_SELECTED);
    return hue_of_work((enum node_kind)p->kind, path_is_collective(p));
}

/* The number of cells that a time takes, at least one. */
struct cells {
    int from, to;
};

static struct cells cells_of(const struct scale *s, uint64_t start, uint64_t length)
{
    int a = scale_cell_of(s, start), b = scale_cell_of(s, start + length);
    a = a < s->w ? a : s->w - 1;
    return (struct cells){a, b > a ? b : a + 1};
}

static bool in_sight(const struct scale *s, uint64_t start, uint64_t length)
{
    return start + length >= s->from && start <= s->to;
}

/* Draws cells of a span. The last one shows that the span ends there. */
static void draw_block(struct canvas *c, const struct scale *s, int y, struct cells at,
                       struct style st, bool on_path)
{
    uint32_t ch = path_block_glyph(c, on_path);
    canvas_fill(c, (struct rect){s->x + at.from, y, at.to - at.from, 1}, ch, st);
    if (at.to - at.from > 1)
        canvas_put(c, s->x + at.to - 1, y, hue_edge(ch, c->ascii), st);
}

/* Draws the name of a span into its cells, if it fits: reversed where the cells are solid. */
static void draw_span_name(struct canvas *c, const struct scale *s, int y, struct cells at,
                           const struct brick_span *p, bool selected)
{
    int n = at.to - at.from, x = s->x + at.from;
    struct cell *cells = &c->cells[(size_t)y * (size_t)c->cols + (size_t)x];
    bool solid[CELLS_MOST];
    if (n < 5 || y >= c->rows || x + n > c->cols)
        return;
    for (int i = 0; i < n && i < CELLS_MOST; i++)
        solid[i] = cells[i].ch == path_block_glyph(c, true);
    char name[256];
    bool shorten = s->briefs && p->kind == NODE_KERNEL;
    int room = n - 1 < BRIEF_FROM ? (int)sizeof name : n - 1;
    int w = canvas_text(c, x, y, n - 1,
                        shorten ? briefs_fit(s->briefs, p->name, room, c->ascii, name, sizeof name)
                                : p->name,
                        span_style_of(p, selected));
    for (int i = 0; i < w && i < CELLS_MOST; i++)
        cells[i].style.reverse = solid[i] && !selected;
}

/* Draws a span that is not on the path, and a light trail for how much later it could have ended.
 */
static void draw_beside(struct canvas *c, const struct scale *s, int y, const struct brick_span *p,
                        bool selected)
{
    struct cells at = cells_of(s, p->start, p->duration);
    draw_block(c, s, y, at, span_style_of(p, selected), false);
    draw_span_name(c, s, y, at, p, selected);
    if (p->slack == GRAPH_UNKNOWN || p->slack == 0)
        return;
    int e = scale_cell_of(s, p->start + p->duration + p->slack);
    for (int x = at.to; x < e; x++)
        canvas_put(c, s->x + x, y, 0x00b7, STYLE(STYLE_DIM));
}

/* Draws for each cell the step of the path that takes most of it, of any lane. */
static void draw_path_bar(struct canvas *c, const struct brick_window *w, const struct scale *s,
                          int y, uint32_t selected)
{
    uint32_t most[CELLS_MOST];
    uint64_t length[CELLS_MOST] = {0};
    int n = s->w < CELLS_MOST ? s->w : CELLS_MOST;
    memset(most, 0xff, sizeof most); /* GRAPH_NONE */
    for (uint32_t i = 0; i < w->nsteps; i++) {
        if (is_lane_span(&w->spans[w->steps[i]]) || !in_sight(s, w->starts[i], w->lengths[i]))
            continue; /* the time between the spans of a lane stays empty */
        struct cells at = cells_of(s, w->starts[i], w->lengths[i]);
        uint64_t share = w->lengths[i] / (uint64_t)(at.to - at.from);
        for (int x = at.from; x < at.to && x < n; x++)
            if (most[x] == GRAPH_NONE || share > length[x]) {
                most[x] = w->steps[i];
                length[x] = share;
            }
    }
    for (int a = 0, b; a < n; a = b) {
        for (b = a + 1; b < n && most[b] == most[a]; b++) {
        }
        if (most[a] == GRAPH_NONE)
            continue;
        const struct brick_span *p = &w->spans[most[a]];
        draw_block(c, s, y, (struct cells){a, b}, span_style_of(p, most[a] == selected), true);
        draw_span_name(c, s, y, (struct cells){a, b}, p, most[a] == selected);
    }
}

/* A lane being drawn. */
struct lane_rows {
    uint16_t lane;
    int y, rows, least_depth;
};

/* The row in which a span is drawn; -1: none. */
static int row_of(const struct lane_rows *l, const struct scale *s, const struct brick_span *p)
{
    int row = p->depth - l->least_depth;
    return p->lane == l->lane && row >= 0 && row < l->rows && !is_lane_span(p) &&
                   in_sight(s, p->start, p->duration)
               ? l->y + row
               : -1;
}

static uint64_t clamp_span_time(uint64_t time, uint64_t first, uint64_t last)
{
    time = time < first ? first : time;
    return time > last ? last : time;
}

/* Draws that part of a span solid which a step of the path takes. */
static void draw_step(struct canvas *c, const struct scale *s, int y, const struct brick_span *p,
                      uint64_t start, uint64_t length, bool selected)
{
    uint64_t end = p->start + p->duration, from = clamp_span_time(start, p->start, end);
    length = clamp_span_time(start + length, p->start, end) - from;
    if (!in_sight(s, from, length))
        return;
    struct cells at = cells_of(s, from, length), whole = cells_of(s, p->start, p->duration);
    at.to = at.to < whole.to ? at.to : whole.to; /* a short step is widened to a cell of its span */
    at.from = at.from < at.to ? at.from : at.to - 1;
    draw_block(c, s, y, at, span_style_of(p, selected), true);
}

/* Draws a lane. If there are fewer rows than depths, the outermost spans are left out. */
static void draw_path_lane(struct canvas *c, const struct brick_window *w, const struct scale *s,
                           const struct lane_rows *l, uint32_t selected)
{
    for (int pass = 0; pass < 2; pass++) /* spans of the path cover the trails of slack */
        for (uint32_t i = 0; i < w->nspans; i++) {
            const struct brick_span *p = &w->spans[i];
            int y = row_of(l, s, p);
            if (y < 0 || (pass == 0) != !p->critical)
                continue;
            if (pass == 0)
                draw_beside(c, s, y, p, i == selected);
            else
                draw_block(c, s, y, cells_of(s, p->start, p->duration),
                           span_style_of(p, i == selected), false);
        }
    for (uint32_t i = 0; i < w->nsteps; i++) {
        const struct brick_span *p = &w->spans[w->steps[i]];
        int y = row_of(l, s, p);
        if (y >= 0)
            draw_step(c, s, y, p, w->starts[i], w->lengths[i], w->steps[i] == selected);
    }
    for (uint32_t i = 0; i < w->nspans; i++) {
        const struct brick_span *p = &w->spans[i];
        int y = row_of(l, s, p);
        if (y >= 0 && p->critical)
            draw_span_name(c, s, y, cells_of(s, p->start, p->duration), p, i == selected);
    }
}

int path_depth(const struct brick_window *w, uint16_t lane)
{
    int most = 0;
    for (uint32_t i = 0; i < w->nspans; i++)
        if (w->spans[i].lane == lane && w->spans[i].depth > most)
            most = w->spans[i].depth;
    return most;
}

static void draw_ruler(struct canvas *c, const struct scale *s, int y)
{
    char number[VALUE_TEXT_MAX];
    for (int i = 0; i <= 4; i++) {
        int x = s->x + i * (s->w - 1) / 4;
        value_time((double)s->from + (double)(s->to - s->from) * i / 4, c->ascii, number);
        int w = text_width(number), at = x - w / 2;
        if (i == 0)
            at = x;
        else if (i == 4)
            at = x - w + 1;
        canvas_text(c, at, y, w, number, STYLE(STYLE_DIM));
    }
}

void path_timeline(struct canvas *c, struct rect r, const struct brick_window *w,
                   const struct briefs *briefs, int zoom, uint32_t selected)
{
    int label = r.w >= 70 ? LABEL_W : 10, lanes = (int)w->nlanes, y = r.y + 1;
    struct scale s = choose_scale(w, zoom, selected, r.x + label, r.w - label);
    s.briefs = briefs;
    if (r.h < 2 || s.w < 10)
        return;
    draw_ruler(c, &s, r.y);
    if (r.h >= BAR_FROM) {
        canvas_text(c, r.x, y, label - 1, "critical path", STYLE(STYLE_TITLE));
        draw_path_bar(c, w, &s, y++, selected);
    }
    int later = 0; /* rows for the lanes below */
    for (int l = 0; l < lanes; l++)
        later += path_depth(w, (uint16_t)l) + 1;
    for (int l = 0; l < lanes && y < r.y + r.h; l++) {
        int depth = path_depth(w, (uint16_t)l) + 1, left = r.y + r.h - y,
            share = left / (lanes - l);
        later -= depth;
        int rows = left - later > share ? left - later : share;
        if (rows > depth)
            rows = depth;
        else if (rows < 1)
            rows = 1;
        canvas_text_ends(c, r.x, y, label - 1, w->lanes[l].name, STYLE(STYLE_DIM));
        draw_path_lane(c, w, &s,
                       &(struct lane_rows){(uint16_t)l, y, rows, depth > rows ? depth - rows : 0},
                       selected);
        y += rows;
    }
}
