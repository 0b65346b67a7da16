#include "engine/bricks/call_tally.h"

#include <stdlib.h>

#include "base/list.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/roles.h"

enum { NODE_SHIFT = 32, ABI_SHIFT = 24 }; /* numbers of calls are below 2^24 in all ABIs */

static uint64_t make_tally_key(uint32_t node, unsigned abi, uint32_t number)
{
    return (uint64_t)node << NODE_SHIFT | (uint64_t)abi << ABI_SHIFT |
           (number & ((UINT32_C(1) << ABI_SHIFT) - 1));
}

/* What an event counts: its errors, its bytes, and so much of its time. */
static struct call_count call_count_of(const struct syscall_event *e, uint64_t ns)
{
    const enum syscall_role role = (enum syscall_role)syscall_duty(e->abi, e->number)->role;
    struct call_count n = {.calls = 1, .errors = syscall_failed(e), .ns = ns};
    if ((e->flags & (SYSCALL_UNFINISHED | SYSCALL_NO_RESULT)) || e->result <= 0)
        return n;
    if (role == ROLE_READ || role == ROLE_COPY)
        n.read = (uint64_t)e->result;
    if (role == ROLE_WRITE || role == ROLE_COPY)
        n.written = (uint64_t)e->result;
    return n;
}

/* Adds to the call of the event in a node; GRAPH_NONE: elsewhere. */
static void call_tally_add(struct call_tally *t, uint32_t node, const struct syscall_event *e,
                           const struct call_count *n)
{
    if (node == GRAPH_NONE) {
        call_count_add(&t->elsewhere, n);
        return;
    }
    /* Numbers without a name count together: a program may call millions of them, and names are
     * kept. */
    const bool named = syscall_is_named(e->abi, e->number);
    const uint8_t abi = (uint8_t)(named ? e->abi : SYSCALL_ABIS);
    const uint32_t number = named ? e->number : 0;
    const uint64_t key = make_tally_key(node, abi, number);
    uint32_t i = ids_get(&t->index, key);
    if (i == IDS_NONE) {
        LIST_ROOM(t->list, t->n, t->cap);
        i = t->n++;
        t->list[i] = (struct tally_part){.node = node, .number = number, .abi = abi};
        ids_add(&t->index, key, i);
    }
    call_count_add(&t->list[i].n, n);
}

void call_tally_event(struct call_tally *t, const struct syscall_event *e, uint32_t inner,
                      uint64_t end_ns, uint32_t outer)
{
    struct call_count n = call_count_of(e, syscall_thread_ns(e));
    call_count_add(&t->total, &n);
    if (inner != GRAPH_NONE && n.ns > end_ns - e->begin_ns) {
        const struct call_count rest = {.ns = n.ns - (end_ns - e->begin_ns)};
        n.ns -= rest.ns;
        t->outlasting++;
        call_tally_add(t, outer, e, &rest);
    }
    call_tally_add(t, inner != GRAPH_NONE ? inner : outer, e, &n);
}

struct part_link {
    uint32_t next; /* part of the same node, GRAPH_NONE: none */
    uint32_t of;   /* a part of the tally of the same call */
};

/* Parts of the graph, found by node and call. */
struct sums_making {
    const struct call_tally *tally;
    struct call_part *list;
    struct part_link *links; /* of each part */
    uint32_t n, cap, links_cap;
    uint32_t *first; /* of each node, its newest part plus 1; 0: none */
    struct ids index;
};

static struct call_part *part_at(struct sums_making *m, uint32_t node, uint32_t of)
{
    const struct tally_part *p = &m->tally->list[of];
    const uint64_t key = make_tally_key(node, p->abi, p->number);
    uint32_t i = ids_get(&m->index, key);
    if (i == IDS_NONE) {
        LIST_ROOM(m->list, m->n, m->cap);
        LIST_ROOM(m->links, m->n, m->links_cap);
        i = m->n++;
        m->list[i] = (struct call_part){.node = node, .name = syscall_name(p->abi, p->number)};
        m->links[i] = (struct part_link){m->first[node] ? m->first[node] - 1 : GRAPH_NONE, of};
        m->first[node] = i + 1;
        ids_add(&m->index, key, i);
    }
    return &m->list[i];
}

/* Adds to each node what is inside it. Parents have smaller numbers than their children. */
static void add_up(struct sums_making *m, const struct graph *g)
{
    for (uint32_t node = g->nnodes; node-- > 0;) {
        const uint32_t up = g->parent[node];
        uint32_t i = up != GRAPH_NONE && m->first[node] ? m->first[node] - 1 : GRAPH_NONE;
        for (; i < m->n; i = m->links[i].next) {          /* GRAPH_NONE ends it */
            const struct call_count all = m->list[i].all; /* the list may move */
            call_count_add(&part_at(m, up, m->links[i].of)->all, &all);
        }
    }
}

struct graph_syscalls *call_tally_sums(const struct call_tally *t, const struct graph *g,
                                       uint32_t (*place)(const void *ctx, uint32_t node),
                                       const void *ctx)
{
    struct sums_making m = {.tally = t, .first = xcalloc(g->nnodes + (size_t)1, sizeof *m.first)};
    struct call_count elsewhere = t->elsewhere;
    for (uint32_t i = 0; i < t->n; i++) {
        const struct call_count *n = &t->list[i].n;
        const uint32_t at = place(ctx, t->list[i].node);
        if (at >= g->nnodes) {
            call_count_add(&elsewhere, n);
            continue;
        }
        struct call_part *part = part_at(&m, at, i);
        call_count_add(&part->own, n);
        call_count_add(&part->all, n);
    }
    add_up(&m, g);
    struct graph_syscalls *s = graph_syscalls_new(g->nnodes, m.list, m.n);
    s->total = t->total;
    s->elsewhere = elsewhere;
    s->outlasting = t->outlasting;
    free(m.links);
    free(m.first);
    ids_free(&m.index);
    return s;
}

void call_tally_free(struct call_tally *t)
{
    free(t->list);
    ids_free(&t->index);
    *t = (struct call_tally){.n = 0};
}
