#include "backends/bricks/brick_impl.h"

#include <stdlib.h>
#include <string.h>

#include "engine/bricks/bricks_window.h"
#include "engine/path/critical_path.h"

enum { PATH_MAX_DEPTH = 64, LOOSE_SPANS = 64, GRAPH_SPANS = 32768 };

/* --- choosing a pass --- */

/* The time since which a thread's spans are complete: a span that began earlier may lack
 * overwritten children. */
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

/* Whether a node is a backend, which is no pass because it lasts as long as its program. */
static bool is_backend(const struct brick_reader *r, const struct brick_node *n)
{
    return brick_reader_what(r, n->what)->desc.kind == BRICK_KIND_BACKEND;
}

/* The newest span whose node has children; without with_children, the newest span. */
static const struct brick_event *find_newest_span(const struct brick_reader *r, bool with_children)
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

/* Makes a pass from the latest outermost spans of a thread. */
static bool loose_pass(const struct brick_reader *r, struct brick_pass *out)
{
    size_t n;
    const struct brick_event *e = brick_reader_events(r, &n), *last = find_newest_span(r, false);
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
    const struct brick_event *e = brick_reader_events(r, &n), *inner = find_newest_span(r, true);
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

/* --- filling the window --- */

/* Makes a lane for each thread with spans, and one for its device. Threads that are on the path
 * themselves, between their spans, are in their lanes too. */
static void find_window_lanes(struct brick_window *out, struct arena *memory,
                              const struct brick_reader *r, const struct brick_calls *calls,
                              const struct critical_path *path, uint16_t *lane)
{
    const struct graph *g = calls->graph;
    uint32_t n;
    const struct brick_thread_info *threads = brick_reader_threads(r, &n);
    uint16_t *lane_of = xcalloc(2 * (n + 1u), sizeof *lane_of); /* 0: none yet, else 1 + lane */
    out->lanes = arena_alloc(memory, 2 * (n + 1u) * sizeof *out->lanes);
    for (uint32_t i = 0; i < g->nnodes; i++) {
        uint32_t thread = calls->origins[i].thread;
        bool device = g->flags[i] & NODE_DEVICE_TIME;
        uint16_t *at = &lane_of[2 * thread + device];
        lane[i] = BRICKS_NOT_SHOWN;
        if (calls->origins[i].node == BRICK_NONE)
            continue;
        if (*at == 0 && out->nlanes < BRICKS_NOT_SHOWN - 1) {
            out->lanes[out->nlanes].name = arena_printf(memory, device ? "%s %u device" : "%s %u",
                                                        threads[thread].name, threads[thread].tid);
            *at = (uint16_t)++out->nlanes;
        }
        lane[i] = *at ? (uint16_t)(*at - 1) : 0;
    }
    for (uint32_t i = 0; i < path->nsteps; i++) {
        uint32_t v = path->steps[i].node, at = lane_of[2 * calls->origins[v].thread];
        if (g->kind[v] == NODE_THREAD && at)
            lane[v] = (uint16_t)(at - 1);
    }
    free(lane_of);
}

void brick_window_fill(struct brick_window *out, struct arena *memory, const struct brick_reader *r,
                       const struct brick_pass *pass, const char *program, int64_t pid,
                       uint32_t base)
{
    struct brick_calls calls = {.graph = graph_new()};
    struct critical_path path;
    uint32_t nnodes;
    const struct brick_node *nodes = brick_reader_nodes(r, &nnodes);
    brick_graph_calls(&calls, r, program, pid, pass->start, pass->end, GRAPH_SPANS);
    graph_finish(calls.graph);
    *out = (struct brick_window){.start = pass->start, .wall = pass->end - pass->start};
    out->what = pass->node == BRICK_NONE
                    ? "the last bricks"
                    : arena_strdup(memory, brick_reader_what(r, nodes[pass->node].what)->name);
    if (critical_path_find(calls.graph, &path, NULL) == 0) {
        uint32_t n = calls.graph->nnodes, *tree = xcalloc(n + 1u, sizeof *tree);
        uint16_t *lane = xcalloc(n + 1u, sizeof *lane);
        for (uint32_t i = 0; i < n; i++)
            tree[i] = base + (calls.origins[i].node == BRICK_NONE ? 0 : 1 + calls.origins[i].node);
        find_window_lanes(out, memory, r, &calls, &path, lane);
        bricks_window_fill(out, memory, calls.graph, &path, lane, tree, BRICK_WINDOW_SPANS);
        free(tree);
        free(lane);
        critical_path_free(&path);
    }
    brick_calls_free(&calls);
}
