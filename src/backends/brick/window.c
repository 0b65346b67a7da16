#include "backends/brick/window.h"

#include <stdlib.h>
#include <string.h>

#include "backends/brick/graphs.h"
#include "engine/critical_path.h"

enum { PATH_MAX_DEPTH = 64, LOOSE_SPANS = 64, GRAPH_SPANS = 32768 };

/* --- which pass --- */

/* Whether anything of a thread before this moment was overwritten: then a span that began earlier
 * may lack children. */
static uint64_t known_since(const struct brick_reader *r, uint32_t thread)
{
    size_t n;
    const struct brick_event *e = brick_reader_events(r, &n);
    for (size_t i = 0; i < n; i++)
        if (e[i].thread == thread && (e[i].record.type & 15) != BRICK_EDGE)
            return (e[i].record.type & 15) == BRICK_THREAD ? 0 : e[i].record.end;
    return UINT64_MAX;
}

static bool has_children(const struct brick_node *nodes, uint32_t n, uint32_t node)
{
    for (uint32_t i = node + 1; i < n; i++)
        if (nodes[i].parent == node)
            return true;
    return false;
}

/* A backend is not a pass: it lasts as long as its program. */
static bool is_backend(const struct brick_reader *r, const struct brick_node *n)
{
    return brick_reader_what(r, n->what)->desc.kind == BRICK_KIND_BACKEND;
}

/* The newest span with something in it; and where there is none, the newest. */
static const struct brick_event *newest(const struct brick_reader *r, bool with_children)
{
    size_t n;
    uint32_t nnodes;
    const struct brick_event *e = brick_reader_events(r, &n), *best = NULL;
    const struct brick_node *nodes = brick_reader_nodes(r, &nnodes);
    bool *inner = xcalloc(nnodes + 1u, sizeof *inner);
    for (uint32_t i = 0; with_children && i < nnodes; i++)
        inner[i] = has_children(nodes, nnodes, i) && !is_backend(r, &nodes[i]);
    for (size_t i = 0; i < n; i++) {
        const struct brick_record *s = &e[i].record;
        if ((s->type & 15) != BRICK_SPAN || (with_children && !inner[s->node]))
            continue;
        if (!best || s->end >= best->record.end)
            best = &e[i];
    }
    free(inner);
    return best;
}

/* The last spans of a thread that are in nothing. */
static bool loose_pass(const struct brick_reader *r, struct brick_pass *out)
{
    size_t n;
    const struct brick_event *e = brick_reader_events(r, &n), *last = newest(r, false);
    int taken = 0;
    if (!last)
        return false;
    *out = (struct brick_pass){last->record.start, last->record.end, BRICK_NONE};
    for (size_t i = n; i-- > 0 && taken < LOOSE_SPANS;) {
        const struct brick_record *s = &e[i].record;
        if (e[i].thread != last->thread || (s->type & 15) != BRICK_SPAN)
            continue;
        if (s->start < out->start)
            out->start = s->start;
        taken++;
    }
    return true;
}

bool brick_pass_find(const struct brick_reader *r, struct brick_pass *out)
{
    size_t n;
    uint32_t nnodes, path[PATH_MAX_DEPTH];
    const struct brick_event *e = brick_reader_events(r, &n), *inner = newest(r, true);
    const struct brick_node *nodes = brick_reader_nodes(r, &nnodes);
    const struct brick_event *found[PATH_MAX_DEPTH] = {NULL};
    int depth = 0;
    if (!inner)
        return loose_pass(r, out);
    for (uint32_t i = inner->record.node; i != BRICK_NONE && depth < PATH_MAX_DEPTH;
         i = nodes[i].parent)
        if (!is_backend(r, &nodes[i]))
            path[depth++] = i;
    uint64_t since = known_since(r, inner->thread);
    for (size_t i = n; i-- > 0;) {
        const struct brick_record *s = &e[i].record;
        if (e[i].thread != inner->thread || (s->type & 15) != BRICK_SPAN || s->start < since)
            continue;
        for (int d = 0; d < depth; d++)
            if (path[d] == s->node && !found[d])
                found[d] = &e[i];
    }
    for (int d = depth; d-- > 0;)
        if (found[d]) {
            const struct brick_record *s = &found[d]->record;
            *out = (struct brick_pass){s->start, s->end, s->node};
            return true;
        }
    return loose_pass(r, out);
}

/* --- its picture --- */

struct picture {
    struct brick_window *out;
    struct arena *memory;
    const struct brick_calls *calls;
    const struct critical_path *path;
    uint32_t *place;   /* of a graph's node in out->spans; GRAPH_NONE = left out */
    uint16_t *lane_of; /* by thread, host then device; 0 = none yet, else 1 + lane */
    uint32_t base;
};

static bool is_span(const struct picture *p, uint32_t node)
{
    return p->calls->origins[node].node != BRICK_NONE;
}

static uint16_t lane(struct picture *p, const struct brick_reader *r, uint32_t node)
{
    const struct graph *g = p->calls->graph;
    bool device = g->flags[node] & NODE_DEVICE_TIME;
    uint32_t thread = p->calls->origins[node].thread, n;
    const struct brick_thread_info *t = &brick_reader_threads(r, &n)[thread];
    uint16_t *at = &p->lane_of[2 * thread + device];
    if (*at == 0 && p->out->nlanes < UINT16_MAX - 1) {
        p->out->lanes[p->out->nlanes].name =
            arena_printf(p->memory, device ? "%s %u device" : "%s %u", t->name, t->tid);
        *at = (uint16_t)++p->out->nlanes;
    }
    return *at ? (uint16_t)(*at - 1) : 0;
}

static uint8_t depth(const struct picture *p, uint32_t node)
{
    const struct graph *g = p->calls->graph;
    unsigned d = 0;
    for (uint32_t i = g->parent[node]; i != GRAPH_NONE && is_span(p, i) && d < 255;
         i = g->parent[i])
        d++;
    return (uint8_t)d;
}

static int longer(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0] ? -1 : 1) : (x[1] < y[1] ? -1 : x[1] > y[1]);
}

/* All of the path, then the longest of the others. */
static void choose_spans(struct picture *p, bool *kept)
{
    const struct graph *g = p->calls->graph;
    uint32_t n = 0, chosen = 0;
    uint64_t(*rank)[2] = xcalloc(g->nnodes + 1u, sizeof *rank);
    for (uint32_t i = 0; i < p->path->nsteps && chosen < BRICK_WINDOW_SPANS; i++) {
        uint32_t node = p->path->steps[i].node;
        if (is_span(p, node) && !kept[node]) {
            kept[node] = true;
            chosen++;
        }
    }
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (is_span(p, i) && !kept[i]) {
            rank[n][0] = g->duration[i];
            rank[n++][1] = i;
        }
    qsort(rank, n, sizeof *rank, longer);
    for (uint32_t i = 0; i < n; i++) {
        if (chosen < BRICK_WINDOW_SPANS)
            kept[rank[i][1]] = true, chosen++;
        else
            p->out->left_out++;
    }
    free(rank);
}

static int by_start(const void *a, const void *b)
{
    const struct brick_span *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->depth != y->depth ? (x->depth < y->depth ? -1 : 1)
                                : (x->node > y->node) - (x->node < y->node);
}

static void draw_spans(struct picture *p, const struct brick_reader *r)
{
    const struct graph *g = p->calls->graph;
    struct brick_window *out = p->out;
    bool *kept = xcalloc(g->nnodes + 1u, sizeof *kept);
    choose_spans(p, kept);
    out->spans = arena_alloc(p->memory, BRICK_WINDOW_SPANS * sizeof *out->spans);
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (kept[i])
            out->spans[out->nspans++] = (struct brick_span){
                .start = g->start[i] - out->start,
                .duration = g->duration[i],
                .slack = p->path->slack[i],
                .name = arena_strdup(p->memory, graph_name(g, i)),
                .node = i, /* of the graph of calls, until they are sorted */
                .lane = lane(p, r, i),
                .kind = g->kind[i],
                .category = g->category[i],
                .depth = depth(p, i),
            };
    qsort(out->spans, out->nspans, sizeof *out->spans, by_start);
    memset(p->place, 0xff, (g->nnodes + 1u) * sizeof *p->place);
    for (uint32_t i = 0; i < out->nspans; i++) {
        uint32_t node = out->spans[i].node;
        p->place[node] = i;
        out->spans[i].node = p->base + 1 + p->calls->origins[node].node;
    }
    free(kept);
}

static void draw_path(struct picture *p)
{
    struct brick_window *out = p->out;
    out->steps = arena_alloc(p->memory, (p->path->nsteps + 1u) * sizeof *out->steps);
    out->lengths = arena_alloc(p->memory, (p->path->nsteps + 1u) * sizeof *out->lengths);
    out->starts = arena_alloc(p->memory, (p->path->nsteps + 1u) * sizeof *out->starts);
    for (uint32_t i = 0; i < p->path->nsteps; i++) {
        uint32_t at = p->place[p->path->steps[i].node];
        if (at == GRAPH_NONE)
            continue;
        out->steps[out->nsteps] = at;
        out->starts[out->nsteps] = p->path->steps[i].start;
        out->lengths[out->nsteps++] = p->path->steps[i].length;
        out->spans[at].critical = true;
    }
}

void brick_window_fill(struct brick_window *out, struct arena *memory, const struct brick_reader *r,
                       const struct brick_pass *pass, const char *program, int64_t pid,
                       uint32_t base)
{
    struct brick_calls calls = {.graph = graph_new()};
    struct critical_path path;
    uint32_t nthreads, nnodes;
    const struct brick_node *nodes = brick_reader_nodes(r, &nnodes);
    brick_reader_threads(r, &nthreads);
    brick_graph_calls(&calls, r, program, pid, pass->start, pass->end, GRAPH_SPANS);
    graph_finish(calls.graph);
    *out = (struct brick_window){.start = pass->start, .wall = pass->end - pass->start};
    out->what = pass->node == BRICK_NONE
                    ? "the last bricks"
                    : arena_strdup(memory, brick_reader_what(r, nodes[pass->node].what)->name);
    if (critical_path_find(calls.graph, &path, NULL) == 0) {
        struct picture p = {.out = out,
                            .memory = memory,
                            .calls = &calls,
                            .path = &path,
                            .place = xcalloc(calls.graph->nnodes + 1u, sizeof *p.place),
                            .lane_of = xcalloc(2 * (nthreads + 1u), sizeof *p.lane_of),
                            .base = base};
        out->path = path.length;
        out->cyclic = path.ncyclic;
        out->lanes = arena_alloc(memory, 2 * (nthreads + 1u) * sizeof *out->lanes);
        draw_spans(&p, r);
        draw_path(&p);
        free(p.place);
        free(p.lane_of);
        critical_path_free(&path);
    }
    brick_calls_free(&calls);
}
