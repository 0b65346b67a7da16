/* The tree as a flame graph with the roots at the top; the width is the time. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "engine/trace/graph_brief.h"
#include "tui/views/tree/tree.h"
#include "tui/widgets/icicle.h"
#include "tui/widgets/table.h"

enum { ROWS_MAX = 256, NODES_MAX = 1 << 17 };

/*
 * Computes the width of each node: its time, or that of its children if it is longer, as with other
 * threads or devices.
 */
static void weigh(struct tree_icicle *shown, const struct graph *g)
{
    if (shown->serial == g->serial)
        return;
    uint32_t n = g->nnodes < NODES_MAX ? g->nnodes : NODES_MAX;
    shown->nodes = xrealloc(shown->nodes, n + 1u, sizeof *shown->nodes);
    shown->total = xrealloc(shown->total, n + 1u, sizeof *shown->total);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t p = g->parent[i];
        shown->nodes[i] = (struct hot_node){.parent = p == GRAPH_NONE ? -1 : (int32_t)p};
        shown->total[i] = 0;
    }
    for (uint32_t i = n; i-- > 0;) { /* children have higher numbers, so their sum is complete */
        uint64_t own = g->duration[i] == GRAPH_UNKNOWN ? 0 : g->duration[i];
        shown->total[i] = own > shown->total[i] ? own : shown->total[i];
        if (g->parent[i] != GRAPH_NONE)
            shown->total[g->parent[i]] += shown->total[i];
    }
    shown->serial = g->serial;
}

static void lay_out(const struct tree_rows *t, const struct view_state *st, int w)
{
    struct tree_icicle *shown = &((struct tree_state *)st->own)->icicle;
    weigh(shown, t->graph);
    uint32_t zoom = tree_node(t, st->zoom, NULL), n = t->graph->nnodes;
    struct icicle ic = {shown->nodes, shown->total, n < NODES_MAX ? n : NODES_MAX,
                        zoom == GRAPH_NONE ? -1 : (int32_t)zoom};
    size_t need = (size_t)w * ROWS_MAX;
    if (need > shown->cap) {
        shown->cap = need;
        shown->cells = xrealloc(shown->cells, need, sizeof *shown->cells);
    }
    shown->w = w;
    shown->n = icicle_layout(&ic, w, ROWS_MAX, shown->cells);
}

static const struct icicle_cell *cursor_cell(const struct tree_rows *t, const struct view_state *st)
{
    const struct tree_icicle *shown = &((struct tree_state *)st->own)->icicle;
    for (uint32_t node = tree_node(t, st->at, NULL); node != GRAPH_NONE;
         node = t->graph->parent[node])
        for (size_t i = 0; i < shown->n; i++)
            if (shown->cells[i].node == (int32_t)node)
                return &shown->cells[i];
    return &shown->cells[0];
}

static void put_cursor(const struct tree_rows *t, struct view_state *st,
                       const struct icicle_cell *k)
{
    st->at = k->node >= 0 ? t->id[k->node] : 0;
    tree_key(st->at, st->selected_key);
    st->follow = true;
}

struct tree_drawing {
    const struct tree_rows *t;
    const struct view_state *st;
    bool all, ascii;
};

static void node_look(const void *ctx, int32_t node, int cells, struct icicle_look *out)
{
    const struct tree_drawing *d = ctx;
    if (node == ICICLE_ALL) {
        snprintf(out->label, sizeof out->label, "all");
        out->cursor = d->all;
        return;
    }
    const struct graph *g = d->t->graph;
    bool critical = d->t->critical[node];
    char name[200];
    snprintf(
        out->label, sizeof out->label, "%.200s%s",
        graph_brief(g, (uint32_t)node, critical ? cells - 2 : cells, d->ascii, name, sizeof name),
        critical ? " *" : "");
    out->level = g->kind[node] * 100 / NODE_KINDS;
    out->cursor = !d->all && d->t->id[node] == d->st->at;
    out->hit = d->st->search[0] && table_contains(graph_name(g, (uint32_t)node), d->st->search);
}

static void find_cell(const struct tree_rows *t, struct view_state *st)
{
    const struct tree_icicle *shown = &((struct tree_state *)st->own)->icicle;
    int step = st->find, n = (int)shown->n, from = (int)(cursor_cell(t, st) - shown->cells);
    st->find = 0;
    for (int k = step == 2 ? 0 : 1; st->search[0] && k <= n; k++) {
        const struct icicle_cell *at = &shown->cells[((from + (step > 0 ? k : -k)) % n + n) % n];
        if (at->node >= 0 && table_contains(graph_name(t->graph, (uint32_t)at->node), st->search)) {
            put_cursor(t, st, at);
            return;
        }
    }
}

void tree_icicle_draw(struct canvas *c, struct rect r, const struct tree_rows *t,
                      struct view_state *st)
{
    const struct tree_icicle *shown = &((struct tree_state *)st->own)->icicle;
    char label[256], number[VALUE_TEXT_MAX], name[256];
    if (r.h < 4 || r.w < 4)
        return;
    if (st->zoom && tree_node(t, st->zoom, NULL) == GRAPH_NONE)
        st->zoom = 0;
    r.h -= 2;
    lay_out(t, st, r.w);
    if (st->point > 0 && (size_t)st->point <= shown->n)
        put_cursor(t, st, &shown->cells[st->point - 1]);
    st->point = 0;
    if (st->find)
        find_cell(t, st);
    const struct icicle_cell *at = cursor_cell(t, st);
    put_cursor(t, st, at);
    st->page = r.h;
    st->scroll = icicle_scroll(shown->cells, shown->n, at->depth, r.h, st->scroll, &st->rows);
    st->list = (struct rect){0};
    struct tree_drawing d = {t, st, at->node < 0, c->ascii};
    icicle_draw(c, r, shown->cells, shown->n, st->scroll, node_look, &d);
    canvas_fill(c, (struct rect){r.x, r.y + r.h, r.w, 1}, 0x2500, STYLE(STYLE_DIV));
    if (at->node < 0) {
        canvas_text(c, r.x, r.y + r.h + 1, r.w,
                    "width: time   ← → ↑ ↓ move   Enter zoom   Backspace zoom out   / search",
                    STYLE(STYLE_DIM));
        return;
    }
    uint32_t node = (uint32_t)at->node;
    tree_kind(t->graph, node, label, sizeof label);
    canvas_printf(
        c, r.x, r.y + r.h + 1, r.w, STYLE(STYLE_TEXT), "%s  %s  %s  %.1f %%",
        graph_brief(t->graph, node, r.w > 48 ? r.w - 36 : 12, c->ascii, name, sizeof name), label,
        value_time((double)shown->total[node], c->ascii, number), tree_share(t, node));
}

/* --- moving --- */

bool tree_icicle_act(enum action a, const struct tree_rows *t, struct view_state *st)
{
    const struct tree_icicle *shown = &((struct tree_state *)st->own)->icicle;
    if (shown->w < 1 || t->graph->nnodes == 0)
        return false;
    lay_out(t, st, shown->w);
    const struct icicle_cell *at = cursor_cell(t, st);
    const struct icicle_cell *to = icicle_move(shown->cells, shown->n, at, a, st->page);
    if (to) {
        put_cursor(t, st, to);
        return true;
    }
    switch (a) {
    case ACTION_ZOOM_IN:
        st->zoom = at->node >= 0 ? t->id[at->node] : 0;
        return true;
    case ACTION_ZOOM_OUT:
    case ACTION_BACK: {
        uint32_t zoom = tree_node(t, st->zoom, NULL);
        if (zoom == GRAPH_NONE)
            return false;
        uint32_t parent = t->graph->parent[zoom];
        st->zoom = a == ACTION_BACK || parent == GRAPH_NONE ? 0 : t->id[parent];
        return true;
    }
    case ACTION_SEARCH_NEXT:
    case ACTION_SEARCH_PREV:
        st->find = a == ACTION_SEARCH_NEXT ? 1 : -1;
        return true;
    default:
        return false;
    }
}
