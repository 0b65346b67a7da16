/* Finds the lanes, their order, and the lane of each span. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"
#include "base/watch.h"
#include "engine/timeline/timeline_impl.h"
#include "engine/trace/lane_names.h"

/* A node outside all lanes is stored by its group, with this bit set. */
#define IN_GROUP (1u << 31)

struct lanes_found { /* in the order of the graph */
    struct timeline *t;
    struct timeline_group *groups;
    struct timeline_lane *lanes;
    uint32_t *outside; /* of each group: the lane of nodes outside all lanes; GRAPH_NONE */
    bool *threads;     /* of each group: whether it has threads */
    uint32_t ngroups, nlanes, group_cap, lane_cap;
    uint32_t none; /* the group of nodes outside all programs */
};

static uint32_t add_group(struct lanes_found *f, uint32_t node)
{
    if (f->ngroups == f->group_cap) {
        f->group_cap *= 2;
        f->groups = xrealloc(f->groups, f->group_cap, sizeof *f->groups);
        f->outside = xrealloc(f->outside, f->group_cap, sizeof *f->outside);
        f->threads = xrealloc(f->threads, f->group_cap, sizeof *f->threads);
    }
    f->groups[f->ngroups] = (struct timeline_group){.node = node};
    f->outside[f->ngroups] = GRAPH_NONE;
    f->threads[f->ngroups] = false;
    return f->ngroups++;
}

static uint32_t add_timeline_lane(struct lanes_found *f, uint32_t node, uint32_t group)
{
    LIST_ROOM(f->lanes, f->nlanes, f->lane_cap);
    f->lanes[f->nlanes] = (struct timeline_lane){.node = node, .group = group};
    return f->nlanes++;
}

static uint32_t no_program(struct lanes_found *f)
{
    if (f->none == GRAPH_NONE)
        f->none = add_group(f, GRAPH_NONE);
    return f->none;
}

/* A node's lane, or IN_GROUP with its group. Its parent's place must be known. */
static uint32_t find_lane_or_group(struct lanes_found *f, const uint32_t *place, uint32_t v)
{
    const struct graph *g = f->t->calls;
    uint32_t up = g->parent[v];
    if (up == GRAPH_NONE && g->kind[v] == NODE_PROGRAM)
        return IN_GROUP | add_group(f, v);
    uint32_t at = up != GRAPH_NONE ? place[up] : IN_GROUP | no_program(f);
    if (!graph_is_lane(g, v))
        return at;
    uint32_t group = at & IN_GROUP ? at & ~IN_GROUP : f->lanes[at].group;
    f->threads[group] |= g->kind[v] == NODE_THREAD;
    return add_timeline_lane(f, v, group);
}

static uint32_t outside_of(struct lanes_found *f, uint32_t group)
{
    if (f->outside[group] == GRAPH_NONE)
        f->outside[group] = add_timeline_lane(f, GRAPH_NONE, group);
    return f->outside[group];
}

/* --- their order --- */

/* Compares digits as numbers: "GPU 2" before "GPU 10". */
static int compare_names(const char *a, const char *b)
{
    while (*a && *b) {
        if (*a >= '0' && *a <= '9' && *b >= '0' && *b <= '9') {
            a += strspn(a, "0");
            b += strspn(b, "0");
            size_t n = strspn(a, "0123456789"), m = strspn(b, "0123456789");
            if (n != m)
                return n < m ? -1 : 1;
            int c = strncmp(a, b, n);
            if (c != 0)
                return c;
            a += n;
            b += m;
        } else if (*a != *b) {
            break;
        } else {
            a++;
            b++;
        }
    }
    return (unsigned char)*a < (unsigned char)*b ? -1 : (unsigned char)*a > (unsigned char)*b;
}

static int64_t thread_number_of_lane(const struct graph *g, uint32_t v)
{
    return g->detail[v] == GRAPH_NONE ? 0 : g->details[g->detail[v]].thread.id;
}

/* The system calls of a thread stand below it; they have its name and number. */
static unsigned lane_kind(const struct graph *g, uint32_t v)
{
    return g->flags[v] & NODE_CALLS ? NODE_THREAD : g->kind[v];
}

static int compare_lane_nodes(const struct graph *g, uint32_t a, uint32_t b)
{
    if (a == GRAPH_NONE || b == GRAPH_NONE) /* the group without a program comes last */
        return (a == GRAPH_NONE) - (b == GRAPH_NONE);
    const unsigned kinds[] = {lane_kind(g, a), lane_kind(g, b)};
    if (kinds[0] != kinds[1])
        return kinds[0] < kinds[1] ? -1 : 1;
    int c = compare_names(graph_name(g, a), graph_name(g, b));
    if (c == 0)
        c = (thread_number_of_lane(g, a) > thread_number_of_lane(g, b)) -
            (thread_number_of_lane(g, a) < thread_number_of_lane(g, b));
    if (c == 0)
        c = (g->flags[a] & NODE_CALLS) - (g->flags[b] & NODE_CALLS);
    return c ? c : (a > b) - (a < b);
}

static int compare_lane_groups(const void *x, const void *y, void *ctx)
{
    const struct lanes_found *f = ctx;
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    if (f->threads[a] != f->threads[b])
        return f->threads[a] ? -1 : 1;
    return compare_lane_nodes(f->t->calls, f->groups[a].node, f->groups[b].node);
}

static int by_lane(const void *x, const void *y, void *ctx)
{
    const struct lanes_found *f = ctx;
    const struct timeline_lane *a = &f->lanes[*(const uint32_t *)x];
    const struct timeline_lane *b = &f->lanes[*(const uint32_t *)y];
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return compare_lane_nodes(f->t->calls, a->node, b->node);
}

/* Fills t->groups and t->lanes; to: each found lane's place there. */
static uint32_t *put_in_order(struct lanes_found *f)
{
    struct timeline *t = f->t;
    uint32_t *order = xcalloc(f->ngroups + f->nlanes + 1u, sizeof *order);
    uint32_t *to = xcalloc(f->ngroups + f->nlanes + 1u, sizeof *to);
    for (uint32_t i = 0; i < f->ngroups; i++)
        order[i] = i;
    if (f->ngroups)
        qsort_r(order, f->ngroups, sizeof *order, compare_lane_groups, f);
    t->groups = xcalloc(f->ngroups + 1u, sizeof *t->groups);
    t->ngroups = f->ngroups;
    for (uint32_t i = 0; i < f->ngroups; i++) {
        t->groups[i] = f->groups[order[i]];
        to[order[i]] = i;
    }
    for (uint32_t i = 0; i < f->nlanes; i++) {
        f->lanes[i].group = to[f->lanes[i].group];
        order[i] = i;
    }
    if (f->nlanes)
        qsort_r(order, f->nlanes, sizeof *order, by_lane, f);
    t->lanes = xcalloc(f->nlanes + 1u, sizeof *t->lanes);
    t->nlanes = f->nlanes;
    for (uint32_t i = 0; i < f->nlanes; i++) {
        t->lanes[i] = f->lanes[order[i]];
        to[order[i]] = i;
        struct timeline_group *g = &t->groups[t->lanes[i].group];
        g->first_lane = g->nlanes ? g->first_lane : i;
        g->nlanes++;
    }
    free(order);
    return to;
}

/* Names the n nodes at[] (GRAPH_NONE: the name is `none`); equal names are made distinct. */
static void name_nodes(struct timeline *t, const uint32_t *at, uint32_t n, const char *none,
                       const char **names)
{
    uint32_t *nodes = xcalloc(n + 1u, sizeof *nodes), known = 0;
    const char **out = xcalloc(n + 1u, sizeof *out);
    for (uint32_t i = 0; i < n; i++)
        if (at[i] != GRAPH_NONE)
            nodes[known++] = at[i];
    lane_names(t->calls, nodes, known, false, &t->names, out);
    for (uint32_t i = 0, next = 0; i < n; i++)
        names[i] = at[i] == GRAPH_NONE ? none : out[next++];
    free(out);
    free(nodes);
}

static int by_lane_name(const void *x, const void *y, void *ctx)
{
    const struct timeline *t = ctx;
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return strcmp(t->lanes[a].name, t->lanes[b].name);
}

/* If several groups have a lane of one name, puts the group's name before it. order: scratch. */
static void name_alone(struct timeline *t, uint32_t *order)
{
    for (uint32_t i = 0; i < t->nlanes; i++)
        order[i] = i;
    if (t->nlanes)
        qsort_r(order, t->nlanes, sizeof *order, by_lane_name, t);
    for (uint32_t a = 0, b; a < t->nlanes; a = b) {
        const char *name = t->lanes[order[a]].name;
        for (b = a + 1; b < t->nlanes && strcmp(name, t->lanes[order[b]].name) == 0;)
            b++;
        for (uint32_t i = a; i < b; i++) {
            struct timeline_lane *l = &t->lanes[order[i]];
            l->alone = b - a == 1
                           ? name
                           : arena_printf(&t->names, "%s %s", t->groups[l->group].name, name);
        }
    }
}

static bool has_calls(const struct timeline *t, uint32_t lane)
{
    const uint32_t v = t->lanes[lane].node;
    return v != GRAPH_NONE && (t->calls->flags[v] & NODE_CALLS);
}

static void name_all(struct timeline *t)
{
    uint32_t most = t->ngroups > t->nlanes ? t->ngroups : t->nlanes;
    uint32_t *at = xcalloc(most + 1u, sizeof *at);
    const char **names = xcalloc(most + 1u, sizeof *names);
    for (uint32_t i = 0; i < t->ngroups; i++)
        at[i] = t->groups[i].node;
    name_nodes(t, at, t->ngroups, "no program", names);
    for (uint32_t i = 0; i < t->ngroups; i++)
        t->groups[i].name = names[i];
    for (uint32_t i = 0; i < t->nlanes; i++)
        at[i] = has_calls(t, i) ? GRAPH_NONE : t->lanes[i].node;
    name_nodes(t, at, t->nlanes, "outside", names);
    for (uint32_t i = 0; i < t->nlanes; i++)
        t->lanes[i].name = i && has_calls(t, i)
                               ? arena_printf(&t->names, "system calls of %s", names[i - 1])
                               : names[i];
    name_alone(t, at);
    free(names);
    free(at);
}

uint32_t *timeline_find_lanes(struct timeline *t)
{
    const struct graph *g = t->calls;
    struct lanes_found f = {.t = t, .none = GRAPH_NONE, .group_cap = 8, .lane_cap = 16};
    f.groups = xcalloc(f.group_cap, sizeof *f.groups);
    f.outside = xcalloc(f.group_cap, sizeof *f.outside);
    f.threads = xcalloc(f.group_cap, sizeof *f.threads);
    f.lanes = xcalloc(f.lane_cap, sizeof *f.lanes);
    uint32_t *place = xcalloc(g->nnodes + 1u, sizeof *place);
    for (uint32_t v = 0; v < g->nnodes && !watch_stops(v); v++) {
        place[v] = find_lane_or_group(&f, place, v);
        if ((place[v] & IN_GROUP) && timeline_timed(g, v) && g->kind[v] != NODE_PROGRAM)
            outside_of(&f, place[v] & ~IN_GROUP);
    }
    uint32_t *to = put_in_order(&f);
    name_all(t);
    for (uint32_t v = 0; v < g->nnodes && !watch_stops(v); v++) {
        bool span = g->kind[v] != NODE_PROGRAM && !graph_is_lane(g, v);
        if (!span || !timeline_timed(g, v)) {
            t->untimed += span;
            place[v] = GRAPH_NONE;
            continue;
        }
        place[v] = to[place[v] & IN_GROUP ? f.outside[place[v] & ~IN_GROUP] : place[v]];
        t->lanes[place[v]].nspans++;
        t->nspans++;
    }
    free(to);
    free(f.groups);
    free(f.lanes);
    free(f.outside);
    free(f.threads);
    return place;
}
