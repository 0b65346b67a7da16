#include "engine/graph/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/hash_table.h"
#include "engine/graph/graph_clocks.h"
#include "engine/graph/graph_counters.h"
#include "engine/graph/graph_syscalls.h"
#include "engine/value/histogram.h"

/* Members that only this file uses. */
struct graph_private {
    int refs;
    uint32_t nodes_cap, edges_cap, details_cap, works_cap, extras_cap, histograms_cap;
    uint32_t *offset; /* of each name in text */
    uint32_t names_cap;
    char *text;
    size_t text_used, text_cap;
    struct hash_table names;
    struct hash_table kernels; /* details of kernels */
    uint32_t last_kernel;      /* the detail that was set last */
};

enum { TEXT_MAX = 1 << 30, FIRST = 64 };

/* Makes room for one more element; doubles the capacity, up to limit. */
static bool grow_capacity(uint32_t n, uint32_t *cap, uint32_t limit)
{
    if (n < *cap)
        return false;
    uint64_t more = *cap ? (uint64_t)*cap * 2 : FIRST;
    *cap = more < limit ? (uint32_t)more : limit;
    return true;
}

struct graph *graph_new(void)
{
    static uint64_t serials;
    struct graph *g = xcalloc(1, sizeof *g);
    g->serial = __atomic_add_fetch(&serials, 1, __ATOMIC_RELAXED);
    g->priv = xcalloc(1, sizeof *g->priv);
    g->priv->refs = 1;
    g->priv->last_kernel = GRAPH_NONE;
    g->first_root = GRAPH_NONE;
    return g;
}

struct graph *graph_ref(const struct graph *g)
{
    __atomic_fetch_add(&g->priv->refs, 1, __ATOMIC_RELAXED);
    return (struct graph *)g;
}

void graph_unref(const struct graph *shared)
{
    struct graph *g = (struct graph *)shared;
    if (!g || __atomic_sub_fetch(&g->priv->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    void *arrays[] = {g->kind,      g->category, g->flags,     g->name,         g->parent,
                      g->via,       g->start,    g->duration,  g->detail,       g->work,
                      g->details,   g->works,    g->extras,    g->first_child,  g->next_sibling,
                      g->edge_from, g->edge_to,  g->edge_kind, g->priv->offset, g->priv->text};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    for (uint32_t i = 0; i < g->nhistograms; i++) {
        histogram_free(g->histograms[i]);
        free(g->histograms[i]);
    }
    free(g->histograms);
    graph_clocks_free(g->clocks);
    graph_counters_free(g->counters);
    graph_syscalls_free(g->syscalls);
    hash_table_free(&g->priv->names);
    hash_table_free(&g->priv->kernels);
    free(g->priv);
    free(g);
}

/* --- names --- */

const char *graph_text(const struct graph *g, uint32_t name)
{
    return name < g->nnames ? g->priv->text + g->priv->offset[name] : "";
}

static uint32_t append_graph_name(struct graph *g, const char *text, size_t n)
{
    struct graph_private *p = g->priv;
    if (p->text_used + n + 1 > TEXT_MAX)
        return g->nnames ? 0 : GRAPH_NONE;
    while (p->text_used + n + 1 > p->text_cap) {
        p->text_cap = p->text_cap ? p->text_cap * 2 : 1024;
        p->text = xrealloc(p->text, p->text_cap, 1);
    }
    if (grow_capacity(g->nnames, &p->names_cap, UINT32_MAX / 2))
        p->offset = xrealloc(p->offset, p->names_cap, sizeof *p->offset);
    p->offset[g->nnames] = (uint32_t)p->text_used;
    memcpy(p->text + p->text_used, text, n + 1);
    p->text_used += n + 1;
    return g->nnames++;
}

uint32_t graph_intern(struct graph *g, const char *text)
{
    struct graph_private *p = g->priv;
    size_t n = strlen(text);
    uint64_t hash = hash_bytes(0, text, n);
    HASH_EACH (&p->names, hash, i)
        if (strcmp(p->text + p->offset[i], text) == 0)
            return i;
    uint32_t before = g->nnames, name = append_graph_name(g, text, n);
    if (g->nnames > before)
        hash_table_add(&p->names, hash, name);
    return name;
}

/* --- nodes and edges --- */

#define RESIZE(array, cap) ((array) = xrealloc((array), (cap), sizeof *(array)))

static void grow_nodes(struct graph *g)
{
    uint32_t cap = g->priv->nodes_cap;
    RESIZE(g->kind, cap);
    RESIZE(g->category, cap);
    RESIZE(g->flags, cap);
    RESIZE(g->name, cap);
    RESIZE(g->parent, cap);
    RESIZE(g->via, cap);
    RESIZE(g->start, cap);
    RESIZE(g->duration, cap);
    RESIZE(g->detail, cap);
    if (g->work)
        RESIZE(g->work, cap);
}

static void grow_edges(struct graph *g)
{
    RESIZE(g->edge_from, g->priv->edges_cap);
    RESIZE(g->edge_to, g->priv->edges_cap);
    RESIZE(g->edge_kind, g->priv->edges_cap);
}

uint32_t graph_add(struct graph *g, enum node_kind kind, uint32_t name, uint32_t parent,
                   enum edge_kind via, uint64_t start, uint64_t duration)
{
    uint32_t i = g->nnodes;
    if (i >= GRAPH_MAX_NODES || (parent != GRAPH_NONE && parent >= i))
        return GRAPH_NONE;
    if (grow_capacity(i, &g->priv->nodes_cap, GRAPH_MAX_NODES))
        grow_nodes(g);
    g->kind[i] = (uint8_t)kind;
    g->category[i] = CATEGORY_OTHER;
    g->flags[i] = 0;
    g->name[i] = name;
    g->parent[i] = parent;
    g->via[i] = (uint8_t)via;
    g->start[i] = start;
    g->duration[i] = duration;
    g->detail[i] = GRAPH_NONE;
    if (g->work)
        g->work[i] = GRAPH_NONE;
    g->nnodes++;
    return i;
}

struct graph_detail *graph_detail(struct graph *g, uint32_t node)
{
    if (g->detail[node] == GRAPH_NONE) {
        if (grow_capacity(g->ndetails, &g->priv->details_cap, UINT32_MAX))
            RESIZE(g->details, g->priv->details_cap);
        memset(&g->details[g->ndetails], 0, sizeof *g->details);
        g->detail[node] = g->ndetails++;
    }
    return &g->details[g->detail[node]];
}

static bool same_kernel(const struct graph_detail *a, const struct graph_detail *b)
{
    return a->kernel.hash == b->kernel.hash && a->kernel.shared_bytes == b->kernel.shared_bytes &&
           memcmp(a->kernel.grid, b->kernel.grid, sizeof a->kernel.grid) == 0 &&
           memcmp(a->kernel.block, b->kernel.block, sizeof a->kernel.block) == 0;
}

static uint64_t hash_kernel(const struct graph_detail *d)
{
    uint64_t h = d->kernel.hash ^ d->kernel.shared_bytes;
    for (int i = 0; i < 3; i++)
        h = hash_number(h, (uint64_t)d->kernel.grid[i] << 32 | d->kernel.block[i]);
    return h;
}

/* Returns the equal detail, or a new one. */
static uint32_t detail_of_kernel(struct graph *g, uint32_t node, const struct graph_detail *d)
{
    uint64_t hash = hash_kernel(d);
    HASH_EACH (&g->priv->kernels, hash, i)
        if (same_kernel(&g->details[i], d))
            return i;
    graph_detail(g, node)->kernel = d->kernel;
    hash_table_add(&g->priv->kernels, hash, g->detail[node]);
    return g->detail[node];
}

void graph_set_kernel(struct graph *g, uint32_t node, const struct graph_detail *d)
{
    struct graph_private *p = g->priv;
    if (p->last_kernel == GRAPH_NONE || !same_kernel(&g->details[p->last_kernel], d))
        p->last_kernel = detail_of_kernel(g, node, d);
    g->detail[node] = p->last_kernel;
}

struct graph_work *graph_work(struct graph *g, uint32_t node)
{
    if (!g->work) { /* allocated on first use: graphs of calls need none */
        g->work = xcalloc(g->priv->nodes_cap, sizeof *g->work);
        memset(g->work, 0xff, g->priv->nodes_cap * sizeof *g->work);
    }
    if (g->work[node] == GRAPH_NONE) {
        if (grow_capacity(g->nworks, &g->priv->works_cap, UINT32_MAX))
            RESIZE(g->works, g->priv->works_cap);
        g->works[g->nworks] = (struct graph_work){.histogram = GRAPH_NONE};
        g->work[node] = g->nworks++;
    }
    return &g->works[g->work[node]];
}

struct graph_extra *graph_extra(struct graph *g, uint32_t node)
{
    struct graph_work *w = graph_work(g, node);
    if (!w->extra) {
        if (grow_capacity(g->nextras, &g->priv->extras_cap, UINT32_MAX))
            RESIZE(g->extras, g->priv->extras_cap);
        g->extras[g->nextras] = (struct graph_extra){0};
        w->extra = ++g->nextras;
    }
    return &g->extras[w->extra - 1];
}

const struct graph_extra *graph_extra_of(const struct graph *g, uint32_t node)
{
    static const struct graph_extra none;
    const struct graph_work *w = graph_work_of(g, node);
    return w && w->extra ? &g->extras[w->extra - 1] : &none;
}

uint32_t graph_add_histogram(struct graph *g, struct histogram *h)
{
    if (grow_capacity(g->nhistograms, &g->priv->histograms_cap, UINT32_MAX))
        RESIZE(g->histograms, g->priv->histograms_cap);
    g->histograms[g->nhistograms] = h;
    return g->nhistograms++;
}

bool graph_connect(struct graph *g, uint32_t from, uint32_t to, enum edge_kind kind)
{
    uint32_t i = g->nedges;
    if (i >= GRAPH_MAX_EDGES || from >= g->nnodes || to >= g->nnodes)
        return false;
    if (grow_capacity(i, &g->priv->edges_cap, GRAPH_MAX_EDGES))
        grow_edges(g);
    g->edge_from[i] = from;
    g->edge_to[i] = to;
    g->edge_kind[i] = (uint8_t)kind;
    g->nedges++;
    return true;
}

/* Gives back unused capacity if that is worth a copy. */
static void trim_graph_memory(struct graph *g)
{
    struct graph_private *p = g->priv;
    if (g->nnodes && p->nodes_cap - g->nnodes > g->nnodes / 8) {
        p->nodes_cap = g->nnodes;
        grow_nodes(g);
    }
    if (g->nedges && p->edges_cap - g->nedges > g->nedges / 8) {
        p->edges_cap = g->nedges;
        grow_edges(g);
    }
}

/* Goes from the last node to the first and inserts each in front, so that children end up in order
 * of index. */
void graph_finish(struct graph *g)
{
    size_t n = g->nnodes ? g->nnodes : 1;
    trim_graph_memory(g);
    RESIZE(g->first_child, n);
    RESIZE(g->next_sibling, n);
    g->first_root = GRAPH_NONE;
    for (uint32_t i = 0; i < g->nnodes; i++)
        g->first_child[i] = GRAPH_NONE;
    for (uint32_t i = g->nnodes; i-- > 0;) {
        uint32_t *head =
            g->parent[i] == GRAPH_NONE ? &g->first_root : &g->first_child[g->parent[i]];
        g->next_sibling[i] = *head;
        *head = i;
    }
}

/* --- statistics of sums --- */

static const struct graph_work *timed_work_of(const struct graph *g, uint32_t node)
{
    const struct graph_work *w = graph_work_of(g, node);
    bool timed = w && (w->total > 0 || w->min != GRAPH_UNKNOWN); /* else only counted */
    return timed && w->count ? w : NULL;
}

double graph_quantile(const struct graph *g, uint32_t node, double q)
{
    const struct graph_work *w = timed_work_of(g, node);
    if (w && w->histogram == GRAPH_NONE && w->count == 1 && w->min != GRAPH_UNKNOWN)
        return (double)w->min;
    if (!w || w->histogram == GRAPH_NONE)
        return NAN;
    return histogram_quantile_within(g->histograms[w->histogram], q,
                                     w->min != GRAPH_UNKNOWN ? (double)w->min : 0,
                                     w->max != GRAPH_UNKNOWN ? (double)w->max : INFINITY);
}

double graph_mean(const struct graph *g, uint32_t node)
{
    const struct graph_work *w = timed_work_of(g, node);
    return w ? (double)w->total / (double)w->count : NAN;
}

double graph_deviation(const struct graph *g, uint32_t node)
{
    const struct graph_work *w = timed_work_of(g, node);
    if (!w || w->count < 2)
        return NAN;
    double n = (double)w->count, mean = (double)w->total / n;
    double square = (w->sum_squares - n * mean * mean) / (n - 1);
    return square > 0 ? sqrt(square) : 0; /* below 0: rounding */
}

/* A program, a thread or a queue has the time of the spans in it; a range that a profiler mirrored
 * onto a queue has the time of the work beside it. */
static bool has_own_time(const struct graph *g, uint32_t node)
{
    uint8_t kind = g->kind[node];
    return kind != NODE_PROGRAM && kind != NODE_THREAD && kind != NODE_QUEUE &&
           !graph_is_context(g, node);
}

uint64_t graph_self(const struct graph *g, uint32_t node)
{
    if (!has_own_time(g, node))
        return 0;
    uint64_t children = 0, own = g->duration[node] == GRAPH_UNKNOWN ? 0 : g->duration[node];
    for (uint32_t c = g->first_child[node]; c != GRAPH_NONE; c = g->next_sibling[c])
        if (g->via[c] != EDGE_LAUNCHES && g->duration[c] != GRAPH_UNKNOWN &&
            !graph_is_context(g, c))
            children += g->duration[c];
    return own > children ? own - children : 0;
}

size_t graph_memory(const struct graph *g)
{
    const struct graph_private *p = g->priv;
    size_t node = sizeof *g->kind + sizeof *g->category + sizeof *g->flags + sizeof *g->name +
                  sizeof *g->parent + sizeof *g->via + sizeof *g->start + sizeof *g->duration +
                  sizeof *g->detail + (g->work ? sizeof *g->work : 0);
    size_t links = g->first_child ? sizeof *g->first_child + sizeof *g->next_sibling : 0;
    size_t edge = sizeof *g->edge_from + sizeof *g->edge_to + sizeof *g->edge_kind;
    return sizeof *g + sizeof *p + p->nodes_cap * node + g->nnodes * links + p->edges_cap * edge +
           p->details_cap * sizeof *g->details + p->works_cap * sizeof *g->works +
           p->extras_cap * sizeof *g->extras + p->names_cap * sizeof *p->offset + p->text_cap +
           hash_table_memory(&p->names);
}

const char *node_kind_name(enum node_kind k)
{
    static const char *const names[NODE_KINDS] = {"program", "thread", "backend",  "layer",
                                                  "brick",   "kernel", "transfer", "function",
                                                  "task",    "queue",  "range"};
    return (unsigned)k < NODE_KINDS ? names[k] : "?";
}

const char *node_category_name(enum node_category c)
{
    static const char *const names[CATEGORIES] = {"Norm", "Attention", "FFN", "Other"};
    return (unsigned)c < CATEGORIES ? names[c] : "?";
}

const char *edge_kind_name(enum edge_kind k)
{
    static const char *const names[EDGE_KINDS] = {"contains", "launches", "calls", "sequence",
                                                  "depends",  "transfer", "joins", "inferred",
                                                  "meets",    "message"};
    return (unsigned)k < EDGE_KINDS ? names[k] : "?";
}
