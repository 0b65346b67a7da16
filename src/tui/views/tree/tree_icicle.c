/* The tree as a flame graph with the roots at the top; the width is the time. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "engine/graph/graph_flame.h"
#include "engine/trace/graph_brief.h"
#include "tui/views/tree/tree.h"
#include "tui/widgets/icicle.h"
#include "tui/widgets/table.h"

enum { NODES_MAX = 1 << 17 };

static void weigh_icicle_nodes(struct tree_icicle *made, const struct graph *g)
{
    if (made->serial == g->serial)
        return;
    uint32_t n = g->nnodes < NODES_MAX ? g->nnodes : NODES_MAX;
    made->nodes = xrealloc(made->nodes, n + 1u, sizeof *made->nodes);
    made->total = xrealloc(made->total, n + 1u, sizeof *made->total);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t p = g->parent[i];
        made->nodes[i] = (struct hot_node){.parent = p == GRAPH_NONE ? -1 : (int32_t)p};
    }
    graph_flame(g, made->total, n);
    made->serial = g->serial;
}

static uint32_t count_icicle_nodes(const struct tree_rows *t)
{
    return t->graph->nnodes < NODES_MAX ? t->graph->nnodes : NODES_MAX;
}

struct tree_drawing {
    const struct tree_rows *t;
    bool ascii;
};

static int32_t find_icicle_node(const void *ctx, uint64_t id)
{
    const struct tree_rows *t = ((const struct tree_drawing *)ctx)->t;
    uint32_t node = tree_node(t, id, NULL);
    while (node != GRAPH_NONE && node >= count_icicle_nodes(t))
        node = t->graph->parent[node];
    return node == GRAPH_NONE ? -1 : (int32_t)node;
}

static bool is_icicle_match(const void *ctx, int32_t node, const char *search)
{
    const struct tree_drawing *d = ctx;
    return table_contains(graph_name(d->t->graph, (uint32_t)node), search);
}

static void write_icicle_look(const void *ctx, int32_t node, int cells, struct icicle_look *out)
{
    const struct tree_drawing *d = ctx;
    const struct graph *g = d->t->graph;
    bool critical = d->t->critical[node];
    char name[200];
    snprintf(
        out->label, sizeof out->label, "%.200s%s",
        graph_brief(g, (uint32_t)node, critical ? cells - 2 : cells, d->ascii, name, sizeof name),
        critical ? " *" : "");
    out->level = g->kind[node] * 100 / NODE_KINDS;
}

static struct icicle_nodes icicle_nodes_of(struct tree_icicle *made, const struct tree_drawing *d)
{
    weigh_icicle_nodes(made, d->t->graph);
    return (struct icicle_nodes){{made->nodes, made->total, count_icicle_nodes(d->t), -1},
                                 d->t->id,
                                 find_icicle_node,
                                 is_icicle_match,
                                 write_icicle_look,
                                 d};
}

static void keep_cursor(struct view_state *st)
{
    tree_key(st->at, st->selected_key);
    st->follow = true;
}

void tree_icicle_draw(struct canvas *c, struct rect r, const struct tree_rows *t,
                      struct view_state *st)
{
    struct tree_icicle *made = &((struct tree_state *)st->own)->icicle;
    const struct tree_drawing d = {t, c->ascii};
    char label[256], number[VALUE_TEXT_MAX], name[256];
    if (r.h < 4 || r.w < 4)
        return;
    const struct icicle_nodes nodes = icicle_nodes_of(made, &d);
    r.h -= 2;
    const int32_t at = icicle_draw(c, r, &made->shown, &nodes, st);
    keep_cursor(st);
    canvas_fill(c, (struct rect){r.x, r.y + r.h, r.w, 1}, 0x2500, STYLE(STYLE_DIV));
    if (at < 0) {
        canvas_text(c, r.x, r.y + r.h + 1, r.w,
                    "width: time   ← → ↑ ↓ move   Enter zoom   Backspace zoom out   / search",
                    STYLE(STYLE_DIM));
        return;
    }
    uint32_t node = (uint32_t)at;
    tree_kind(t->graph, node, label, sizeof label);
    canvas_printf(
        c, r.x, r.y + r.h + 1, r.w, STYLE(STYLE_TEXT), "%s  %s  %s  %.1f %%",
        graph_brief(t->graph, node, r.w > 48 ? r.w - 36 : 12, c->ascii, name, sizeof name), label,
        value_time((double)made->total[node], c->ascii, number), tree_share(t, node));
}

bool tree_icicle_act(enum action a, const struct tree_rows *t, struct view_state *st)
{
    struct tree_icicle *made = &((struct tree_state *)st->own)->icicle;
    const struct tree_drawing d = {t, false};
    if (made->shown.w < 1 || t->graph->nnodes == 0)
        return false;
    const struct icicle_nodes nodes = icicle_nodes_of(made, &d);
    if (icicle_act(a, &made->shown, &nodes, st)) {
        keep_cursor(st);
        return true;
    }
    switch (a) {
    case ACTION_ZOOM_IN:
        icicle_zoom_in(&made->shown, &nodes, st);
        return true;
    case ACTION_ZOOM_OUT:
    case ACTION_BACK:
        return icicle_zoom_out(&nodes, st, a == ACTION_BACK);
    default:
        return false;
    }
}
