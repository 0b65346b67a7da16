/* Sums of communication: the time in which no kernel computed, the time above the fastest call, the
 * bytes carried. */
#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/hash_table.h"
#include "base/list.h"
#include "engine/graph/busy.h"
#include "engine/graph/graph_order.h"
#include "engine/kernels/kernel_parts.h"
#include "engine/trace/collective.h"

static bool is_collective(const struct graph *g, uint32_t v)
{
    return g->flags[v] & NODE_COLLECTIVE && graph_is_work(g, v) && g->start[v] != GRAPH_UNKNOWN;
}

static bool is_timed(const struct graph *g, uint32_t v)
{
    return graph_is_work(g, v) && g->start[v] != GRAPH_UNKNOWN;
}

/* Whether a node is device work that computes. */
static bool is_computing_kernel(const struct graph *g, uint32_t v)
{
    return g->kind[v] == NODE_KERNEL && !(g->flags[v] & NODE_COLLECTIVE);
}

/* --- beside kernels --- */

static uint64_t count_covered_by_work(const struct graph *g, const uint32_t *list, uint32_t n,
                                      bool all)
{
    uint64_t sum = 0, last = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t from = g->start[list[i]], to = from + g->duration[list[i]];
        if (!all && g->flags[list[i]] & NODE_COLLECTIVE)
            continue;
        from = from > last ? from : last;
        if (to > from) {
            sum += to - from;
            last = to;
        }
    }
    return sum;
}

static void find_exposed(struct kernel_parts *p, struct kernels_total *total, const struct graph *g)
{
    struct busy *busy = busy_find(g, is_computing_kernel);
    uint32_t n, *list = graph_by_parent(g, 0, g->nnodes, is_timed, &n);
    graph_by_time(g, list, n, false);
    total->exposed =
        count_covered_by_work(g, list, n, true) - count_covered_by_work(g, list, n, false);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = list[i], part = kernel_part_at(p, v);
        if (!is_collective(g, v) || part == GRAPH_NONE)
            continue;
        uint64_t from = g->start[v], to = from + g->duration[v];
        struct kernel_sum *s = &p->list[part].sum;
        s->exposed += g->duration[v] - busy_within(busy, v, from, to);
    }
    free(list);
    busy_free(busy);
}

/* --- bytes --- */

/* Collectives of one part, size and number of ranks. */
struct alike {
    uint32_t part, ranks;
    uint64_t bytes, fastest;
    uint32_t n;
};

struct alike_list {
    struct alike *list;
    uint32_t n, cap;
    struct hash_table by_content;
};

static struct alike *alike_of(struct alike_list *m, uint32_t part, const struct trace_collective *c)
{
    uint64_t hash = hash_number(hash_number(part, c->ranks), c->bytes);
    HASH_EACH (&m->by_content, hash, i) {
        struct alike *a = &m->list[i];
        if (a->part == part && a->bytes == c->bytes && a->ranks == c->ranks)
            return a;
    }
    hash_table_add(&m->by_content, hash, m->n);
    LIST_ROOM(m->list, m->n, m->cap);
    m->list[m->n] = (struct alike){part, c->ranks, c->bytes, UINT64_MAX, 0};
    return &m->list[m->n++];
}

static void add_message(struct kernel_sum *s, const struct trace_collective *c, uint64_t ns)
{
    double factor = collective_bus_factor((enum collective_op)c->op, c->ranks);
    s->bytes += c->bytes;
    s->messages++;
    s->op = s->messages == 1 || s->op == c->op ? c->op : COLLECTIVE_SOME;
    s->ranks = s->messages == 1 || s->ranks == c->ranks ? c->ranks : TRACE_UNKNOWN;
    if (isnan(factor))
        return;
    s->bus += (uint64_t)((double)c->bytes * factor);
    s->bus_ns += ns;
}

static void find_messages(struct kernel_parts *p, const struct trace *t)
{
    const struct graph *g = t->calls;
    struct alike_list messages = {.n = 0};
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < t->ncollectives; i++) {
            const struct trace_collective *c = &t->collectives[i];
            uint32_t part = is_collective(g, c->node) ? kernel_part_at(p, c->node) : GRAPH_NONE;
            if (part == GRAPH_NONE || c->bytes == 0)
                continue;
            struct alike *a = alike_of(&messages, part, c);
            uint64_t ns = g->duration[c->node];
            struct kernel_sum *s = &p->list[part].sum;
            if (pass == 0) {
                a->fastest = ns < a->fastest ? ns : a->fastest;
                a->n++;
                add_message(s, c, ns);
            } else if (a->n > 1) {
                s->compared += ns;
                s->slower += ns - a->fastest;
            }
        }
    hash_table_free(&messages.by_content);
    free(messages.list);
}

void kernel_collectives(struct kernel_parts *p, struct kernels_total *total, const struct trace *t)
{
    bool any = false;
    for (uint32_t i = 0; i < p->n; i++)
        any |= (t->calls->flags[p->list[i].node] & NODE_COLLECTIVE) != 0;
    if (!any)
        return;
    find_exposed(p, total, t->calls);
    find_messages(p, t);
}
