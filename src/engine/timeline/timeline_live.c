#include "engine/timeline/timeline_live.h"

#include <stdlib.h>

#include "base/arena.h"

/* A lane's own step has no times of its own. */
static bool is_live_span(const struct brick_span *s)
{
    return s->kind != NODE_THREAD && s->kind != NODE_QUEUE && s->kind != NODE_PROGRAM;
}

static void add_spans(struct timeline_live *l, const struct brick_window *w, uint32_t *node)
{
    struct graph *g = l->calls;
    uint32_t *lane = xcalloc(w->nlanes + 1u, sizeof *lane);
    uint32_t top = graph_add(g, NODE_PROGRAM, graph_intern(g, w->what), GRAPH_NONE, EDGE_CONTAINS,
                             GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    for (uint32_t i = 0; i < w->nlanes; i++)
        lane[i] = graph_add(g, NODE_THREAD, graph_intern(g, w->lanes[i].name), top, EDGE_CONTAINS,
                            GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    for (uint32_t i = 0; i < w->nspans; i++) {
        const struct brick_span *s = &w->spans[i];
        node[i] = is_live_span(s) && s->lane < w->nlanes
                      ? graph_add(g, (enum node_kind)s->kind, graph_intern(g, s->name),
                                  lane[s->lane], EDGE_CONTAINS, w->start + s->start, s->duration)
                      : GRAPH_NONE;
        if (node[i] != GRAPH_NONE)
            g->category[node[i]] = s->category;
    }
    free(lane);
}

static void add_path_of_window(struct timeline_live *l, const struct brick_window *w,
                               const uint32_t *node)
{
    struct critical_path *p = &l->way;
    p->begin = w->start;
    p->length = w->path;
    p->slack = xcalloc(l->calls->nnodes + 1u, sizeof *p->slack);
    p->steps = xcalloc(w->nsteps + 1u, sizeof *p->steps);
    for (uint32_t v = 0; v < l->calls->nnodes; v++)
        p->slack[v] = GRAPH_UNKNOWN;
    for (uint32_t i = 0; i < w->nspans; i++)
        if (node[i] != GRAPH_NONE)
            p->slack[node[i]] = w->spans[i].slack;
    for (uint32_t i = 0; i < w->nsteps; i++)
        if (node[w->steps[i]] != GRAPH_NONE)
            p->steps[p->nsteps++] = (struct critical_step){
                .node = node[w->steps[i]], .start = w->starts[i], .length = w->lengths[i]};
}

int timeline_live_build(struct timeline_live *l, const struct brick_window *w, struct error *err)
{
    uint32_t *node = xcalloc(w->nspans + 1u, sizeof *node);
    *l = (struct timeline_live){.calls = graph_new()};
    if (w->nspans)
        add_spans(l, w, node);
    graph_finish(l->calls);
    add_path_of_window(l, w, node);
    free(node);
    return timeline_build(&l->timeline, l->calls, &l->way, err);
}

void timeline_live_free(struct timeline_live *l)
{
    if (!l->calls)
        return;
    timeline_free(&l->timeline);
    critical_path_free(&l->way);
    graph_unref(l->calls);
    *l = (struct timeline_live){0};
}
