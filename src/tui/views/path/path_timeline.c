/*
 * Everything that ran during a pass, with one lane per thread and a hue for each name. The critical
 * path is solid, work that could wait is shaded, and its slack is a dotted line behind it. A bar
 * above the lanes shows the path itself.
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

static int cell_of(const struct scale *s, uint64_t t)
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

static bool is_lane(const struct brick_span *p)
{
    return p->kind == NODE_THREAD || p->kind == NODE_QUEUE;
}

static uint32_t glyph(const struct canvas *c, const struct brick_span *p)
{
    if (c->ascii)
        return p->critical ? '#' : '=';
    return p->critical ? 0x2588 : 0x2592;
}

/*
 * Draws cells [a, b) of a span, with its name if it fits. The last cell shows that the span ends
 * there.
 */
static void draw_block(struct canvas *c, const struct scale *s, int y, int a, int b,
                       const struct brick_span *p, bool selected)
{
    struct style st = selected                ? STYLE(STYLE_SELECTED)
                      : path_is_collective(p) ? hue_of_communication()
                                              : hue_of(p->name);
    uint32_t ch = glyph(c, p);
    canvas_fill(c, (struct rect){s->x + a, y, b - a, 1}, ch, st);
    if (b - a > 1)
        canvas_put(c, s->x + b - 1, y, hue_edge(ch, c->ascii), st);
    if (b - a < 5)
        return;
    st.reverse = p->critical && !selected;
    char name[256];
    bool shorten = s->briefs && p->kind == NODE_KERNEL;
    int room = b - a - 1 < BRIEF_FROM ? (int)sizeof name : b - a - 1;
    canvas_text(
        c, s->x + a, y, b - a - 1,
        shorten ? briefs_fit(s->briefs, p->name, room, c->ascii, name, sizeof name) : p->name, st);
}

static void draw_span(struct canvas *c, const struct scale *s, int y, const struct brick_span *p,
                      bool selected)
{
    if (p->start + p->duration < s->from || p->start > s->to)
        return;
    int a = cell_of(s, p->start), b = cell_of(s, p->start + p->duration);
    b = b > a ? b : a + 1;
    b = b > s->w ? s->w : b;
    draw_block(c, s, y, a, b, p, selected);
    /* a light trail shows how much later it could have ended */
    if (p->slack != GRAPH_UNKNOWN && p->slack > 0 && !p->critical && b < s->w) {
        int e = cell_of(s, p->start + p->duration + p->slack);
        e = e > s->w ? s->w : e;
        for (int x = b; x < e; x++)
            canvas_put(c, s->x + x, y, 0x00b7, STYLE(STYLE_DIM));
    }
}

/* Draws for each moment the innermost span of the path, of any lane. */
static void draw_bar(struct canvas *c, const struct brick_window *w, const struct scale *s, int y,
                     uint32_t selected)
{
    uint32_t inner[CELLS_MOST];
    int n = s->w < CELLS_MOST ? s->w : CELLS_MOST;
    memset(inner, 0xff, sizeof inner); /* GRAPH_NONE */
    for (uint32_t i = 0; i < w->nspans; i++) {
        const struct brick_span *p = &w->spans[i];
        if (!p->critical || is_lane(p) || p->start + p->duration < s->from || p->start > s->to)
            continue;
        int a = cell_of(s, p->start), b = cell_of(s, p->start + p->duration);
        for (int x = a; x < n && (x < b || x == a); x++)
            if (inner[x] == GRAPH_NONE || w->spans[inner[x]].depth <= p->depth)
                inner[x] = i;
    }
    for (int a = 0, b; a < n; a = b) {
        for (b = a + 1; b < n && inner[b] == inner[a]; b++) {
        }
        if (inner[a] != GRAPH_NONE)
            draw_block(c, s, y, a, b, &w->spans[inner[a]], inner[a] == selected);
    }
}

/* Draws a lane. Deeper spans cover shallower ones if there are fewer rows than depths. */
static void draw_lane(struct canvas *c, const struct brick_window *w, const struct scale *s, int y,
                      int rows, uint16_t lane, int least_depth, uint32_t selected)
{
    for (int pass = 0; pass < 2; pass++) /* spans cover the trails of slack */
        for (uint32_t i = 0; i < w->nspans; i++) {
            const struct brick_span *p = &w->spans[i];
            if (p->lane != lane || p->depth < least_depth || (pass == 0) != !p->critical ||
                is_lane(p)) /* the time between the spans of the lane */
                continue;
            int row = p->depth - least_depth;
            if (row < rows)
                draw_span(c, s, y + row, p, i == selected);
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
        int w = text_width(number), at = i == 0 ? x : i == 4 ? x - w + 1 : x - w / 2;
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
        draw_bar(c, w, &s, y++, selected);
    }
    int later = 0; /* rows for the lanes below */
    for (int l = 0; l < lanes; l++)
        later += path_depth(w, (uint16_t)l) + 1;
    for (int l = 0; l < lanes && y < r.y + r.h; l++) {
        int depth = path_depth(w, (uint16_t)l) + 1, left = r.y + r.h - y,
            share = left / (lanes - l);
        later -= depth;
        int rows = left - later > share ? left - later : share;
        rows = rows > depth ? depth : rows < 1 ? 1 : rows;
        canvas_text_ends(c, r.x, y, label - 1, w->lanes[l].name, STYLE(STYLE_DIM));
        draw_lane(c, w, &s, y, rows, (uint16_t)l, depth > rows ? depth - rows : 0, selected);
        y += rows;
    }
}
