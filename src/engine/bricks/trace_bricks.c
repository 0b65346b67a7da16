#include "engine/bricks/trace_bricks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/bricks/bricks_window.h"
#include "engine/path/critical_path.h"
#include "engine/trace/lane_names.h"

static void fill_programs(struct bricks *out, struct arena *memory, const struct trace *t,
                          const char *path)
{
    const struct graph *g = t->sums;
    uint32_t n = 0;
    for (uint32_t v = g->first_root; v != GRAPH_NONE; v = g->next_sibling[v])
        n++;
    out->programs = arena_alloc(memory, (n + 1u) * sizeof *out->programs);
    for (uint32_t v = g->first_root; v != GRAPH_NONE; v = g->next_sibling[v]) {
        const struct graph_detail *d =
            g->detail[v] == GRAPH_NONE ? NULL : &g->details[g->detail[v]];
        out->programs[out->nprograms++] = (struct brick_program){
            .pid = d ? (pid_t)d->thread.id : 0,
            .name = graph_name(g, v),
            .path = arena_strdup(memory, path),
            .node = v,
            .state = PROGRAM_ENDED,
            .profile = true,
            .spans = t->spans,
            .dropped = t->dropped,
        };
    }
}

/* Lanes of several files are groups, each with the host's, rank's or file's name. */
static const char *lane_name(const struct trace *t, struct arena *memory, uint32_t node,
                             const char *name)
{
    const struct trace_file *f = trace_file_of(t, node);
    if (!f)
        return arena_strdup(memory, name);
    size_t size = strlen(f->label) + strlen(name) + 2;
    char *both = arena_alloc(memory, size);
    snprintf(both, size, "%s %s", f->label, name);
    return both;
}

static void name_lanes(struct brick_window *out, struct arena *memory, const struct trace *t,
                       const uint32_t *nodes)
{
    uint32_t *known = xcalloc(out->nlanes + 1u, sizeof *known), n = 0;
    const char **names = xcalloc(out->nlanes + 1u, sizeof *names);
    for (uint32_t i = 0; i < out->nlanes; i++)
        if (nodes[i] != GRAPH_NONE)
            known[n++] = nodes[i];
    lane_names(t->calls, known, n, true, memory, names);
    for (uint32_t i = 0, next = 0; i < out->nlanes; i++)
        out->lanes[i].name =
            nodes[i] == GRAPH_NONE ? "outside" : lane_name(t, memory, nodes[i], names[next++]);
    free(names);
    free(known);
}

/* Lanes in the order of the file; what lies outside of all lanes goes into one of its own. */
static void find_lanes_of_trace_bricks(struct brick_window *out, struct arena *memory,
                                       const struct trace *t, uint16_t *lane)
{
    const struct graph *g = t->calls;
    uint32_t n = 1;
    for (uint32_t v = 0; v < g->nnodes; v++)
        n += graph_is_lane(g, v);
    n = n < BRICKS_NOT_SHOWN ? n : BRICKS_NOT_SHOWN - 1;
    out->lanes = arena_alloc(memory, n * sizeof *out->lanes);
    uint32_t *nodes = xcalloc(n, sizeof *nodes); /* of each lane; GRAPH_NONE: outside of all */
    uint16_t outside = BRICKS_NOT_SHOWN;
    for (uint32_t v = 0; v < g->nnodes; v++) {
        uint32_t up = g->parent[v];
        bool timed = g->start[v] != GRAPH_UNKNOWN && g->duration[v] != GRAPH_UNKNOWN;
        lane[v] = up != GRAPH_NONE && g->kind[up] != NODE_PROGRAM ? lane[up] : BRICKS_NOT_SHOWN;
        if (graph_is_lane(g, v) && out->nlanes < n) {
            nodes[out->nlanes] = v;
            lane[v] = (uint16_t)out->nlanes++;
        } else if (lane[v] == BRICKS_NOT_SHOWN && timed && g->kind[v] != NODE_PROGRAM) {
            if (outside == BRICKS_NOT_SHOWN && out->nlanes < n) {
                nodes[out->nlanes] = GRAPH_NONE;
                outside = (uint16_t)out->nlanes++;
            }
            lane[v] = outside;
        }
        if (!timed &&
            !graph_is_lane(g, v)) /* the lane itself cannot be drawn, but what is in it can */
            lane[v] = BRICKS_NOT_SHOWN;
    }
    name_lanes(out, memory, t, nodes);
    free(nodes);
}

static void find_extent_of_trace_bricks(struct brick_window *out, const struct graph *g)
{
    uint64_t first = GRAPH_UNKNOWN, last = 0;
    for (uint32_t v = 0; v < g->nnodes; v++) {
        if (g->start[v] == GRAPH_UNKNOWN || g->duration[v] == GRAPH_UNKNOWN)
            continue;
        first = g->start[v] < first ? g->start[v] : first;
        last = g->start[v] + g->duration[v] > last ? g->start[v] + g->duration[v] : last;
    }
    out->start = first == GRAPH_UNKNOWN ? 0 : first;
    out->wall = first == GRAPH_UNKNOWN ? 0 : last - first;
}

struct trace_bricks {
    uint16_t *lane; /* of each call */
};

struct trace_bricks *trace_bricks_begin(struct bricks *out, struct arena *memory,
                                        const struct trace *t, const char *path)
{
    struct trace_bricks *b = xcalloc(1, sizeof *b);
    *out = (struct bricks){0};
    out->tree = graph_ref(t->sums);
    fill_programs(out, memory, t, path);
    out->window.what = "the whole profile";
    find_extent_of_trace_bricks(&out->window, t->calls);
    b->lane = xcalloc(t->calls->nnodes + 1u, sizeof *b->lane);
    find_lanes_of_trace_bricks(&out->window, memory, t, b->lane);
    return b;
}

void trace_bricks_end(struct bricks *out, struct arena *memory, struct trace_bricks *b,
                      const struct trace *t, const struct critical_path *way)
{
    if (way)
        bricks_window_fill(&out->window, memory, t->calls, way, b->lane, t->place,
                           TRACE_WINDOW_SPANS);
    free(b->lane);
    free(b);
}
