#include "backends/bricks/brick_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/search.h"
#include "engine/bricks/span_syscalls.h"

/* A node of the tally: the program's number and the node of its reader; IN_PROGRAM: the program
 * itself. Readers have fewer nodes. Calls of programs after the first 32767 count as outside. */
enum { PROGRAM_SHIFT = 17, IN_PROGRAM = (1 << PROGRAM_SHIFT) - 1 };

static uint32_t tally_node(const struct watched_program *p, uint32_t node)
{
    if (p->number >= UINT32_MAX >> PROGRAM_SHIFT)
        return GRAPH_NONE;
    return p->number << PROGRAM_SHIFT | (node < IN_PROGRAM ? node : IN_PROGRAM);
}

/* --- which spans matter at this poll --- */

static uint64_t oldest_begin(const struct syscall_recent *r)
{
    uint64_t oldest = UINT64_MAX;
    const size_t n = r ? syscall_recent_count(r) : 0;
    for (size_t i = 0; i < n; i++) {
        const struct syscall_event e = syscall_recent_at(r, i);
        oldest = e.begin_ns < oldest ? e.begin_ns : oldest;
    }
    return oldest;
}

static struct known_spans *known_of(struct live_calls *l, const struct watched_program *p)
{
    for (size_t i = 0; i < l->nknown; i++)
        if (l->known[i].number == p->number)
            return &l->known[i];
    LIST_ROOM(l->known, l->nknown, l->known_cap);
    l->known[l->nknown] = (struct known_spans){.number = p->number};
    return &l->known[l->nknown++];
}

/* Forgets programs that left the list. */
static void forget_known(struct live_calls *l, const struct programs *p)
{
    size_t n = 0;
    for (size_t i = 0; i < l->nknown; i++) {
        size_t k = 0;
        while (k < p->n && p->list[k].number != l->known[i].number)
            k++;
        const struct known_spans kept = l->known[i];
        l->known[i] = (struct known_spans){.number = kept.number};
        if (k < p->n)
            l->known[n++] = kept;
        else
            free(kept.records);
    }
    l->nknown = n;
}

/* Finds for each region the thread that wrote its first known event; 0: unknown. A region has an
 * event for each new thread that takes it over. */
static uint32_t *first_threads(const struct brick_reader *r)
{
    uint32_t n;
    size_t nevents;
    const struct brick_thread_info *threads = brick_reader_threads(r, &n);
    const struct brick_event *e = brick_reader_events(r, &nevents);
    uint32_t *tid = xcalloc(n + 1u, sizeof *tid);
    for (uint32_t i = 0; i < n; i++)
        tid[i] = threads[i].tid;
    for (size_t i = 0; i < nevents; i++)
        if ((e[i].record.type & 15) == BRICK_THREAD)
            tid[e[i].thread] = 0;
    return tid;
}

/* Chooses the spans of a program around calls that began at `fresh` or later, and among the spans
 * that are new in this poll also those around calls that began at `waiting` or later, because
 * waiting calls were in no older span. *any: there are some. */
static struct span_syscalls *choose_call_spans(struct live_calls *l,
                                               const struct watched_program *p, uint64_t fresh,
                                               uint64_t waiting, bool *any)
{
    struct known_spans *k = known_of(l, p);
    struct span_syscalls *out = span_syscalls_begin();
    uint32_t regions;
    size_t n;
    brick_reader_threads(p->reader, &regions);
    if (regions > k->n) {
        k->records = xrealloc(k->records, regions, sizeof *k->records);
        memset(k->records + k->n, 0, (regions - k->n) * sizeof *k->records);
        k->n = regions;
    }
    uint32_t *tid = first_threads(p->reader);
    const struct brick_event *e = brick_reader_events(p->reader, &n);
    for (size_t i = 0; i < n; i++) {
        const struct brick_record *s = &e[i].record;
        if (e[i].thread >= k->n)
            continue;
        const bool new = e[i].at >= k->records[e[i].thread];
        if (new)
            k->records[e[i].thread] = e[i].at + 1;
        if ((s->type & 15) == BRICK_THREAD)
            tid[e[i].thread] = (uint32_t)s->parent;
        if ((s->type & 15) != BRICK_SPAN || (s->type & BRICK_RECORD_DEVICE) || !tid[e[i].thread] ||
            s->end <= s->start)
            continue;
        if (s->end > fresh || (new && s->end > waiting)) {
            span_syscalls_put(out, tid[e[i].thread], s->start, s->end, s->node);
            *any = true;
        }
    }
    span_syscalls_ready(out);
    free(tid);
    return out;
}

/* --- counting --- */

static size_t find_program_of_pid(const struct programs *p, int32_t pid)
{
    for (size_t i = p->n; i-- > 0;) /* the last program that had this pid */
        if (p->list[i].pid == pid)
            return i;
    return p->n;
}

/* Counts a call in the span around it. false: no such span is known yet. */
static bool count_call_in_span(struct live_calls *l, const struct syscall_event *e,
                               const struct programs *p, struct span_syscalls *const *spans)
{
    const size_t at = find_program_of_pid(p, e->pid);
    uint64_t end = 0;
    if (at == p->n) {
        call_tally_event(&l->tally, e, GRAPH_NONE, 0, GRAPH_NONE);
        return true;
    }
    const uint32_t node = span_syscalls_find(spans[at], e, &end);
    if (node == GRAPH_NONE && p->list[at].state == PROGRAM_RUNNING)
        return false;
    call_tally_event(&l->tally, e, node == GRAPH_NONE ? GRAPH_NONE : tally_node(&p->list[at], node),
                     end, tally_node(&p->list[at], IN_PROGRAM));
    return true;
}

static void count_call_outside(struct live_calls *l, const struct syscall_event *e,
                               const struct programs *p)
{
    const size_t at = find_program_of_pid(p, e->pid);
    call_tally_event(&l->tally, e, GRAPH_NONE, 0,
                     at == p->n ? GRAPH_NONE : tally_node(&p->list[at], IN_PROGRAM));
}

static void count_list(struct live_calls *l, const struct syscall_recent *list,
                       const struct programs *p, struct span_syscalls *const *spans,
                       struct syscall_recent *waiting)
{
    const size_t n = syscall_recent_count(list);
    for (size_t i = 0; i < n; i++) {
        const struct syscall_event e = syscall_recent_at(list, i);
        if (count_call_in_span(l, &e, p, spans))
            continue;
        if (syscall_recent_count(waiting) == syscall_recent_room(waiting)) {
            const struct syscall_event oldest = syscall_recent_at(waiting, 0);
            count_call_outside(l, &oldest, p);
        }
        syscall_recent_add(waiting, &e);
    }
}

static void keep_last_calls(struct live_calls *l, const struct syscall_recent *new)
{
    const size_t n = syscall_recent_count(new);
    if (!l->last)
        l->last = syscall_recent_new((size_t)LIVE_CALLS_DRAWN * SYSCALL_RECENT_BYTES);
    for (size_t i = n > LIVE_CALLS_DRAWN ? n - LIVE_CALLS_DRAWN : 0; i < n; i++) {
        const struct syscall_event e = syscall_recent_at(new, i);
        syscall_recent_add(l->last, &e);
    }
}

/* Counts waiting and new calls. new may be NULL. */
static void count_calls(struct live_calls *l, const struct syscall_recent *new,
                        const struct programs *p)
{
    struct syscall_recent *before = l->waiting;
    const uint64_t fresh = oldest_begin(new), waiting = oldest_begin(before);
    struct span_syscalls **spans = xcalloc(p->n + 1, sizeof(struct span_syscalls *));
    bool any = false, ended = false;
    forget_known(l, p);
    for (size_t i = 0; i < p->n; i++) {
        spans[i] = choose_call_spans(l, &p->list[i], fresh, waiting, &any);
        ended |= p->list[i].state != PROGRAM_RUNNING;
    }
    if (before && (any || ended)) {
        l->waiting = syscall_recent_new((size_t)LIVE_CALLS_WAITING * SYSCALL_RECENT_BYTES);
        count_list(l, before, p, spans, l->waiting);
        syscall_recent_free(before);
    } else if (!before) {
        l->waiting = syscall_recent_new((size_t)LIVE_CALLS_WAITING * SYSCALL_RECENT_BYTES);
    }
    if (new)
        count_list(l, new, p, spans, l->waiting);
    for (size_t i = 0; i < p->n; i++)
        span_syscalls_free(spans[i]);
    free(spans);
}

void live_calls_poll(struct live_calls *l, struct call_feed *feed, const struct programs *p)
{
    uint64_t trace, begin_ns;
    struct syscall_recent *new = call_feed_take(feed, &trace, &begin_ns);
    if (trace != l->trace) { /* the sums of another trace begin anew */
        live_calls_free(l);
        l->trace = trace;
        l->begin_ns = begin_ns;
    }
    if (!new && (!l->waiting || syscall_recent_count(l->waiting) == 0))
        return;
    count_calls(l, new, p);
    if (new) {
        l->dropped += syscall_recent_dropped(new);
        keep_last_calls(l, new);
    }
    syscall_recent_free(new);
}

struct placing {
    const struct programs *programs;
    const uint32_t *nodes;
};

/* Finds a node in the tree; GRAPH_NONE if its program is no longer in the list. */
static uint32_t find_shown_node(const void *ctx, uint32_t node)
{
    const struct placing *x = ctx;
    const uint32_t number = node >> PROGRAM_SHIFT, own = node & IN_PROGRAM;
    size_t low = 0; /* the list is sorted by number */
    SEARCH_FIRST(low, x->programs->n, x->programs->list[low].number < number);
    if (low == x->programs->n || x->programs->list[low].number != number)
        return GRAPH_NONE;
    const uint32_t base = x->nodes[low];
    return own == IN_PROGRAM || base == GRAPH_NONE ? base : base + 1 + own;
}

/* Whether the trace saw all calls of the tree's programs; missed: records that were lost. */
static bool is_live_trace_whole(const struct live_calls *l, const struct programs *p,
                                uint64_t missed)
{
    for (size_t i = 0; i < p->n; i++)
        if (brick_reader_header(p->list[i].reader)->created_ns < l->begin_ns)
            return false;
    return l->dropped == 0 && missed == 0;
}

void live_calls_give(const struct live_calls *l, const struct programs *p, const uint32_t *nodes,
                     struct graph *tree)
{
    if (!l->trace)
        return;
    const struct placing placing = {p, nodes};
    struct graph_syscalls *s = call_tally_sums(&l->tally, tree, find_shown_node, &placing);
    s->dropped = l->dropped;
    s->waiting = l->waiting ? syscall_recent_count(l->waiting) : 0;
    for (size_t i = 0; i < p->n; i++)
        s->missed += brick_reader_missed(p->list[i].reader);
    s->partial = !is_live_trace_whole(l, p, s->missed);
    graph_set_syscalls(tree, s);
}

void live_calls_free(struct live_calls *l)
{
    call_tally_free(&l->tally);
    syscall_recent_free(l->waiting);
    syscall_recent_free(l->last);
    for (size_t i = 0; i < l->nknown; i++)
        free(l->known[i].records);
    free(l->known);
    *l = (struct live_calls){.waiting = NULL};
}
