#include "backends/rocm/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/rocm/names.h"
#include "backends/rocm/nest.h"
#include "base/hash.h"
#include "base/list.h"
#include "engine/trace/blit.h"
#include "engine/trace/left_out.h"

/* The agent of lanes that are threads, and the stream of lanes that stand for a whole queue. */
#define THREAD (UINT32_MAX - 1)
#define GROUP  (INT64_MIN + 2)

void rocm_timeline_free(struct rocm_timeline *l)
{
    free(l->lanes);
    hash_table_free(&l->lane_by_content);
    free(l->regions);
    free(l->launches);
    trace_shorts_free(&l->shorts);
    *l = (struct rocm_timeline){0};
}

bool rocm_times(struct trace *t, int64_t start, int64_t end)
{
    if (start >= 0 && end >= start && end > 0)
        return true;
    trace_leave_out(t, LEFT_TIMELESS, 1);
    return false;
}

uint32_t rocm_program(struct rocm_timeline *l, int64_t pid, const char *command)
{
    char name[256] = "";
    if (command)
        rocm_program_name(command, name, sizeof name);
    if (!*name)
        snprintf(name, sizeof name, "pid %lld", (long long)pid);
    uint32_t node = graph_add(l->t->calls, NODE_PROGRAM, graph_intern(l->t->calls, name),
                              GRAPH_NONE, EDGE_CONTAINS, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    if (node != GRAPH_NONE)
        graph_detail(l->t->calls, node)->thread.id = pid;
    return node;
}

/* --- lanes --- */

static bool is_same_rocm_lane(const struct rocm_lane *a, const struct rocm_lane *b)
{
    return a->program == b->program && a->agent == b->agent && a->queue == b->queue &&
           a->stream == b->stream;
}

/* Returns the index of the lane; a new one has no node yet. */
static uint32_t find_or_add_rocm_lane(struct rocm_timeline *l, const struct rocm_lane *lane)
{
    if (l->last < l->nlanes && is_same_rocm_lane(&l->lanes[l->last], lane))
        return l->last;
    uint64_t hash = hash_number(hash_number(lane->program, lane->agent), (uint64_t)lane->queue);
    hash = hash_number(hash, (uint64_t)lane->stream);
    HASH_EACH (&l->lane_by_content, hash, i)
        if (is_same_rocm_lane(&l->lanes[i], lane))
            return i;
    hash_table_add(&l->lane_by_content, hash, l->nlanes);
    LIST_ROOM(l->lanes, l->nlanes, l->lanes_cap);
    l->lanes[l->nlanes] = *lane;
    return l->nlanes++;
}

static uint32_t new_lane(struct rocm_timeline *l, enum node_kind kind, const char *name,
                         uint32_t program, int64_t id)
{
    struct graph *g = l->t->calls;
    uint32_t node = graph_add(g, kind, graph_intern(g, name), program, EDGE_LAUNCHES, GRAPH_UNKNOWN,
                              GRAPH_UNKNOWN);
    if (node != GRAPH_NONE)
        graph_detail(g, node)->thread.id = id;
    return node;
}

uint32_t rocm_thread(struct rocm_timeline *l, uint32_t program, int64_t tid, const char *name)
{
    struct rocm_lane lane = {program, THREAD, tid, 0, GRAPH_NONE};
    char text[64];
    if (program == GRAPH_NONE)
        return GRAPH_NONE;
    uint32_t i = l->last = find_or_add_rocm_lane(l, &lane);
    if (l->lanes[i].node != GRAPH_NONE)
        return l->lanes[i].node;
    if (tid == ROCM_UNKNOWN)
        snprintf(text, sizeof text, "unknown thread");
    else
        snprintf(text, sizeof text, "thread %lld", (long long)tid);
    return l->lanes[i].node = new_lane(l, NODE_THREAD, name && *name ? name : text, program,
                                       tid == ROCM_UNKNOWN ? -1 : tid);
}

uint32_t rocm_queue(struct rocm_timeline *l, uint32_t program, uint32_t agent, int64_t queue,
                    int64_t stream)
{
    struct rocm_lane lane = {program, agent, queue, stream, GRAPH_NONE};
    struct rocm_lane group = {program, agent, queue, GROUP, 0};
    if (program == GRAPH_NONE)
        return GRAPH_NONE;
    uint32_t i = l->last = find_or_add_rocm_lane(l, &lane);
    if (l->lanes[i].node != GRAPH_NONE)
        return l->lanes[i].node;
    uint32_t streams = find_or_add_rocm_lane(l, &group);
    l->lanes[streams].node++;
    return l->lanes[i].node = new_lane(l, NODE_QUEUE, "", program,
                                       queue == ROCM_UNKNOWN || queue == ROCM_COPIES ? -1 : queue);
}

static void name_queues(struct rocm_timeline *l)
{
    struct graph *g = l->t->calls;
    for (uint32_t i = 0; i < l->nlanes; i++) {
        const struct rocm_lane *q = &l->lanes[i];
        struct rocm_lane group = {q->program, q->agent, q->queue, GROUP, 0};
        char agent[32] = "", what[48] = "queue", stream[48] = "", name[160];
        if (q->agent == THREAD || q->stream == GROUP || q->node == GRAPH_NONE)
            continue;
        if (q->agent != TRACE_UNKNOWN)
            snprintf(agent, sizeof agent, "%s ", graph_text(g, rocm_agent_name(l->t, q->agent)));
        if (q->queue == ROCM_COPIES)
            snprintf(what, sizeof what, "copies");
        else if (q->queue != ROCM_UNKNOWN)
            snprintf(what, sizeof what, "queue %lld", (long long)q->queue);
        if (q->stream != ROCM_UNKNOWN && l->lanes[find_or_add_rocm_lane(l, &group)].node > 1)
            snprintf(stream, sizeof stream, " stream %lld", (long long)q->stream);
        snprintf(name, sizeof name, "%s%s%s", agent, what, stream);
        g->name[q->node] = graph_intern(g, name);
    }
}

/* --- spans --- */

void rocm_add_region(struct rocm_timeline *l, const struct rocm_region *region)
{
    if (region->thread == GRAPH_NONE || l->nregions >= GRAPH_MAX_NODES) {
        trace_leave_out(l->t, LEFT_NO_ROOM, 1);
        return;
    }
    if (trace_shorts_take(&l->shorts, &l->cut, region->thread, region->name,
                          region->range ? NODE_RANGE : NODE_FUNCTION, region->end - region->start))
        return;
    LIST_ROOM(l->regions, l->nregions, l->regions_cap);
    l->regions[l->nregions] = *region;
    l->regions[l->nregions++].node = GRAPH_NONE;
    l->t->spans++;
}

/* Adds a span to a lane. */
static uint32_t add_rocm_span(struct rocm_timeline *l, enum node_kind kind, uint32_t lane,
                              const struct rocm_span *s)
{
    struct graph *g = l->t->calls;
    bool timed = s->start != GRAPH_UNKNOWN;
    if (timed && lane != GRAPH_NONE &&
        trace_shorts_take(&l->shorts, &l->cut, lane, s->name, kind, s->end - s->start))
        return GRAPH_NONE;
    uint32_t node = GRAPH_NONE;
    if (lane != GRAPH_NONE)
        node = graph_add(g, kind, s->name, lane, EDGE_CONTAINS, s->start,
                         timed ? s->end - s->start : GRAPH_UNKNOWN);
    if (node == GRAPH_NONE) {
        trace_leave_out(l->t, LEFT_NO_ROOM, 1);
        return node;
    }
    g->flags[node] |= NODE_DEVICE_TIME;
    l->t->spans++;
    if (s->correlation) {
        LIST_ROOM(l->launches, l->nlaunches, l->launches_cap);
        l->launches[l->nlaunches++] = (struct rocm_launch){s->correlation, s->program, node};
    }
    return node;
}

static uint32_t lane_of_span(struct rocm_timeline *l, const struct rocm_span *s)
{
    return rocm_queue(l, s->program, s->agent, s->queue, s->stream);
}

uint32_t rocm_add_alike(struct rocm_timeline *l, const struct rocm_alike *a, uint64_t start,
                        uint64_t end, uint64_t correlation, uint64_t id)
{
    const struct rocm_span s = {.program = a->program,
                                .start = start,
                                .end = end,
                                .correlation = correlation,
                                .name = a->name};
    bool blit = a->launch == TRACE_UNKNOWN;
    uint32_t node = add_rocm_span(l, blit ? NODE_TRANSFER : NODE_KERNEL, a->lane, &s);
    if (node == GRAPH_NONE)
        return node;
    graph_share_detail(l->t->calls, node, a->detail);
    if (!blit)
        trace_add_like(l->t, node, id, a->launch);
    return node;
}

/* A kernel of the runtime that copies or fills memory. The number of bytes is unknown. */
static uint32_t add_blit(struct rocm_timeline *l, uint32_t lane, const struct rocm_kernel *k,
                         struct rocm_alike *out)
{
    uint32_t node = add_rocm_span(l, NODE_TRANSFER, lane, &k->span);
    if (node == GRAPH_NONE)
        return node;
    struct graph_detail *d = graph_detail(l->t->calls, node);
    d->transfer.direction = 2;
    d->transfer.from = d->transfer.to = rocm_agent_name(l->t, k->span.agent);
    if (out)
        *out = (struct rocm_alike){k->span.program, lane, k->span.name, l->t->calls->detail[node],
                                   TRACE_UNKNOWN};
    return node;
}

uint32_t rocm_add_kernel(struct rocm_timeline *l, const struct rocm_kernel *k,
                         struct rocm_alike *out)
{
    uint32_t lane = lane_of_span(l, &k->span);
    if (k->span.name < l->t->calls->nnames && trace_is_blit(graph_text(l->t->calls, k->span.name)))
        return add_blit(l, lane, k, out);
    uint32_t node = add_rocm_span(l, NODE_KERNEL, lane, &k->span);
    if (node == GRAPH_NONE)
        return node;
    struct graph_detail d = {.kernel = {.hash = 0}};
    for (int i = 0; i < 3; i++) {
        uint32_t group = k->group[i], rest = group ? k->items[i] % group != 0 : 0;
        d.kernel.block[i] = group;
        d.kernel.grid[i] = group ? k->items[i] / group + rest : 0;
    }
    d.kernel.shared_bytes = k->details.lds_bytes == TRACE_UNKNOWN ? 0 : k->details.lds_bytes;
    graph_set_kernel(l->t->calls, node, &d);
    struct trace_dispatch dispatch = k->details;
    dispatch.node = node;
    dispatch.agent = k->span.agent;
    uint32_t launch = trace_add_dispatch(l->t, &dispatch);
    if (out)
        *out = (struct rocm_alike){k->span.program, lane, k->span.name, l->t->calls->detail[node],
                                   launch};
    return node;
}

/* The span of a copy, with its device and queue filled in. */
static struct rocm_span place_copy(const struct rocm_timeline *l, const struct rocm_copy *c)
{
    struct rocm_span s = c->span;
    bool to_gpu = c->to != TRACE_UNKNOWN && l->t->agents[c->to].gpu;
    s.agent = to_gpu || c->from == TRACE_UNKNOWN ? c->to : c->from;
    if (s.queue == ROCM_UNKNOWN || s.queue == 0) /* 0: the profiler's value for none */
        s.queue = ROCM_COPIES;
    return s;
}

uint32_t rocm_copy_lane(struct rocm_timeline *l, const struct rocm_copy *c)
{
    const struct rocm_span s = place_copy(l, c);
    return lane_of_span(l, &s);
}

uint32_t rocm_copy_name(struct trace *t, uint32_t direction)
{
    static const char *const names[] = {"H2D", "D2H", "D2D"};
    return graph_intern(t->calls, names[direction]);
}

uint32_t rocm_add_copy(struct rocm_timeline *l, const struct rocm_copy *c)
{
    struct trace *t = l->t;
    struct rocm_span s = place_copy(l, c);
    uint32_t direction = rocm_direction(t, c->kind, c->from, c->to);
    s.name = rocm_copy_name(t, direction);
    uint32_t node = add_rocm_span(l, NODE_TRANSFER, lane_of_span(l, &s), &s);
    if (node == GRAPH_NONE)
        return node;
    struct graph_detail *d = graph_detail(t->calls, node);
    d->transfer.bytes = c->bytes;
    d->transfer.direction = direction;
    d->transfer.from = rocm_agent_name(t, c->from);
    d->transfer.to = rocm_agent_name(t, c->to);
    return node;
}

void rocm_timeline_finish(struct rocm_timeline *l)
{
    rocm_nest(l);
    rocm_link(l);
    rocm_order_streams(l);
    name_queues(l);
    trace_shorts_tell(&l->shorts, NULL, NULL);
}
