/* Which rows of the execution tree are visible, and in which order. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/list.h"
#include "tui/views/tree/tree.h"

enum { WHOLE = 2000, OPEN_DEPTH = 2 }; /* larger trees start folded below this depth */

struct graph_item tree_item(const struct tree_rows *t, uint32_t node)
{
    return (struct graph_item){.g = t->graph,
                               .node = node,
                               .root = GRAPH_NONE,
                               .total = t->total,
                               .critical = t->critical};
}

void tree_made_free(struct tree_made *made)
{
    free(made->t.id);
    free(made->t.critical);
    free(made->t.rows);
    free(made->hit);
    free(made->order);
    free(made->stack.at);
}

/*
 * Whether a node of this depth starts open: large trees start folded. view_state.folded has the
 * nodes that the user changed.
 */
static bool tree_starts_open(const struct graph *g, const struct view_state *st, uint32_t depth)
{
    if (st->level)
        return depth + 1 < (uint32_t)st->level;
    return g->nnodes <= WHOLE || depth < OPEN_DEPTH;
}

static uint32_t node_depth_of(const struct graph *g, uint32_t node)
{
    uint32_t d = 0;
    while ((node = g->parent[node]) != GRAPH_NONE)
        d++;
    return d;
}

bool tree_is_open(const struct tree_rows *t, const struct view_state *st, uint32_t node)
{
    bool exception = view_folded(st, t->id[node]);
    return tree_starts_open(t->graph, st, node_depth_of(t->graph, node)) != exception;
}

void tree_set_open(const struct tree_rows *t, struct view_state *st, uint32_t node, bool open)
{
    bool starts = tree_starts_open(t->graph, st, node_depth_of(t->graph, node));
    view_set_folded(st, t->id[node], open != starts);
}

uint64_t tree_id_of_key(const char *key)
{
    return strncmp(key, "n:", 2) == 0 ? strtoull(key + 2, NULL, 16) : 0;
}

void tree_key(uint64_t id, char out[VIEW_TEXT_MAX])
{
    snprintf(out, VIEW_TEXT_MAX, "n:%016" PRIx64, id);
}

/* --- identities --- */

/* Adds the kernel's shape to the identity, because kernels of different shapes differ. */
static uint64_t mix_detail(uint64_t h, const struct graph *g, uint32_t node)
{
    if (g->detail[node] == GRAPH_NONE)
        return h;
    const struct graph_detail *d = &g->details[g->detail[node]];
    if (g->kind[node] == NODE_KERNEL) {
        for (int i = 0; i < 3; i++)
            h = hash_number(h, (uint64_t)d->kernel.grid[i] << 32 | d->kernel.block[i]);
        h = hash_number(h, d->kernel.hash ^ d->kernel.shared_bytes);
    } else if (g->kind[node] == NODE_PROGRAM) {
        h = hash_number(h, (uint64_t)d->thread.id);
    } else if (g->kind[node] == NODE_TRANSFER) {
        h = hash_text(h, d->transfer.from == GRAPH_NONE ? "" : graph_text(g, d->transfer.from));
        h = hash_text(h, d->transfer.to == GRAPH_NONE ? "" : graph_text(g, d->transfer.to));
    }
    return h;
}

static void identify_tree_nodes(struct tree_rows *t)
{
    const struct graph *g = t->graph;
    uint64_t *name = xcalloc(g->nnames + 1u, sizeof *name);
    for (uint32_t i = 0; i < g->nnames; i++)
        name[i] = hash_text(0, graph_text(g, i));
    t->total = 0;
    for (uint32_t i = 0; i < g->nnodes; i++) {
        uint64_t h = g->parent[i] == GRAPH_NONE ? 7 : t->id[g->parent[i]];
        h = hash_number(hash_number(h, name[g->name[i]]), g->kind[i]);
        t->id[i] = mix_detail(h, g, i);
        t->id[i] += t->id[i] == 0; /* 0 means none */
        if (g->parent[i] == GRAPH_NONE && g->duration[i] != GRAPH_UNKNOWN)
            t->total += g->duration[i];
        t->critical[i] = false;
    }
    free(name);
    const struct brick_window *w = &t->bricks->window;
    for (uint32_t i = 0; i < w->nsteps; i++)
        for (uint32_t n = w->spans[w->steps[i]].node; n < g->nnodes && !t->critical[n];
             n = g->parent[n])
            t->critical[n] = true;
}

double tree_share(const struct tree_rows *t, uint32_t node)
{
    const struct graph_item item = tree_item(t, node);
    return graph_share(&item);
}

/* --- order --- */

struct tree_order {
    const struct graph *g;
    const struct list_field *field;
    bool reverse;
};

static int compare_tree_siblings(const void *a, const void *b, void *ctx)
{
    const struct tree_order *by = ctx;
    const struct graph_item x = {.g = by->g, .node = *(const uint32_t *)a},
                            y = {.g = by->g, .node = *(const uint32_t *)b};
    int c = list_field_compare(by->field, &x, &y);
    if (!c)
        return (x.node > y.node) - (x.node < y.node);
    return by->reverse ? -c : c;
}

/* Pushes the visible children of a node (GRAPH_NONE: the roots); the first one is on top. */
static void push_children(struct tree_made *made, const struct tree_order *by, uint32_t node,
                          uint16_t depth, uint32_t above)
{
    struct tree_stack *s = &made->stack;
    const struct graph *g = by->g;
    size_t n = 0;
    uint32_t first = node == GRAPH_NONE ? g->first_root : g->first_child[node];
    for (uint32_t c = first; c != GRAPH_NONE; c = g->next_sibling[c]) {
        if (!made->hit[c])
            continue;
        LIST_ADD(made->order, n, made->order_cap, c);
    }
    if (n > 1 && (by->field != &graph_fields[GRAPH_FIELD_id] || by->reverse))
        qsort_r(made->order, n, sizeof *made->order, compare_tree_siblings, (void *)by);
    for (size_t i = n; i-- > 0;) {
        LIST_ROOM(s->at, s->n, s->cap);
        uint32_t bit = UINT32_C(1) << depth % 32;
        s->at[s->n++] = (struct tree_row){.node = made->order[i],
                                          .depth = depth,
                                          .last = i + 1 == n,
                                          .ended = (above & ~bit) | (i + 1 == n ? bit : 0)};
    }
}

static void collect_nodes(struct tree_rows *t, const struct view_state *st)
{
    struct tree_made *made = &((struct tree_state *)st->own)->made;
    const struct tree_order by = {t->graph, list_fields_sort(graph_fields, st->sort), st->reverse};
    struct tree_stack *s = &made->stack;
    t->nrows = s->n = 0;
    push_children(made, &by, GRAPH_NONE, 0, 0);
    while (s->n) {
        struct tree_row row = s->at[--s->n];
        row.parent = t->graph->first_child[row.node] != GRAPH_NONE;
        row.open = row.parent &&
                   tree_starts_open(t->graph, st, row.depth) != view_folded(st, t->id[row.node]);
        LIST_ADD(t->rows, t->nrows, made->rows_cap, row);
        if (row.open)
            push_children(made, &by, row.node, row.depth < UINT16_MAX ? row.depth + 1 : row.depth,
                          row.ended);
    }
}

/* Filters the nodes. The ancestors of a matching node are shown too. */
static void filter_tree_nodes(struct tree_rows *t, const struct view_state *st)
{
    struct tree_made *made = &((struct tree_state *)st->own)->made;
    const struct graph *g = t->graph;
    for (uint32_t i = 0; i < g->nnodes; i++) {
        const struct graph_item item = tree_item(t, i);
        made->hit[i] = !st->query || query_match(st->query, &item);
    }
    for (uint32_t i = g->nnodes; st->query && i-- > 0;)
        if (made->hit[i] && g->parent[i] != GRAPH_NONE)
            made->hit[g->parent[i]] = true;
}

static uint64_t hash_tree_state(const struct view_state *st)
{
    uint64_t h = hash_number(hash_number(hash_number(1, (uint64_t)st->sort), st->reverse),
                             (uint64_t)st->level);
    h = hash_text(h, st->query ? st->filter : "");
    for (int i = 0; i < VIEW_FOLDED_MAX; i++)
        h = hash_number(h, st->folded[i]);
    return h;
}

const struct tree_rows *tree_rows(const struct bricks *b, const struct view_state *st)
{
    struct tree_made *made = &((struct tree_state *)st->own)->made;
    struct tree_rows *t = &made->t;
    uint64_t state = hash_tree_state(st), passed = hash_text(3, st->query ? st->filter : "");
    bool same = made->serial == b->tree->serial;
    t->bricks = b;
    t->graph = b->tree;
    if (same && made->state == state)
        return t;
    if (b->tree->nnodes > made->nodes_cap) {
        made->nodes_cap = b->tree->nnodes;
        t->id = xrealloc(t->id, made->nodes_cap, sizeof *t->id);
        t->critical = xrealloc(t->critical, made->nodes_cap, sizeof *t->critical);
        made->hit = xrealloc(made->hit, made->nodes_cap, sizeof *made->hit);
    }
    if (!same)
        identify_tree_nodes(t);
    if (!same || made->filter != passed) /* folding does not change it */
        filter_tree_nodes(t, st);
    collect_nodes(t, st);
    made->serial = b->tree->serial;
    made->state = state;
    made->filter = passed;
    return t;
}

uint32_t tree_node(const struct tree_rows *t, uint64_t id, int *row)
{
    uint32_t node = GRAPH_NONE;
    for (uint32_t i = 0; id && i < t->graph->nnodes && node == GRAPH_NONE; i++)
        if (t->id[i] == id)
            node = i;
    if (row) {
        *row = -1;
        for (size_t i = 0; node != GRAPH_NONE && i < t->nrows && *row < 0; i++)
            if (t->rows[i].node == node)
                *row = (int)i;
    }
    return node;
}

/*
 * Finds the row of each node, or of the folded row that contains it. Parents come before their
 * children.
 */
static void place_nodes(const struct tree_made *made, const struct tree_rows *t, uint64_t *at)
{
    const struct graph *g = t->graph;
    for (uint32_t i = 0; i < g->nnodes; i++)
        at[i] = GRAPH_UNKNOWN;
    for (size_t i = 0; i < t->nrows; i++)
        at[t->rows[i].node] = (uint64_t)i << 32;
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (at[i] == GRAPH_UNKNOWN && made->hit[i] && g->parent[i] != GRAPH_NONE)
            at[i] = (at[g->parent[i]] & ~(uint64_t)UINT32_MAX) | (i + 1);
}

uint32_t tree_nearest(const struct tree_rows *t, const struct view_state *st, int step,
                      bool (*wanted)(const struct tree_rows *t, const struct view_state *st,
                                     uint32_t node))
{
    const struct tree_made *made = &((struct tree_state *)st->own)->made;
    const struct graph *g = t->graph;
    uint32_t cursor = tree_node(t, st->at, NULL), best = GRAPH_NONE, around = GRAPH_NONE;
    uint64_t *at = xcalloc(g->nnodes + 1u, sizeof *at);
    place_nodes(made, t, at);
    uint64_t from = cursor == GRAPH_NONE ? 0 : at[cursor];
    for (uint32_t i = 0; i < g->nnodes; i++) {
        if (i == cursor || !made->hit[i] || !wanted(t, st, i))
            continue;
        bool ahead = step > 0 ? at[i] >= from : at[i] < from;
        uint32_t *kept = ahead ? &best : &around;
        if (*kept == GRAPH_NONE || (step > 0 ? at[i] < at[*kept] : at[i] > at[*kept]))
            *kept = i;
    }
    free(at);
    return best != GRAPH_NONE ? best : around;
}

void tree_go_to(const struct tree_rows *t, struct view_state *st, uint32_t node)
{
    for (uint32_t p = t->graph->parent[node]; p != GRAPH_NONE; p = t->graph->parent[p])
        if (!tree_is_open(t, st, p))
            tree_set_open(t, st, p, true);
    st->at = t->id[node];
    st->follow = true;
    tree_key(st->at, st->selected_key);
}
