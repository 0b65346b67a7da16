/* The flame graph, and details of the frame under the cursor. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "tui/views/functions/functions.h"
#include "tui/widgets/icicle.h"
#include "tui/widgets/table.h"

enum { ROWS_MAX = 256, DETAIL_ROWS = 3 };

struct functions_drawing {
    const struct functions *f;
    const struct view_state *st;
    bool any; /* the cursor is on the first row, which stands for all samples */
};

static void lay_out(const struct functions *f, const struct view_state *st, int w)
{
    struct functions_icicle *shown = &((struct functions_state *)st->own)->icicle;
    const struct hot_stacks *p = f->stacks;
    struct icicle ic = {p->nodes, f->node_total, p->nnodes, functions_node(f, st->zoom)};
    size_t need = (size_t)w * ROWS_MAX;
    if (need > shown->cap) {
        shown->cap = need;
        shown->cells = xrealloc(shown->cells, need, sizeof *shown->cells);
    }
    shown->w = w;
    shown->n = icicle_layout(&ic, w, ROWS_MAX, shown->cells);
}

/* The cell under the cursor: that of its frame, or of the nearest caller that has a cell. */
static const struct icicle_cell *cursor_cell(const struct functions *f, const struct view_state *st)
{
    const struct functions_icicle *shown = &((struct functions_state *)st->own)->icicle;
    int32_t node = functions_node(f, st->at);
    for (; node >= 0; node = f->stacks->nodes[node].parent)
        for (size_t i = 0; i < shown->n; i++)
            if (shown->cells[i].node == node)
                return &shown->cells[i];
    return &shown->cells[0];
}

static void put_cursor(const struct functions *f, struct view_state *st,
                       const struct icicle_cell *k)
{
    st->at = k->node >= 0 ? f->node_id[k->node] : 0;
}

static int module_level(const struct hot_symbol *s)
{
    if (s->where == HOT_KERNEL)
        return 100;
    return (int)(hash_text(0, s->module) % 8) * 10;
}

static void frame_look(const void *ctx, int32_t node, int cells, struct icicle_look *out)
{
    (void)cells;
    const struct functions_drawing *d = ctx;
    if (node == ICICLE_ALL) {
        snprintf(out->label, sizeof out->label, "all");
        out->cursor = d->any;
        return;
    }
    const struct hot_stacks *p = d->f->stacks;
    const struct hot_symbol *s = &p->symbols[p->nodes[node].symbol];
    const char *mark = functions_mark(s);
    snprintf(out->label, sizeof out->label, "%.200s%s%s", s->name, mark[0] ? " " : "", mark);
    out->level = module_level(s);
    out->cursor = !d->any && d->f->node_id[node] == d->st->at;
    out->hit = d->st->search[0] && functions_match(s, d->st->search);
}

static void draw_detail(struct canvas *c, struct rect r, const struct functions *f,
                        const struct icicle_cell *at)
{
    const struct hot_stacks *p = f->stacks;
    char source[256];
    canvas_fill(c, (struct rect){r.x, r.y, r.w, 1}, 0x2500, STYLE(STYLE_DIV));
    canvas_text(c, r.x, r.y, r.w, "width: share of the samples; siblings by name ",
                STYLE(STYLE_DIM));
    if (at->node < 0) {
        canvas_text(c, r.x, r.y + 1, r.w, "all samples", STYLE(STYLE_TITLE));
        canvas_text(c, r.x, r.y + 2, r.w,
                    "← → ↑ ↓ move   Enter zoom   Backspace, Esc zoom out   v code   / search",
                    STYLE(STYLE_DIM));
        return;
    }
    const struct hot_symbol *s = &p->symbols[p->nodes[at->node].symbol];
    uint64_t self = p->nodes[at->node].self, total = f->node_total[at->node];
    canvas_text(c, r.x, r.y + 1, r.w, s->name, STYLE(STYLE_TITLE));
    int x = r.x, end = r.x + r.w;
    x += canvas_printf(c, x, r.y + 2, end - x, STYLE(STYLE_TEXT),
                       "total %.1f %% (%" PRIu64 ")  self %.1f %% (%" PRIu64 ")",
                       functions_percent(f->stacks, total), total,
                       functions_percent(f->stacks, self), self);
    functions_source(s, source, sizeof source);
    canvas_printf(c, x, r.y + 2, end - x, STYLE(STYLE_DIM), "  %s%s%s%s", s->module,
                  s->inlined ? ", inlined" : "", source[0] ? "  " : "", source);
}

/*
 * For n and N: goes to the next cell whose frame matches, from the cursor on and then from the
 * start.
 */
static void find_cell(const struct functions *f, struct view_state *st)
{
    const struct functions_icicle *shown = &((struct functions_state *)st->own)->icicle;
    int step = st->find, n = (int)shown->n, from = (int)(cursor_cell(f, st) - shown->cells);
    st->find = 0;
    for (int k = step == 2 ? 0 : 1; st->search[0] && k <= n; k++) {
        const struct icicle_cell *at = &shown->cells[((from + (step > 0 ? k : -k)) % n + n) % n];
        if (at->node >= 0 &&
            functions_match(&f->stacks->symbols[f->stacks->nodes[at->node].symbol], st->search)) {
            put_cursor(f, st, at);
            return;
        }
    }
}

void functions_icicle_draw(struct canvas *c, struct rect r, const struct functions *f,
                           struct view_state *st)
{
    const struct functions_icicle *shown = &((struct functions_state *)st->own)->icicle;
    if (r.h < DETAIL_ROWS + 2 || r.w < 4)
        return;
    struct rect detail = {r.x, r.y + r.h - DETAIL_ROWS, r.w, DETAIL_ROWS};
    r.h -= DETAIL_ROWS;
    if (st->zoom && functions_node(f, st->zoom) < 0)
        st->zoom = 0; /* the frame is in no stack any more */
    lay_out(f, st, r.w);
    if (st->point > 0 && (size_t)st->point <= shown->n)
        put_cursor(f, st, &shown->cells[st->point - 1]);
    st->point = 0;
    if (st->find)
        find_cell(f, st);
    const struct icicle_cell *at = cursor_cell(f, st);
    put_cursor(f, st, at);
    st->page = r.h;
    st->scroll = icicle_scroll(shown->cells, shown->n, at->depth, r.h, st->scroll, &st->rows);
    st->list = (struct rect){0}; /* the mouse clicks on frames here, not on rows */
    struct functions_drawing d = {f, st, at->node < 0};
    icicle_draw(c, r, shown->cells, shown->n, st->scroll, frame_look, &d);
    if (st->rows > r.h)
        canvas_printf(c, r.x + r.w - 24, detail.y, 24, STYLE(STYLE_DIM), " rows %d-%d of %d ",
                      st->scroll + 1, st->scroll + r.h, st->rows);
    draw_detail(c, detail, f, at);
}

/* --- moving --- */

static bool zoom_out(const struct functions *f, struct view_state *st, bool all)
{
    int32_t node = functions_node(f, st->zoom);
    if (node < 0)
        return false;
    int32_t parent = f->stacks->nodes[node].parent;
    st->zoom = all || parent < 0 ? 0 : f->node_id[parent];
    return true;
}

bool functions_icicle_act(enum action a, const struct functions *f, struct view_state *st)
{
    const struct functions_icicle *shown = &((struct functions_state *)st->own)->icicle;
    if (shown->w < 1 || !f->stacks->nnodes)
        return false;
    /* compute the layout again, because the profile may have changed since the last draw */
    lay_out(f, st, shown->w);
    const struct icicle_cell *at = cursor_cell(f, st),
                             *to = icicle_move(shown->cells, shown->n, at, a, st->page);
    if (to) {
        put_cursor(f, st, to);
        return true;
    }
    switch (a) {
    case ACTION_OPEN_FUNCTION:
        st->zoom = at->node >= 0 ? f->node_id[at->node] : 0;
        return true;
    case ACTION_ZOOM_OUT:
        zoom_out(f, st, false);
        return true;
    case ACTION_BACK:
        return !st->search[0] && zoom_out(f, st, true);
    case ACTION_SEARCH_NEXT:
    case ACTION_SEARCH_PREV:
        st->find = a == ACTION_SEARCH_NEXT ? 1 : -1;
        return true;
    case ACTION_SORT_NEXT: /* there is only one order: by name, so that frames keep their places */
    case ACTION_SORT_PREV:
    case ACTION_SORT_REVERSE:
    case ACTION_FOLD:
    case ACTION_UNFOLD:
        return true;
    default:
        return false;
    }
}
