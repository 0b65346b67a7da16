#include "engine/bricks/bricks_window.h"

#include <stdlib.h>
#include <string.h>

struct window_making {
    struct brick_window *out;
    struct arena *memory;
    const struct graph *g;
    const struct critical_path *path;
    const uint16_t *lane;
    uint32_t *place;    /* of a call in out->spans; GRAPH_NONE = left out */
    const char **names; /* of the graph's names those that spans have, in memory */
    uint32_t most;
};

static bool is_shown_span(const struct window_making *p, uint32_t node)
{
    return p->lane[node] != BRICKS_NOT_SHOWN;
}

static bool is_lane_of_window(uint8_t kind)
{
    return kind == NODE_THREAD || kind == NODE_QUEUE || kind == NODE_PROGRAM;
}

/* Below its lane's outermost span; what a lane did between its spans lies under all of them. */
static uint8_t count_spans_above(const struct window_making *p, uint32_t node)
{
    unsigned d = 0;
    for (uint32_t i = p->g->parent[node];
         i != GRAPH_NONE && is_shown_span(p, i) && !is_lane_of_window(p->g->kind[i]) && d < 255;
         i = p->g->parent[i])
        d++;
    return (uint8_t)d;
}

/* A span that may be kept. The shorter one is dropped first, then the later one. */
struct ranked_span {
    uint64_t duration;
    uint32_t node;
};

static bool goes_first(const struct ranked_span *a, const struct ranked_span *b)
{
    return a->duration != b->duration ? a->duration < b->duration : a->node > b->node;
}

/* Sifts element i down in a heap (Williams, Heapsort, 1964); its top is the first span to drop. */
static void sink_ranked_span(struct ranked_span *heap, uint32_t n, uint32_t i)
{
    for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && goes_first(&heap[child + 1], &heap[child]))
            child++;
        if (!goes_first(&heap[child], &heap[i]))
            return;
        struct ranked_span swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
    }
}

/* Keeps the `room` longest spans that are not kept yet. */
static void keep_longest(struct window_making *p, bool *kept, uint32_t room)
{
    const struct graph *g = p->g;
    struct ranked_span *heap = xcalloc(room + 1u, sizeof *heap);
    uint32_t n = 0;
    for (uint32_t v = 0; v < g->nnodes; v++) {
        if (!is_shown_span(p, v) || is_lane_of_window(g->kind[v]) || kept[v])
            continue;
        struct ranked_span r = {g->duration[v], v};
        if (n < room) {
            heap[n++] = r;
            for (uint32_t i = n == room ? n / 2 : 0; i-- > 0;)
                sink_ranked_span(heap, n, i);
            continue;
        }
        p->out->left_out++;
        if (room && goes_first(&heap[0], &r)) {
            heap[0] = r;
            sink_ranked_span(heap, n, 0);
        }
    }
    for (uint32_t i = 0; i < n; i++)
        kept[heap[i].node] = true;
    free(heap);
}

/* Chooses all spans of the path, then the longest others. */
static void choose_spans_of_window(struct window_making *p, bool *kept)
{
    uint32_t chosen = 0;
    for (uint32_t i = 0; i < p->path->nsteps && chosen < p->most; i++) {
        uint32_t node = p->path->steps[i].node;
        if (is_shown_span(p, node) && !kept[node]) {
            kept[node] = true;
            chosen++;
        }
    }
    keep_longest(p, kept, p->most - chosen);
}

static int compare_brick_spans(const void *a, const void *b)
{
    const struct brick_span *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Many spans share a name. */
static const char *brick_name(const struct window_making *p, uint32_t node)
{
    uint32_t name = p->g->name[node];
    if (name >= p->g->nnames)
        return "";
    if (!p->names[name])
        p->names[name] = arena_strdup(p->memory, graph_text(p->g, name));
    return p->names[name];
}

/* A lane has no times of its own, so it covers the whole window. */
static struct brick_span make_brick_span(const struct window_making *p, uint32_t node)
{
    const struct graph *g = p->g;
    bool whole = is_lane_of_window(g->kind[node]);
    return (struct brick_span){
        .start = whole ? 0 : g->start[node] - p->out->start,
        .duration = whole ? p->out->wall : g->duration[node],
        .slack = p->path->slack[node],
        .name = brick_name(p, node),
        .node = node, /* of the graph of calls, until they are sorted */
        .lane = p->lane[node],
        .kind = g->kind[node],
        .category = g->category[node],
        .depth = count_spans_above(p, node),
    };
}

static void draw_spans(struct window_making *p, const uint32_t *tree)
{
    const struct graph *g = p->g;
    struct brick_window *out = p->out;
    uint32_t n = 0;
    bool *kept = xcalloc(g->nnodes + 1u, sizeof *kept);
    choose_spans_of_window(p, kept);
    for (uint32_t i = 0; i < g->nnodes; i++)
        n += kept[i];
    out->spans = arena_alloc(p->memory, (n + 1u) * sizeof *out->spans);
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (kept[i])
            out->spans[out->nspans++] = make_brick_span(p, i);
    qsort(out->spans, out->nspans, sizeof *out->spans, compare_brick_spans);
    memset(p->place, 0xff, (g->nnodes + 1u) * sizeof *p->place);
    for (uint32_t i = 0; i < out->nspans; i++) {
        uint32_t node = out->spans[i].node;
        p->place[node] = i;
        out->spans[i].node = tree[node];
    }
    free(kept);
}

static uint8_t step_marks_of(const struct critical_step *s)
{
    unsigned marks = s->latency ? STEP_LATENCY : 0;
    marks |= s->inferred ? STEP_INFERRED : 0;
    marks |= s->part == PATH_WAIT ? STEP_WAIT : 0;
    return (uint8_t)marks;
}

/* Most steps of a large path belong to spans that are left out. */
static void fill_path_of_window(struct window_making *p)
{
    struct brick_window *out = p->out;
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->path->nsteps; i++)
        n += p->place[p->path->steps[i].node] != GRAPH_NONE;
    out->steps = arena_alloc(p->memory, (n + 1u) * sizeof *out->steps);
    out->lengths = arena_alloc(p->memory, (n + 1u) * sizeof *out->lengths);
    out->starts = arena_alloc(p->memory, (n + 1u) * sizeof *out->starts);
    out->marks = arena_alloc(p->memory, n + 1u);
    for (uint32_t i = 0; i < p->path->nsteps; i++) {
        const struct critical_step *s = &p->path->steps[i];
        uint32_t at = p->place[s->node];
        if (at == GRAPH_NONE) {
            out->left_out += is_shown_span(p, s->node);
            continue;
        }
        out->steps[out->nsteps] = at;
        uint64_t start = p->path->begin + s->start;
        out->starts[out->nsteps] = start > out->start ? start - out->start : 0;
        out->marks[out->nsteps] = step_marks_of(s);
        out->lengths[out->nsteps++] = s->length;
        out->spans[at].critical = true;
    }
}

void bricks_window_fill(struct brick_window *out, struct arena *memory, const struct graph *calls,
                        const struct critical_path *path, const uint16_t *lane,
                        const uint32_t *tree, uint32_t most)
{
    struct window_making p = {.out = out,
                              .memory = memory,
                              .g = calls,
                              .path = path,
                              .lane = lane,
                              .place = xcalloc(calls->nnodes + 1u, sizeof *p.place),
                              .names = xcalloc(calls->nnames + 1u, sizeof *p.names),
                              .most = most};
    out->path = path->length;
    draw_spans(&p, tree);
    fill_path_of_window(&p);
    free(p.place);
    free(p.names);
}
