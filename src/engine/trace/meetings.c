#include "engine/trace/meetings.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/hash_table.h"
#include "base/list.h"
#include "engine/graph/graph_order.h"
#include "engine/graph/rank_edges.h"
#include "engine/trace/collective.h"

/* --- numbers --- */

/* By group, rank, number in the file; calls without a number stay in order of time. */
static int compare_calls_of_rank(const void *x, const void *y)
{
    const struct collective_call *a = x, *b = y;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->numbered && b->numbered && a->sequence != b->sequence)
        return a->sequence < b->sequence ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static int compare_same_collective(const void *x, const void *y)
{
    const struct collective_call *a = x, *b = y;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->sequence != b->sequence)
        return a->sequence < b->sequence ? -1 : 1;
    if (a->again != b->again)
        return a->again < b->again ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Numbers the calls of one rank and group. */
static void number_run(struct collective_call *calls, size_t n, bool from_end)
{
    for (size_t i = 0; i < n; i++) {
        if (!calls[i].numbered)
            calls[i].sequence = from_end ? n - 1 - i : i;
        bool again = i && calls[i - 1].sequence == calls[i].sequence;
        calls[i].again = again ? calls[i - 1].again + 1 : 0;
    }
}

void collective_calls_number(struct collective_call *calls, size_t n, bool from_end)
{
    for (size_t i = 0; i < n; i++)
        calls[i].order = (uint32_t)i;
    if (n)
        qsort(calls, n, sizeof *calls, compare_calls_of_rank);
    for (size_t i = 0, end; i < n; i = end) {
        end = i + 1;
        while (end < n && calls[end].group == calls[i].group && calls[end].rank == calls[i].rank)
            end++;
        number_run(calls + i, end - i, from_end);
    }
}

void collective_calls_join(struct collective_call *calls, size_t n)
{
    if (n)
        qsort(calls, n, sizeof *calls, compare_same_collective);
}

size_t collective_calls_end(const struct collective_call *calls, size_t n, size_t i)
{
    size_t end = i + 1;
    while (end < n && calls[end].group == calls[i].group &&
           calls[end].sequence == calls[i].sequence && calls[end].again == calls[i].again)
        end++;
    return end;
}

/* --- the members, in the graph --- */

/* The collectives that can be the same: of one operation in one group of ranks. Without a number,
 * the kernel's name must be the same, too. */
struct meeting_group {
    uint32_t op, group, ranks, name;
};

struct meetings {
    struct collective_call *calls;
    struct meeting_group *groups;
    uint32_t ncalls, calls_room, ngroups, groups_room;
    struct hash_table by_group;
};

static uint32_t find_meeting_group(struct meetings *m, const struct meeting_group *want)
{
    uint64_t hash = hash_number(hash_number(0, want->op), want->group);
    hash = hash_number(hash_number(hash, want->ranks), want->name);
    HASH_EACH (&m->by_group, hash, i) {
        const struct meeting_group *g = &m->groups[i];
        if (g->op == want->op && g->group == want->group && g->ranks == want->ranks &&
            g->name == want->name)
            return i;
    }
    hash_table_add(&m->by_group, hash, m->ngroups);
    LIST_ADD(m->groups, m->ngroups, m->groups_room, *want);
    return m->ngroups - 1;
}

static uint32_t find_root(const struct graph *g, uint32_t v)
{
    while (g->parent[v] != GRAPH_NONE)
        v = g->parent[v];
    return v;
}

/* Adds a node if it is a collective that waits for all. Its rank is its program, which for most
 * formats is a device. */
static void add_meeting_call(struct meetings *m, const struct trace *t, uint32_t v)
{
    const struct graph *g = t->calls;
    const struct trace_collective *c = trace_collective_of(t, v);
    const bool numbered = c && c->sequence != GRAPH_UNKNOWN;
    const enum collective_op op =
        c ? (enum collective_op)c->op : collective_of(graph_text(g, g->name[v]));
    if (!collective_waits_for_all(op) || (g->kind[v] != NODE_KERNEL && !numbered))
        return;
    const struct meeting_group group = {.op = op,
                                        .group = c ? c->group : GRAPH_NONE,
                                        .ranks = c ? c->ranks : TRACE_UNKNOWN,
                                        .name = numbered ? GRAPH_NONE : g->name[v]};
    LIST_ADD(m->calls, m->ncalls, m->calls_room,
             (struct collective_call){.sequence = numbered ? c->sequence : 0,
                                      .numbered = numbered,
                                      .group = find_meeting_group(m, &group),
                                      .rank = find_root(g, v),
                                      .node = v});
}

/* The collectives of all lanes of which names or numbers say which are the same, by the time of
 * their ends. The caller frees the list. */
static uint32_t *list_collectives(const struct trace *t, uint32_t *n)
{
    const struct graph *g = t->calls;
    uint32_t *list = NULL, room = 0;
    *n = 0;
    for (uint32_t v = 0; v < g->nnodes; v++)
        if (g->flags[v] & NODE_COLLECTIVE && g->start[v] != GRAPH_UNKNOWN &&
            g->duration[v] != GRAPH_UNKNOWN &&
            (g->kind[v] == NODE_KERNEL || trace_collective_of(t, v)))
            LIST_ADD(list, *n, room, v);
    if (*n)
        graph_by_time(g, list, *n, true);
    return list;
}

static void connect_meetings(struct meetings *m, struct graph *g)
{
    uint32_t *members = xcalloc(m->ncalls + (size_t)1, sizeof *members);
    for (size_t i = 0, end; i < m->ncalls; i = end) {
        size_t n = 0;
        end = collective_calls_end(m->calls, m->ncalls, i);
        for (size_t k = i; k < end; k++)
            members[n++] = m->calls[k].node;
        if (n <= m->groups[m->calls[i].group].ranks) /* else several groups have one name */
            graph_meet(g, members, n);
    }
    free(members);
}

void trace_meet(struct trace *t)
{
    struct meetings m = {.calls = NULL};
    uint32_t n, *list = list_collectives(t, &n);
    for (uint32_t i = 0; i < n; i++)
        add_meeting_call(&m, t, list[i]);
    free(list);
    collective_calls_number(m.calls, m.ncalls, true);
    collective_calls_join(m.calls, m.ncalls);
    connect_meetings(&m, t->calls);
    free(m.calls);
    free(m.groups);
    hash_table_free(&m.by_group);
}
