/*
 * Keeps short rows as sums (engine/trace/trace_short.h). Their number is only known at the end of
 * the file, so whenever there is no space for another row, the shorter half of the kept rows
 * becomes sums, and later rows that are as short do so immediately.
 */

#include "backends/rocm/names.h"
#include "backends/rocprof_csv/rocprof_csv_impl.h"
#include "base/hash.h"
#include "base/list.h"
#include "engine/trace/blit.h"

/* --- lanes --- */

static bool is_same_csv_agent(struct csv_agent a, struct csv_agent b)
{
    return a.number == b.number && a.type == b.type;
}

static bool is_same_csv_lane(const struct csv_lane *a, const struct csv_lane *b)
{
    return a->kind == b->kind && a->direction == b->direction && a->pid == b->pid &&
           a->tid == b->tid && a->queue == b->queue && a->stream == b->stream &&
           is_same_csv_agent(a->from, b->from) && is_same_csv_agent(a->to, b->to);
}

static uint64_t hash_csv_lane(const struct csv_lane *l)
{
    uint64_t h = hash_number(0, (uint64_t)l->kind << 32 | l->direction);
    h = hash_number(hash_number(h, (uint64_t)l->pid), (uint64_t)l->tid);
    h = hash_number(hash_number(h, (uint64_t)l->queue), (uint64_t)l->stream);
    return hash_number(h, (uint64_t)l->from.number << 32 | l->to.number);
}

static uint32_t find_or_add_csv_lane(struct csv_run *run, const struct csv_lane *l)
{
    uint64_t hash = hash_csv_lane(l);
    HASH_EACH (&run->lane_by_content, hash, i)
        if (is_same_csv_lane(&run->lanes[i], l))
            return i;
    hash_table_add(&run->lane_by_content, hash, run->nlanes);
    LIST_ROOM(run->lanes, run->nlanes, run->lanes_cap);
    run->lanes[run->nlanes] = *l;
    return run->nlanes++;
}

/* --- rows --- */

static void add_short_call(struct csv_run *run, const struct csv_call *c)
{
    const struct csv_lane l = {.kind = CSV_CALLS, .pid = c->pid, .tid = c->tid};
    trace_shorts_add(&run->shorts, find_or_add_csv_lane(run, &l), c->name,
                     c->range ? NODE_RANGE : NODE_FUNCTION, c->end - c->start);
}

static void add_short_kernel(struct csv_run *run, const struct csv_dispatch *d)
{
    const struct csv_lane l = {.kind = CSV_KERNELS,
                               .pid = d->pid,
                               .tid = d->tid,
                               .queue = d->queue,
                               .stream = d->stream,
                               .from = d->agent};
    bool blit = trace_is_blit(graph_text(run->shorts.t->calls, d->name));
    trace_shorts_add(&run->shorts, find_or_add_csv_lane(run, &l), d->name,
                     blit ? NODE_TRANSFER : NODE_KERNEL, (uint64_t)(d->end - d->start));
}

static bool keeps_dispatch(struct csv_run *run, const struct csv_dispatch *d)
{
    return trace_shorts_keeps(&run->shorts, NODE_KERNEL, d->name);
}

static void add_short_copy(struct csv_run *run, struct trace *t, const struct csv_copy *c)
{
    struct csv_lane l = {.kind = CSV_COPIES,
                         .pid = c->pid,
                         .tid = c->tid,
                         .queue = c->queue,
                         .stream = c->stream,
                         .from = c->from,
                         .to = c->to};
    l.direction = rocm_direction(t, graph_text(t->calls, c->kind), TRACE_UNKNOWN, TRACE_UNKNOWN);
    trace_shorts_add(&run->shorts, find_or_add_csv_lane(run, &l), rocm_copy_name(t, l.direction),
                     NODE_TRANSFER, c->end - c->start);
}

bool csv_call_short(struct csv_runs *r, struct csv_run *run, const struct csv_call *c)
{
    bool is_short = c->end - c->start < r->below;
    if (is_short)
        add_short_call(run, c);
    return is_short;
}

bool csv_kernel_short(struct csv_runs *r, struct csv_run *run, const struct csv_dispatch *d)
{
    bool is_short = (uint64_t)(d->end - d->start) < r->below && !keeps_dispatch(run, d);
    if (is_short)
        add_short_kernel(run, d);
    return is_short;
}

bool csv_copy_short(struct csv_runs *r, struct csv_run *run, struct trace *t,
                    const struct csv_copy *c)
{
    bool is_short = c->end - c->start < r->below;
    if (is_short)
        add_short_copy(run, t, c);
    return is_short;
}

/* --- room --- */

/* Counts the rows that may become sums by length. Returns the number of the others. */
static uint64_t count_run(struct trace_lengths *l, struct csv_run *run)
{
    uint64_t stay = 0;
    for (uint32_t i = 0; i < run->ncalls; i++)
        trace_lengths_add(l, run->calls[i].end - run->calls[i].start);
    for (uint32_t i = 0; i < run->nkernels; i++)
        if (keeps_dispatch(run, &run->kernels[i]))
            stay++;
        else
            trace_lengths_add(l, (uint64_t)(run->kernels[i].end - run->kernels[i].start));
    for (uint32_t i = 0; i < run->ncopies; i++)
        trace_lengths_add(l, run->copies[i].end - run->copies[i].start);
    return stay;
}

static void fold_run(struct csv_run *run, struct trace *t, struct trace_cut *cut)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < run->ncalls; i++)
        if (trace_cut_takes(cut, run->calls[i].end - run->calls[i].start))
            add_short_call(run, &run->calls[i]);
        else
            run->calls[n++] = run->calls[i];
    run->ncalls = n;
    n = 0;
    for (uint32_t i = 0; i < run->nkernels; i++)
        if (!keeps_dispatch(run, &run->kernels[i]) &&
            trace_cut_takes(cut, (uint64_t)(run->kernels[i].end - run->kernels[i].start)))
            add_short_kernel(run, &run->kernels[i]);
        else
            run->kernels[n++] = run->kernels[i];
    run->nkernels = n;
    n = 0;
    for (uint32_t i = 0; i < run->ncopies; i++)
        if (trace_cut_takes(cut, run->copies[i].end - run->copies[i].start))
            add_short_copy(run, t, &run->copies[i]);
        else
            run->copies[n++] = run->copies[i];
    run->ncopies = n;
}

/* Counts the rows of counters, which cannot become sums. */
static uint64_t count_counter_rows(const struct csv_runs *r)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < r->n; i++)
        n += r->runs[i].ncounted;
    return n;
}

int csv_make_room(struct csv_runs *r, struct trace *t, const char *path, struct error *err)
{
    struct trace_lengths lengths = {.n = 0};
    uint64_t room = trace_memory_left(t), used = t->calls->nnodes, stay = 0;
    if (r->fold_at == 0)
        r->fold_at = room - room / 16 > used ? room - room / 16 - used : 1;
    if (r->rows < r->fold_at)
        return 0;
    for (uint32_t i = 0; i < r->n; i++)
        stay += count_run(&lengths, &r->runs[i]);
    struct trace_cut cut = trace_cut_of(&lengths, (lengths.n + 1) / 2);
    r->rows = (lengths.n + 1) / 2 + stay;
    r->fold_at = 2 * r->rows > r->fold_at ? 2 * r->rows : r->fold_at;
    r->below = cut.below > r->below ? cut.below : r->below;
    for (uint32_t i = 0; i < r->n; i++)
        fold_run(&r->runs[i], t, &cut);
    return trace_check_memory(t, used + count_counter_rows(r) + stay, path, err);
}
