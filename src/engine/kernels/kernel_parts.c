#include "engine/kernels/kernel_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/ids.h"
#include "base/list.h"
#include "base/watch.h"
#include "engine/graph/busy.h"

/* --- which part a span belongs to --- */

static uint64_t hash_kernel_part(const struct kernel_part *p)
{
    const uint32_t words[] = {p->name,
                              p->kind,
                              p->shape.agent,
                              p->shape.grid[0],
                              p->shape.grid[1],
                              p->shape.grid[2],
                              p->shape.block[0],
                              p->shape.block[1],
                              p->shape.block[2],
                              p->shape.vgprs,
                              p->shape.accum_vgprs,
                              p->shape.sgprs,
                              p->shape.lds_bytes,
                              p->shape.scratch_bytes};
    return hash_bytes(0, words, sizeof words);
}

static bool is_same_part(const struct kernel_part *a, const struct kernel_part *b)
{
    return a->name == b->name && a->kind == b->kind && a->shape.agent == b->shape.agent &&
           kernel_shape_order(&a->shape, &b->shape) == 0;
}

static uint32_t find_or_add_part(struct kernel_parts *p, const struct kernel_part *wanted)
{
    uint64_t hash = hash_kernel_part(wanted);
    HASH_EACH (&p->by_content, hash, i)
        if (is_same_part(&p->list[i], wanted))
            return i;
    hash_table_add(&p->by_content, hash, p->n);
    LIST_ROOM(p->list, p->n, p->cap);
    p->list[p->n] = *wanted;
    return p->n++;
}

static struct kernel_part part_of_dispatch(const struct graph *g, uint32_t v,
                                           const struct trace_dispatch *d)
{
    struct kernel_part p = {.name = g->name[v],
                            .kind = g->kind[v],
                            .node = v,
                            .counted = UINT32_MAX,
                            .shape = {.agent = TRACE_UNKNOWN,
                                      .vgprs = TRACE_UNKNOWN,
                                      .accum_vgprs = TRACE_UNKNOWN,
                                      .sgprs = TRACE_UNKNOWN,
                                      .lds_bytes = TRACE_UNKNOWN,
                                      .scratch_bytes = TRACE_UNKNOWN}};
    if (g->kind[v] == NODE_KERNEL && g->detail[v] != GRAPH_NONE) {
        const struct graph_detail *k = &g->details[g->detail[v]];
        memcpy(p.shape.grid, k->kernel.grid, sizeof p.shape.grid);
        memcpy(p.shape.block, k->kernel.block, sizeof p.shape.block);
    }
    if (d) {
        p.shape.agent = d->agent;
        p.shape.vgprs = d->vgprs;
        p.shape.accum_vgprs = d->accum_vgprs;
        p.shape.sgprs = d->sgprs;
        p.shape.lds_bytes = d->lds_bytes;
        p.shape.scratch_bytes = d->scratch_bytes;
    }
    return p;
}

/* --- sums --- */

static void add_saturating(uint64_t *to, uint64_t v)
{
    if (__builtin_add_overflow(*to, v, to)) /* only a damaged or malicious file overflows */
        *to = UINT64_MAX;
}

static void add_squares(struct kernel_sum *to, kernel_wide v)
{
    if (__builtin_add_overflow(to->squares, v, &to->squares))
        to->overflow = true;
}

static void count_dispatch(struct kernel_sum *s, uint64_t ns, uint64_t bytes)
{
    s->calls++;
    add_saturating(&s->bytes, bytes);
    if (ns == GRAPH_UNKNOWN)
        return;
    s->min = s->timed == 0 || ns < s->min ? ns : s->min;
    s->max = ns > s->max ? ns : s->max;
    s->timed++;
    add_saturating(&s->total, ns);
    add_squares(s, (kernel_wide)ns * ns);
}

static void merge_slack(struct kernel_sum *to, const struct kernel_sum *from)
{
    if (from->slack_calls == 0)
        return;
    to->slack_min =
        to->slack_calls == 0 || from->slack_min < to->slack_min ? from->slack_min : to->slack_min;
    to->slack_max = from->slack_max > to->slack_max ? from->slack_max : to->slack_max;
    to->slack_calls += from->slack_calls;
    add_saturating(&to->slack_total, from->slack_total);
}

void kernel_sum_merge(struct kernel_sum *to, const struct kernel_sum *from)
{
    if (from->timed)
        to->min = to->timed == 0 || from->min < to->min ? from->min : to->min;
    to->max = from->max > to->max ? from->max : to->max;
    merge_slack(to, from);
    to->calls += from->calls;
    to->timed += from->timed;
    to->followers += from->followers;
    to->launched += from->launched;
    add_saturating(&to->total, from->total);
    add_saturating(&to->on_path, from->on_path);
    add_saturating(&to->bytes, from->bytes);
    add_saturating(&to->gap, from->gap);
    add_saturating(&to->late, from->late);
    add_saturating(&to->latency, from->latency);
    add_saturating(&to->waited, from->waited);
    add_saturating(&to->exposed, from->exposed);
    add_saturating(&to->bus, from->bus);
    add_saturating(&to->bus_ns, from->bus_ns);
    add_saturating(&to->slower, from->slower);
    add_saturating(&to->compared, from->compared);
    if (from->messages)
        to->ranks = to->messages == 0 || to->ranks == from->ranks ? from->ranks : TRACE_UNKNOWN;
    to->messages += from->messages;
    add_squares(to, from->squares);
    to->overflow |= from->overflow;
}

int kernel_shape_order(const struct kernel_shape *a, const struct kernel_shape *b)
{
    const uint32_t x[] = {a->grid[0],  a->grid[1],   a->grid[2],      a->block[0],
                          a->block[1], a->block[2],  a->vgprs,        a->accum_vgprs,
                          a->sgprs,    a->lds_bytes, a->scratch_bytes};
    const uint32_t y[] = {b->grid[0],  b->grid[1],   b->grid[2],      b->block[0],
                          b->block[1], b->block[2],  b->vgprs,        b->accum_vgprs,
                          b->sgprs,    b->lds_bytes, b->scratch_bytes};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* --- passes --- */

static uint64_t count_copied_bytes(const struct graph *g, uint32_t v)
{
    if (g->kind[v] != NODE_TRANSFER || g->detail[v] == GRAPH_NONE)
        return 0;
    uint64_t bytes = g->details[g->detail[v]].transfer.bytes;
    return bytes == GRAPH_UNKNOWN ? 0 : bytes;
}

bool kernel_longer(const struct graph *g, uint32_t v, uint32_t than)
{
    if (!graph_has_time(g, v) || !graph_has_time(g, than))
        return graph_has_time(g, v);
    return g->duration[v] != g->duration[than] ? g->duration[v] > g->duration[than]
                                               : g->start[v] < g->start[than];
}

static void count_counters(struct kernel_parts *p, struct kernel_part *part, const struct trace *t,
                           uint32_t dispatch, uint32_t first, uint32_t n, const uint8_t *slot)
{
    uint64_t ns = t->calls->duration[trace_dispatch_at(t, dispatch).node];
    if (part->counted == UINT32_MAX) {
        LIST_ROOM(p->counting, p->ncounting, p->counting_cap);
        part->counted = p->ncounting++;
        p->counting[part->counted] = (struct kernel_counting){.missing = 0};
    }
    kernel_counting_add(&p->counting[part->counted], t, dispatch, first, n, slot,
                        ns == GRAPH_UNKNOWN ? 0 : ns);
}

/* The key of a span's part. Spans of one launch shape share their detail, and dispatches with equal
 * resources share their launch number. The last result is kept. */
struct key {
    uint32_t name, kind, detail, launch, part; /* GRAPH_NONE: no part yet */
};
enum { KEYS = 1024 };

struct part_finding {
    const struct trace *t;
    struct key known[KEYS];
    uint32_t d, dispatch; /* the first dispatch not before the span, its node; or GRAPH_NONE */
};

static void next_dispatch(struct part_finding *f, uint32_t v)
{
    while (f->dispatch != GRAPH_NONE && f->dispatch < v)
        f->dispatch = ++f->d < f->t->ndispatches ? trace_dispatch_node(f->t, f->d) : GRAPH_NONE;
}

static uint32_t find_part_of_span(struct kernel_parts *p, struct part_finding *f, uint32_t v)
{
    const struct graph *g = f->t->calls;
    struct key k = {g->name[v], g->kind[v], GRAPH_NONE, GRAPH_NONE, GRAPH_NONE};
    bool dispatched = f->dispatch == v;
    if (k.kind == NODE_KERNEL)
        k.detail = g->detail[v];
    if (dispatched)
        k.launch = trace_dispatch_launch(f->t, f->d);
    uint64_t hash = ids_mix((uint64_t)k.name << 32 ^ (uint64_t)k.detail << 12 ^ k.launch);
    struct key *known = &f->known[hash % KEYS];
    if (known->part != GRAPH_NONE && known->name == k.name && known->kind == k.kind &&
        known->detail == k.detail && known->launch == k.launch)
        return known->part;
    struct trace_dispatch own;
    if (dispatched)
        own = trace_dispatch_at(f->t, f->d);
    struct kernel_part wanted = part_of_dispatch(g, v, dispatched ? &own : NULL);
    k.part = find_or_add_part(p, &wanted);
    *known = k;
    return k.part;
}

static void set_part(struct kernel_parts *p, const struct graph *g, uint32_t v, uint32_t part)
{
    if (part >= UINT16_MAX && !p->high)
        p->high = xcalloc(g->nnodes + (size_t)1, sizeof *p->high);
    p->low[v] = (uint16_t)(part + 1);
    if (p->high)
        p->high[v] = (uint16_t)((part + 1) >> 16);
}

/* Reads every span once; dispatches and counters are in the order of nodes. */
static void find_parts(struct kernel_parts *p, const struct trace *t)
{
    const struct graph *g = t->calls;
    uint8_t *slot = t->ncounters ? kernel_counter_slots(g) : NULL;
    struct part_finding *f = xcalloc(1, sizeof *f);
    uint32_t c = 0;
    memset(f->known, 0xff, sizeof f->known);
    f->t = t;
    f->dispatch = t->ndispatches ? trace_dispatch_node(t, 0) : GRAPH_NONE;
    for (uint32_t v = 0; v < g->nnodes && !watch_stops(v); v++) {
        if (!graph_is_work(g, v))
            continue;
        next_dispatch(f, v);
        while (c < t->ncounters && t->counters[c].node < v)
            c++;
        uint32_t at = find_part_of_span(p, f, v);
        struct kernel_part *part = &p->list[at];
        set_part(p, g, v, at);
        count_dispatch(&part->sum, g->duration[v], count_copied_bytes(g, v));
        part->node = kernel_longer(g, v, part->node) ? v : part->node;
        uint32_t first = c;
        while (c < t->ncounters && t->counters[c].node == v)
            c++;
        if (c > first && f->dispatch == v)
            count_counters(p, part, t, f->d, first, c - first, slot);
    }
    free(f);
    free(slot);
}

/* The call that launched each span, or GRAPH_NONE; NULL if no launch is known. */
static uint32_t *find_launchers_of_spans(const struct graph *g)
{
    uint32_t *of = NULL;
    for (uint32_t e = 0; e < g->nedges; e++) {
        uint32_t from = g->edge_from[e], to = g->edge_to[e];
        if (g->edge_kind[e] != EDGE_LAUNCHES || !graph_is_work(g, to) ||
            g->start[from] == GRAPH_UNKNOWN)
            continue;
        if (!of) {
            of = xcalloc(g->nnodes, sizeof *of);
            memset(of, 0xff, g->nnodes * sizeof *of);
        }
        if (of[to] == GRAPH_NONE || g->start[from] < g->start[of[to]])
            of[to] = from;
    }
    return of;
}

/* The idle time between two times in which no other queue worked either. */
static uint64_t count_idle_time(struct busy *busy, uint32_t v, uint64_t from, uint64_t to)
{
    return to > from ? to - from - busy_within(busy, v, from, to) : 0;
}

uint64_t kernel_launch_ends(const struct graph *g, uint32_t call, uint64_t start)
{
    uint64_t takes = g->duration[call] != GRAPH_UNKNOWN && g->duration[call] > PATH_LATE_NS
                         ? g->duration[call]
                         : PATH_LATE_NS;
    return start - g->start[call] > takes ? g->start[call] + takes : start;
}

/* Finds the idle time between neighbours of a queue, and whether the host or the launch caused it.
 */
static void find_gaps(struct kernel_parts *p, const struct graph *g)
{
    uint32_t *launcher = find_launchers_of_spans(g);
    struct busy *busy = busy_find(g, NULL);
    for (uint32_t e = 0; e < g->nedges && !watch_stops(e); e++) {
        uint32_t from = g->edge_from[e], to = g->edge_to[e];
        if (g->edge_kind[e] != EDGE_SEQUENCE || !graph_is_work(g, from) ||
            !graph_has_time(g, from) || !graph_has_time(g, to) || !graph_on_device(g, to))
            continue;
        uint32_t part = kernel_part_at(p, to);
        uint64_t end = g->start[from] + g->duration[from], start = g->start[to];
        if (part == GRAPH_NONE || start < end)
            continue;
        struct kernel_sum *s = &p->list[part].sum;
        s->followers++;
        add_saturating(&s->gap, count_idle_time(busy, to, end, start));
        uint64_t call =
            launcher && launcher[to] != GRAPH_NONE ? g->start[launcher[to]] : UINT64_MAX;
        if (call > start) /* the launch is unknown, or its time is from another clock */
            continue;
        s->launched++;
        add_saturating(&s->late, count_idle_time(busy, to, end, call));
        uint64_t known = kernel_launch_ends(g, launcher[to], start);
        add_saturating(&s->latency, count_idle_time(busy, to, call > end ? call : end, known));
        add_saturating(&s->waited, count_idle_time(busy, to, known > end ? known : end, start));
    }
    busy_free(busy);
    free(launcher);
}

void kernel_parts_make(struct kernel_parts *out, const struct trace *t)
{
    out->low = xcalloc(t->calls->nnodes + (size_t)1, sizeof *out->low);
    find_parts(out, t);
    find_gaps(out, t->calls);
}

static void add_slack(struct kernel_parts *out, const struct graph *g,
                      const struct critical_path *path)
{
    for (uint32_t v = 0; v < g->nnodes; v++) {
        uint32_t part = kernel_part_at(out, v);
        uint64_t slack = path->slack[v];
        if (part == GRAPH_NONE || slack == GRAPH_UNKNOWN)
            continue;
        merge_slack(&out->list[part].sum, &(struct kernel_sum){.slack_calls = 1,
                                                               .slack_total = slack,
                                                               .slack_min = slack,
                                                               .slack_max = slack});
    }
}

void kernel_parts_on_path(struct kernel_parts *out, const struct graph *g,
                          const struct critical_path *path)
{
    for (uint32_t i = 0; i < path->nsteps; i++) {
        const struct critical_step *s = &path->steps[i];
        uint32_t part = s->latency ? GRAPH_NONE : kernel_part_at(out, s->node);
        if (part != GRAPH_NONE)
            add_saturating(&out->list[part].sum.on_path, s->length);
    }
    if (path->slack)
        add_slack(out, g, path);
}

void kernel_parts_free(struct kernel_parts *p)
{
    free(p->list);
    free(p->low);
    free(p->high);
    free(p->counting);
    hash_table_free(&p->by_content);
    *p = (struct kernel_parts){0};
}
