#include "engine/syscalls/snapshot/gather.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/list.h"
#include "engine/syscalls/snapshot/origins.h"
#include "engine/syscalls/roles.h"

/* A finding with less confidence is not shown: it has not reached the threshold of its rule. */
#define LEAST_CONFIDENCE 0.5

enum { STACKS_BYTES = 16 << 20 };

const struct syscalls_limits syscalls_limits_live = {.chunks = 16, .rows = 4096, .facts = 50000};
const struct syscalls_limits syscalls_limits_saved = {.chunks = 2000};

struct syscalls_gather {
    struct syscalls_limits limits;
    struct run_facts *facts;
    struct syscall_sums sums; /* exact even if the facts are full */
    struct syscall_tail tail;
    struct syscalls_rates rates;
    struct syscall_stacks *stacks;    /* NULL: no event had one */
    const struct syscall_stack **own; /* for each id of an event's stack: the same in `stacks` */
    size_t nown, own_cap;
    struct stack_sums stack_sums;
    uint64_t unfinished, lost, rings, operations, by_way[SYSCALL_WAYS];
    uint64_t begin_ns, end_ns, serial;
    int32_t skip; /* the process that has not executed its program yet; 0: none */
    bool full, has_times;
};

struct syscalls_gather *syscalls_gather_new(const struct syscalls_limits *limits)
{
    struct syscalls_gather *g = xcalloc(1, sizeof *g);
    g->limits = *limits;
    g->facts = run_facts_new();
    g->tail.limit = limits->chunks;
    g->serial = env_now_ns(); /* so that snapshots of two traces have different numbers */
    return g;
}

void syscalls_gather_free(struct syscalls_gather *g)
{
    if (!g)
        return;
    run_facts_free(g->facts);
    syscall_sums_free(&g->sums);
    syscall_tail_free(&g->tail);
    syscall_stacks_free(g->stacks);
    free(g->own);
    stack_sums_free(&g->stack_sums);
    free(g);
}

void syscalls_gather_after_exec(struct syscalls_gather *g, int32_t pid)
{
    g->skip = pid;
}

void syscalls_gather_lost(struct syscalls_gather *g, uint64_t calls)
{
    if (calls > g->lost)
        g->lost = calls;
}

/* --- over time --- */

/* Makes each part twice as long, so that the time line has room for twice the time. */
static void widen_rates(struct syscalls_rates *r)
{
    r->width_ns *= 2;
    for (uint32_t i = 0; i < SYSCALLS_RATES; i++) {
        const bool in = i < SYSCALLS_RATES / 2;
        r->calls[i] = in ? r->calls[2 * i] + r->calls[2 * i + 1] : 0;
        r->errors[i] = in ? r->errors[2 * i] + r->errors[2 * i + 1] : 0;
        r->bytes[i] = in ? r->bytes[2 * i] + r->bytes[2 * i + 1] : 0;
    }
    r->n = (r->n + 1) / 2;
}

/* Returns the part that ns falls into; makes the time line long enough. */
static uint32_t find_rates_part(struct syscalls_rates *r, uint64_t ns)
{
    enum { FIRST_NS = 1000000 };
    if (!r->width_ns) {
        r->begin_ns = ns;
        r->width_ns = FIRST_NS;
    }
    const uint64_t since = ns > r->begin_ns ? ns - r->begin_ns : 0;
    while (since / r->width_ns >= SYSCALLS_RATES)
        widen_rates(r);
    const uint32_t i = (uint32_t)(since / r->width_ns);
    r->n = i + 1 > r->n ? i + 1 : r->n;
    return i;
}

/* --- events --- */

static bool are_facts_full(const struct syscalls_gather *g)
{
    const struct run_facts *f = g->facts;
    return g->limits.facts && f->nprocesses + f->nloops + f->nuses + 64 * f->nprograms +
                                      descriptors_count(f->descriptors) >
                                  g->limits.facts;
}

/* Whether descriptors from before the trace would use more than half of the memory for facts. */
static bool too_many_held(const struct syscalls_gather *g, const struct syscall_event *e)
{
    return e->kind == SYSCALL_HELD && g->limits.facts &&
           descriptors_count(g->facts->descriptors) > g->limits.facts / 2;
}

static bool before_exec(struct syscalls_gather *g, const struct syscall_event *e)
{
    if (!g->skip || e->pid != g->skip)
        return false;
    if (e->kind == SYSCALL_EXEC || e->kind == SYSCALL_EXIT)
        g->skip = 0;
    return g->skip != 0;
}

static void count_gathered_call(struct syscalls_gather *g, const struct syscall_event *e)
{
    const uint32_t i =
        find_rates_part(&g->rates, e->end_ns > e->begin_ns ? e->end_ns : e->begin_ns);
    const struct syscall_duty *duty = syscall_duty(e->abi, e->number);
    const bool ring = duty->role == ROLE_RING && e->result >= 0;
    g->rates.calls[i]++;
    g->rates.errors[i] += syscall_failed(e);
    g->rates.bytes[i] += syscalls_bytes_moved(e);
    g->by_way[e->way % SYSCALL_WAYS]++;
    if (e->flags & SYSCALL_UNFINISHED) { /* as in the table of `trace -c` */
        g->unfinished++;
        return;
    }
    g->rings += ring;
    g->operations += e->abi == SYSCALL_URING;
    g->has_times |= !(e->flags & SYSCALL_NO_TIMES) && e->end_ns > e->begin_ns;
    syscall_sums_add(&g->sums, e);
    if (g->facts && descriptors_waited(g->facts->descriptors, e))
        syscall_sums_add_wait(&g->sums, e);
}

/* Returns the same stack in a table that lives as long as the snapshots. */
static const struct syscall_stack *keep_gathered_stack(struct syscalls_gather *g,
                                                       const struct syscall_stack *stack)
{
    struct syscall_frame frames[SYSCALL_FRAMES_MAX];
    if (!stack || stack->n > SYSCALL_FRAMES_MAX)
        return NULL;
    while (g->nown <= stack->id)
        LIST_ADD(g->own, g->nown, g->own_cap, NULL);
    if (!g->own[stack->id]) {
        if (!g->stacks)
            g->stacks = syscall_stacks_new(STACKS_BYTES);
        for (uint32_t i = 0; i < stack->n; i++)
            frames[i] = *stack->frames[i];
        g->own[stack->id] = syscall_stacks_add(g->stacks, frames, stack->n, stack->cut);
    }
    return g->own[stack->id];
}

static void keep_gathered_event(struct syscalls_gather *g, const struct syscall_event *e)
{
    struct syscall_event own = *e;
    own.stack = keep_gathered_stack(g, e->stack);
    if (e->kind == SYSCALL_CALL && !(e->flags & SYSCALL_UNFINISHED))
        stack_sums_add(&g->stack_sums, e, own.stack);
    syscall_tail_add(&g->tail, &own);
}

bool syscalls_gather_add(struct syscalls_gather *g, const struct syscall_event *e)
{
    if (e->kind == SYSCALL_ENTRY || before_exec(g, e) || too_many_held(g, e))
        return false;
    if (e->kind == SYSCALL_LOST) {
        g->lost += e->args[0] ? e->args[0] : 1;
        return true;
    }
    if (!g->begin_ns || e->begin_ns < g->begin_ns)
        g->begin_ns = e->begin_ns;
    if (e->end_ns > g->end_ns)
        g->end_ns = e->end_ns;
    if (e->kind == SYSCALL_CALL)
        count_gathered_call(g, e);
    if (g->full || (g->full = are_facts_full(g)))
        run_facts_end_process(g->facts, e);
    else
        run_facts_add(g->facts, e);
    if (e->kind != SYSCALL_START && e->kind != SYSCALL_EXEC && e->kind != SYSCALL_HELD)
        /* of the first two, the call that did it is there */
        keep_gathered_event(g, e);
    return true;
}

/* --- snapshots --- */

static double share_of_traced_time(const struct syscalls_snapshot *p, uint64_t ns)
{
    return p->has_times && p->total_ns ? (double)ns / (double)p->total_ns : NAN;
}

static int compare_call_rows(const void *a, const void *b)
{
    const struct syscalls_call_row *x = a, *y = b;
    if (x->waits != y->waits)
        return x->waits ? 1 : -1;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    if (x->calls != y->calls)
        return x->calls > y->calls ? -1 : 1;
    return strcmp(x->name, y->name);
}

static double quantile_if_timed(const struct syscalls_snapshot *p, const struct syscall_sum *s,
                                double q)
{
    return p->has_times && s->times.total ? syscall_sum_quantile(s, q) : NAN;
}

static void put_call_rows(struct syscalls_snapshot *p, const struct syscall_sums *sums)
{
    p->calls = arena_alloc(&p->arena, (sums->n + 1) * sizeof *p->calls);
    for (size_t i = 0; i < sums->n; i++) {
        const struct syscall_sum *s = &sums->list[i];
        struct syscalls_call_row *r = &p->calls[p->ncalls++];
        *r = (struct syscalls_call_row){.abi = s->abi,
                                        .number = s->number,
                                        .calls = s->calls,
                                        .errors = s->errors,
                                        .unfinished = s->unfinished,
                                        .total_ns = s->total_ns,
                                        .min_ns = s->times.total ? s->min_ns : 0,
                                        .max_ns = s->max_ns,
                                        .bytes = s->bytes,
                                        .share = p->has_times ? syscall_sums_share(sums, s) : NAN,
                                        .mean = p->has_times && s->times.total
                                                    ? (double)s->total_ns / (double)s->times.total
                                                    : NAN,
                                        .p50 = quantile_if_timed(p, s, 0.5),
                                        .p90 = quantile_if_timed(p, s, 0.9),
                                        .p99 = quantile_if_timed(p, s, 0.99)};
        syscalls_call_name(s->abi, s->number, r->name, sizeof r->name);
        /* a row cannot stand in two places: most of its time decides */
        r->waits = syscall_waits(r->name) || s->wait_ns > s->total_ns / 2;
        p->waiting_ns += syscall_waits(r->name) ? s->total_ns : s->wait_ns;
    }
    if (p->ncalls > 1)
        qsort(p->calls, p->ncalls, sizeof *p->calls, compare_call_rows);
}

static int busiest_process(const void *a, const void *b)
{
    const struct syscalls_process_row *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    if (x->calls != y->calls)
        return x->calls > y->calls ? -1 : 1;
    return x->pid != y->pid ? x->pid - y->pid : (x->index > y->index) - (x->index < y->index);
}

static void put_processes(struct syscalls_snapshot *p, const struct run_facts *f, uint32_t most)
{
    struct syscalls_process_row *all = xcalloc(f->nprocesses + 1, sizeof *all);
    for (size_t i = 0; i < f->nprocesses; i++) {
        const struct process_fact *k = &f->processes[i];
        all[i] = (struct syscalls_process_row){.pid = k->pid,
                                               .index = (uint32_t)i,
                                               .parent = k->parent,
                                               .calls = k->calls,
                                               .errors = k->errors,
                                               .ns = k->call_ns,
                                               .child_ns = k->child_ns,
                                               .longest_ns = k->longest_ns,
                                               .threads = k->threads,
                                               .open = k->open_last,
                                               .status = k->status,
                                               .ended = k->ended,
                                               .share = share_of_traced_time(p, k->call_ns)};
        snprintf(all[i].name, sizeof all[i].name, "%s", k->name);
        if (k->longest_ns)
            syscalls_call_name(k->longest_abi, k->longest_number, all[i].longest,
                               sizeof all[i].longest);
    }
    if (f->nprocesses > 1)
        qsort(all, f->nprocesses, sizeof *all, busiest_process);
    p->all_processes = f->nprocesses;
    p->nprocesses = most && f->nprocesses > most ? most : f->nprocesses;
    p->processes = arena_alloc(&p->arena, (p->nprocesses + 1) * sizeof *all);
    memcpy(p->processes, all, p->nprocesses * sizeof *all);
    free(all);
}

static int compare_program_rows(const void *a, const void *b)
{
    const struct syscalls_program *x = a, *y = b;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static void put_programs(struct syscalls_snapshot *p, const struct run_facts *f)
{
    p->programs = arena_alloc(&p->arena, (f->nprocesses + 1) * sizeof *p->programs);
    for (size_t i = 0; i < f->nprocesses; i++) {
        struct syscalls_program *to = &p->programs[p->nprograms++];
        to->pid = f->processes[i].pid;
        to->begin_ns = f->processes[i].begin_ns;
        snprintf(to->name, sizeof to->name, "%.19s", f->processes[i].name);
    }
    if (p->nprograms > 1)
        qsort(p->programs, p->nprograms, sizeof *p->programs, compare_program_rows);
}

static int busiest_file(const void *a, const void *b)
{
    const struct syscalls_file_row *x = a, *y = b;
    uint64_t xb = x->read_bytes + x->write_bytes, yb = y->read_bytes + y->write_bytes;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    if (xb != yb)
        return xb > yb ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Adds what each process did with each file. */
static void add_uses(struct syscalls_file_row *all, const struct run_facts *f)
{
    for (size_t i = 0; i < f->nuses; i++) {
        const struct use_fact *u = &f->uses[i];
        struct syscalls_file_row *r = &all[u->object];
        r->processes++;
        r->reads += u->reads;
        r->writes += u->writes;
        r->syncs += u->syncs;
        r->read_bytes += u->read_bytes;
        r->write_bytes += u->write_bytes;
        r->one_byte_reads += u->one_byte_reads;
        r->small_writes += u->small_writes;
        r->ns += u->ns;
    }
}

static void put_files(struct syscalls_snapshot *p, const struct run_facts *f, uint32_t most)
{
    const size_t n = descriptors_count(f->descriptors);
    struct syscalls_file_row *all = xcalloc(n + 1, sizeof *all);
    for (size_t i = 0; i < n; i++) {
        const struct descriptor_object *o = descriptors_at(f->descriptors, i);
        all[i] = (struct syscalls_file_row){
            .name = o->name, .index = o->index, .kind = o->kind, .made = o->made, .open = o->open};
    }
    add_uses(all, f);
    for (size_t i = 0; i < n; i++)
        all[i].share = share_of_traced_time(p, all[i].ns);
    if (n > 1)
        qsort(all, n, sizeof *all, busiest_file);
    p->all_files = n;
    p->nfiles = most && n > most ? most : n;
    p->files = arena_alloc(&p->arena, (p->nfiles + 1) * sizeof *all);
    memcpy(p->files, all, p->nfiles * sizeof *all);
    for (size_t i = 0; i < p->nfiles; i++)
        p->files[i].name = arena_strdup(&p->arena, all[i].name);
    free(all);
}

static void put_findings(struct syscalls_snapshot *p, struct run_facts *f)
{
    run_facts_finish(f);
    p->findings = arena_alloc(&p->arena, (antipattern_count + 1) * sizeof *p->findings);
    p->nfindings = antipattern_all(f, LEAST_CONFIDENCE, p->findings);
}

struct syscalls_snapshot *syscalls_gather_snapshot(struct syscalls_gather *g, uint64_t now_ns)
{
    struct syscalls_snapshot *p = xcalloc(1, sizeof *p);
    p->refs = 1;
    p->serial = ++g->serial;
    p->count = g->sums.calls;
    p->errors = g->sums.errors;
    p->total_ns = g->sums.total_ns;
    p->unfinished = g->unfinished;
    p->lost = g->lost;
    p->rings = g->rings;
    p->operations = g->operations;
    p->full = g->full;
    p->has_times = g->has_times;
    p->begin_ns = g->begin_ns;
    p->end_ns = now_ns > g->end_ns ? now_ns : g->end_ns;
    p->tracer_cpu = NAN;
    memcpy(p->by_way, g->by_way, sizeof p->by_way);
    if (g->rates.width_ns && now_ns)
        find_rates_part(&g->rates, now_ns);
    p->rates = g->rates;
    put_call_rows(p, &g->sums);
    put_processes(p, g->facts, g->limits.rows);
    put_programs(p, g->facts);
    put_files(p, g->facts, g->limits.rows);
    put_findings(p, g->facts);
    syscall_tail_lend(&g->tail, &p->tail);
    if (g->stacks) {
        p->stacks = syscall_stacks_ref(g->stacks);
        stack_sums_fill(&g->stack_sums, p);
    }
    return p;
}
