#include "backends/run_folder/attach.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/*
 * A dispatch, with the properties that stay the same in another run. Names are those of the base.
 */
struct item {
    uint32_t kernel, lane, program; /* names; lane: the queue, or the GPU's number */
    uint32_t root;     /* of several programs with that name: the first, the second… */
    uint64_t id, work; /* work: total work-items; 0: unknown */
    uint32_t node;
};

static int by_identity(const struct item *a, const struct item *b)
{
    if (a->kernel != b->kernel)
        return a->kernel < b->kernel ? -1 : 1;
    if (a->lane != b->lane)
        return a->lane < b->lane ? -1 : 1;
    return (a->program > b->program) - (a->program < b->program);
}

static int compare_attach_items(const void *x, const void *y)
{
    const struct item *a = x, *b = y;
    int c = by_identity(a, b);
    if (c != 0)
        return c;
    if (a->root != b->root)
        return a->root < b->root ? -1 : 1;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

/* An unknown dimension counts as 1. */
static uint64_t at_least_one(uint32_t n)
{
    return n ? n : 1;
}

static uint64_t count_work_items(const struct graph *g, uint32_t node)
{
    uint64_t n = 1;
    if (g->detail[node] == GRAPH_NONE)
        return 0;
    const struct graph_detail *d = &g->details[g->detail[node]];
    for (int i = 0; i < 3; i++)
        n *= at_least_one(d->kernel.grid[i]) * at_least_one(d->kernel.block[i]);
    return d->kernel.grid[0] ? n : 0;
}

/* Maps names of the other trace to names of the base, on first use. */
struct adopted_names {
    struct graph *base;
    const struct graph *of;
    uint32_t *known; /* NULL: both have the same graph */
};

static uint32_t intern_base_name(struct adopted_names *n, uint32_t name)
{
    if (!n->known)
        return name;
    if (n->known[name] == GRAPH_NONE)
        n->known[name] = graph_intern(n->base, graph_text(n->of, name));
    return n->known[name];
}

struct items {
    struct item *list;
    uint32_t n;
};

static struct items items_of(const struct trace *t, struct adopted_names *names, uint32_t from,
                             uint32_t to, bool by_queue)
{
    const struct graph *g = t->calls;
    struct items out = {xcalloc(t->ndispatches + 1u, sizeof(struct item)), 0};
    for (uint32_t i = 0; i < t->ndispatches; i++) {
        const struct trace_dispatch own = trace_dispatch_at(t, i), *d = &own;
        if (d->node < from || d->node >= to)
            continue;
        uint32_t root = d->node, lane = g->parent[d->node];
        while (g->parent[root] != GRAPH_NONE)
            root = g->parent[root];
        bool gpu = d->agent < t->nagents;
        const uint32_t kernel = intern_base_name(names, g->name[d->node]);
        uint32_t number = gpu ? t->agents[d->agent].number : 0;
        if (by_queue && lane != GRAPH_NONE)
            number = intern_base_name(names, g->name[lane]);
        out.list[out.n++] = (struct item){.kernel = kernel,
                                          .lane = number,
                                          .program = intern_base_name(names, g->name[root]),
                                          .root = root,
                                          .id = d->id,
                                          .work = count_work_items(g, d->node),
                                          .node = d->node};
    }
    if (out.n)
        qsort(out.list, out.n, sizeof *out.list, compare_attach_items);
    return out;
}

static uint32_t item_lane(const struct item *i)
{
    return i->lane;
}

static uint32_t item_program(const struct item *i)
{
    return i->program;
}

/* Whether each name in b also occurs in a. */
static bool same_names(const struct items *a, const struct items *b, uint32_t nnames,
                       uint32_t (*name)(const struct item *i))
{
    bool *there = xcalloc(nnames + 1u, sizeof *there), all = true;
    for (uint32_t i = 0; i < a->n; i++)
        there[name(&a->list[i]) < nnames ? name(&a->list[i]) : nnames] = true;
    for (uint32_t i = 0; i < b->n; i++)
        all &= there[name(&b->list[i]) < nnames ? name(&b->list[i]) : nnames];
    free(there);
    return all;
}

/* Removes the names of programs that are only their pid, which differs in each run. */
static void forget_programs(struct items *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        l->list[i].program = 0;
    if (l->n)
        qsort(l->list, l->n, sizeof *l->list, compare_attach_items);
}

static uint32_t run_length(const struct items *l, uint32_t from)
{
    uint32_t n = 1;
    while (from + n < l->n && by_identity(&l->list[from], &l->list[from + n]) == 0)
        n++;
    return n;
}

static bool same_work(const struct item *a, const struct item *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (a[i].work && b[i].work && a[i].work != b[i].work)
            return false;
    return true;
}

struct joining {
    struct trace *base;
    const struct trace *pass;
    struct adopted_names names;
    const uint32_t *taken;
    uint32_t ntaken;
    uint8_t *given; /* for each name of the pass, 0: not checked yet, 1: wanted, 2: already taken */
    struct attach_result *out;
};

static bool is_taken(struct joining *j, uint32_t name)
{
    uint8_t *given = &j->given[name];
    uint32_t in_base = intern_base_name(&j->names, name);
    for (uint32_t i = 0; *given == 0 && i < j->ntaken; i++)
        *given = j->taken[i] == in_base ? 2 : 0;
    *given = *given ? *given : 1;
    return *given == 2;
}

static void give_counters(struct joining *j, uint32_t to, uint32_t from)
{
    const struct trace *p = j->pass;
    for (uint32_t i = trace_first_counter(p, from); i < p->ncounters && p->counters[i].node == from;
         i++)
        if (!is_taken(j, p->counters[i].name))
            trace_add_counter(
                j->base, to,
                graph_text(j->base->calls, intern_base_name(&j->names, p->counters[i].name)),
                p->counters[i].value);
    j->out->joined++;
}

static void note_unmatched_kernel(struct joining *j, uint32_t name, uint32_t in_base,
                                  uint32_t in_pass)
{
    if (j->out->kernels++ == 0) {
        j->out->name = name;
        j->out->in_base = in_base;
        j->out->in_pass = in_pass;
    }
}

/* Joins two sorted lists. A kernel that the base profile never ran is refused too. */
static void join_lists(struct joining *j, const struct items *a, const struct items *b)
{
    uint32_t i = 0;
    for (uint32_t k = 0; k < b->n;) {
        int c = i < a->n ? by_identity(&a->list[i], &b->list[k]) : 1;
        if (c < 0) {
            uint32_t n = run_length(a, i);
            note_unmatched_kernel(j, a->list[i].kernel, n, 0);
            i += n;
            continue;
        }
        uint32_t in_pass = run_length(b, k), in_base = c == 0 ? run_length(a, i) : 0;
        if (in_base == in_pass && same_work(&a->list[i], &b->list[k], in_base))
            for (uint32_t n = 0; n < in_base; n++)
                give_counters(j, a->list[i + n].node, b->list[k + n].node);
        else
            note_unmatched_kernel(j, b->list[k].kernel, in_base, in_pass);
        i += in_base;
        k += in_pass;
    }
    for (; i < a->n; i += run_length(a, i))
        note_unmatched_kernel(j, a->list[i].kernel, run_length(a, i), 0);
}

void attach_counters(struct trace *base, uint32_t from, uint32_t to, const struct trace *pass,
                     const uint32_t *taken, uint32_t ntaken, struct attach_result *out)
{
    struct joining j = {base, pass, {base->calls, pass->calls, NULL}, taken, ntaken, NULL, out};
    struct adopted_names own = {base->calls, base->calls, NULL};
    *out = (struct attach_result){.name = GRAPH_NONE};
    j.given = xcalloc(pass->calls->nnames + 1u, sizeof *j.given);
    j.names.known = xcalloc(pass->calls->nnames + 1u, sizeof *j.names.known);
    memset(j.names.known, 0xff, (pass->calls->nnames + 1u) * sizeof *j.names.known);
    struct items a = items_of(base, &own, from, to, true),
                 b = items_of(pass, &j.names, 0, UINT32_MAX, true);
    if (!same_names(&a, &b, base->calls->nnames, item_lane)) {
        free(a.list);
        free(b.list);
        a = items_of(base, &own, from, to, false);
        b = items_of(pass, &j.names, 0, UINT32_MAX, false);
    }
    if (!same_names(&a, &b, base->calls->nnames, item_program)) {
        forget_programs(&a);
        forget_programs(&b);
    }
    join_lists(&j, &a, &b);
    free(a.list);
    free(b.list);
    free(j.names.known);
    free(j.given);
}
