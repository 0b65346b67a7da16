#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/search.h"
#include "engine/kernels/device_use_impl.h"
#include "engine/kernels/kernel_parts.h"
#include "engine/trace/trace_window.h"

enum what { COMPUTE = 1, COMMUNICATION = 2, COPY = 4, OTHERS = 8 };

/* --- what rows did --- */

static const uint8_t sets[] = {COMPUTE, COMMUNICATION, COPY, COMPUTE | COMMUNICATION,
                               COMPUTE | COMMUNICATION | COPY};
enum { SETS = sizeof sets / sizeof *sets };

/* The state of a row while its work is read in order of start. */
struct passing {
    struct time_cover covers[SETS];
    uint64_t until;           /* the latest end of all work so far */
    struct window_span *open; /* the considered ranges, in order */
    uint32_t nopen, parent;   /* the row of its rank; its own index if it has none */
};

/* How many ns of a span lie in the considered part. */
static uint64_t looked_at(const struct passing *p, uint64_t from, uint64_t to)
{
    uint64_t sum = 0;
    uint32_t low = 0; /* the first range that ends after the span begins */
    SEARCH_FIRST(low, p->nopen, !(p->open[low].done > from));
    for (; low < p->nopen && p->open[low].from < to; low++) {
        uint64_t a = p->open[low].from > from ? p->open[low].from : from;
        uint64_t b = p->open[low].done < to ? p->open[low].done : to;
        sum += b > a ? b - a : 0;
    }
    return sum;
}

static enum what kind_of_device_work(const struct device_finding *f, uint32_t v)
{
    if (!graph_is_work(f->g, v))
        return OTHERS;
    if (f->g->kind[v] == NODE_TRANSFER)
        return COPY;
    return f->g->flags[v] & NODE_COLLECTIVE ? COMMUNICATION : COMPUTE;
}

static void add_copied_bytes(struct device_use *r, const struct graph *g, uint32_t v)
{
    const struct graph_detail *d = g->detail[v] == GRAPH_NONE ? NULL : &g->details[g->detail[v]];
    if (!d || d->transfer.bytes == GRAPH_UNKNOWN) {
        r->nunsized++;
        return;
    }
    r->bytes[d->transfer.direction < 2 ? d->transfer.direction : 2] += d->transfer.bytes;
}

static void count_use(struct device_use *r, const struct device_finding *f, uint32_t v,
                      enum what what)
{
    r->nkernels += what == COMPUTE || what == COMMUNICATION;
    r->ncommunications += what == COMMUNICATION;
    r->ncopies += what == COPY;
    if (what == COPY)
        add_copied_bytes(r, f->g, v);
}

/* Adds a gap before v in which the device did nothing. */
static void add_gap(struct device_use *r, const struct passing *p, const struct device_finding *f,
                    uint32_t v)
{
    uint64_t from = p->until, to = f->g->start[v], all = looked_at(p, from, to);
    uint32_t by = f->launcher[v];
    r->idle += all;
    if (by == GRAPH_NONE) {
        r->unknown += all;
        return;
    }
    uint64_t call = f->g->start[by], at = call;
    if (call < from)
        at = from;
    else if (call > to)
        at = to;
    uint64_t late = looked_at(p, from, at);
    uint64_t known = call < to ? kernel_launch_ends(f->g, by, to) : to;
    uint64_t launching = looked_at(p, at, known < at ? at : known);
    r->late += late;
    r->launching += launching;
    r->waiting += all - late - launching;
}

static void pass_device_work(struct device_use *r, struct passing *p,
                             const struct device_finding *f, uint32_t v)
{
    enum what what = kind_of_device_work(f, v);
    uint64_t from = f->g->start[v], to = from + f->g->duration[v];
    for (int s = 0; s < SETS; s++)
        if (sets[s] & what)
            cover_add(&p->covers[s], from, to);
    count_use(r, f, v, what);
    if (from > p->until)
        add_gap(r, p, f, v);
    p->until = to > p->until ? to : p->until;
}

static void finish_use(struct device_use *r, const struct passing *p)
{
    uint64_t end = p->nopen ? p->open[p->nopen - 1].done : 0;
    r->drained = end > p->until ? looked_at(p, p->until, end) : 0;
    r->idle += r->drained;
    r->compute = p->covers[0].sum;
    r->communication = p->covers[1].sum;
    r->copying = p->covers[2].sum;
    r->kernels = p->covers[3].sum;
    r->busy = p->covers[4].sum;
    r->both = r->compute + r->communication - r->kernels;
    r->outside = r->wall > r->busy + r->idle ? r->wall - r->busy - r->idle : 0;
}

/* --- when a row is looked at --- */

static int compare_device_windows(const void *x, const void *y)
{
    const struct window_span *a = x, *b = y;
    return (a->from > b->from) - (a->from < b->from);
}

static void merge_open(struct passing *f)
{
    uint32_t n = 0;
    if (f->nopen)
        qsort(f->open, f->nopen, sizeof *f->open, compare_device_windows);
    for (uint32_t i = 0; i < f->nopen; i++)
        if (n == 0 || f->open[i].from > f->open[n - 1].done)
            f->open[n++] = f->open[i];
        else if (f->open[i].done > f->open[n - 1].done)
            f->open[n - 1].done = f->open[i].done;
    f->nopen = n;
}

static bool is_open_for(const struct device_finding *f, const struct device_queue *q,
                        uint32_t program)
{
    if (program == GRAPH_NONE)
        return true;
    const struct trace_file *file = trace_file_of(f->t, program);
    return file ? (uint32_t)(file - f->t->files) == q->rank
                : program == q->rank || program == graph_root(f->g, q->node);
}

/* The time from the first to the last work of the queue's rank, whose queues are neighbours. */
static struct window_span find_time_of_rank(const struct device_finding *f,
                                            const struct device_queue *q)
{
    struct window_span span = {.from = q->first, .done = q->last};
    const struct device_queue *at = q;
    while (at > f->queues && at[-1].rank == q->rank)
        at--;
    for (; at < f->queues + f->nqueues && at->rank == q->rank; at++) {
        span.from = at->first < span.from ? at->first : span.from;
        span.done = at->last > span.done ? at->last : span.done;
    }
    return span;
}

/* Sets the considered time: the ranges of its rank if there are any, else the window, or the time
 * from the first to the last work of its rank or of all devices. */
static void open_row(const struct device_finding *f, struct device_use *r, struct passing *p,
                     const struct device_queue *q)
{
    const struct window_spans *w = f->t->window;
    p->open = xcalloc((w ? w->nopen : 0) + (size_t)1, sizeof *p->open);
    for (uint32_t i = 0; w && i < w->nopen; i++)
        if (is_open_for(f, q, w->open[i].program))
            p->open[p->nopen++] = w->open[i];
    if (!w && f->own_times)
        p->open[p->nopen++] = find_time_of_rank(f, q);
    else if (!w)
        p->open[p->nopen++] = (struct window_span){.from = f->first, .done = f->last};
    merge_open(p);
    p->until = p->nopen ? p->open[0].from : 0;
    for (uint32_t i = 0; i < p->nopen; i++)
        r->wall += p->open[i].done - p->open[i].from;
}

static void fill_device_rows(struct device_uses *u, const struct device_finding *f)
{
    struct passing *p = xcalloc(u->n + (size_t)1, sizeof *p);
    const struct device_queue *q = f->queues;
    for (uint32_t i = 0, up = 0; i < u->n; i++) {
        while (q->row < i)
            q++;
        up = u->rows[i].device[0] == '\0' ? i : up;
        p[i].parent =
            strcmp(u->rows[up].rank, u->rows[i].rank) == 0 && u->rows[up].device[0] == '\0' ? up
                                                                                            : i;
        open_row(f, &u->rows[i], &p[i], q);
    }
    for (uint32_t i = 0; i < f->n; i++) {
        const struct device_queue *ran = device_queue_of(f, f->work[i]);
        if (!ran)
            continue;
        uint32_t row = ran->row;
        pass_device_work(&u->rows[row], &p[row], f, f->work[i]);
        if (p[row].parent != row)
            pass_device_work(&u->rows[p[row].parent], &p[p[row].parent], f, f->work[i]);
    }
    for (uint32_t i = 0; i < u->n; i++) {
        finish_use(&u->rows[i], &p[i]);
        free(p[i].open);
    }
    free(p);
}

/* --- the slowest and the idlest --- */

/* Whether row i stands for a rank: it is the row of all its devices, or of its only one. */
static bool is_rank(const struct device_uses *u, uint32_t i)
{
    return i == 0 || strcmp(u->rows[i].rank, u->rows[i - 1].rank) != 0;
}

uint32_t device_uses_next_rank(const struct device_uses *u, uint32_t row)
{
    for (row++; row < u->n && !is_rank(u, row); row++)
        ;
    return row;
}

static void judge_ranks(struct device_uses *u)
{
    uint64_t sum = 0, most = 0, least = UINT64_MAX;
    uint32_t ranks = 0;
    u->slowest = u->idlest = TRACE_UNKNOWN;
    u->imbalance = u->spread = NAN;
    for (uint32_t i = 0; i < u->n; i++) {
        const struct device_use *r = &u->rows[i];
        if (is_rank(u, i) && r->compute) {
            ranks++;
            sum += r->compute;
            if (u->slowest == TRACE_UNKNOWN || r->compute > u->rows[u->slowest].compute)
                u->slowest = i;
        }
        if (r->device[0] == '\0')
            continue;
        if (u->idlest == TRACE_UNKNOWN || r->idle > u->rows[u->idlest].idle)
            u->idlest = i;
        most = r->idle > most ? r->idle : most;
        least = r->idle < least ? r->idle : least;
    }
    u->waited_for = u->slowest != TRACE_UNKNOWN && u->rows[u->slowest].communication;
    for (uint32_t i = 0; u->waited_for && i < u->n; i++)
        u->waited_for = !is_rank(u, i) || i == u->slowest ||
                        u->rows[i].communication > u->rows[u->slowest].communication;
    if (ranks < 2)
        u->slowest = TRACE_UNKNOWN;
    else
        u->imbalance = (double)u->rows[u->slowest].compute * ranks / (double)sum - 1;
    if (u->ndevices < 2)
        u->idlest = TRACE_UNKNOWN;
    else if (u->rows[u->idlest].wall)
        u->spread = (double)(most - least) / (double)u->rows[u->idlest].wall;
}

/* Finds which device came last to each collective. */
static void find_arrivals(struct device_uses *u, const struct device_finding *f)
{
    struct arrival *list = xcalloc(f->n + (size_t)1, sizeof *list);
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        const struct device_queue *ran = device_queue_of(f, f->work[i]);
        if (ran && kind_of_device_work(f, f->work[i]) == COMMUNICATION)
            list[n++] = (struct arrival){ran->row, f->work[i]};
    }
    u->collectives = xcalloc(n + (size_t)1, sizeof *list);
    u->ncollectives = n;
    memcpy(u->collectives, list, n * sizeof *list);
    arrivals_find(&u->arrivals, f->t, list, n, u->n);
    free(list);
}

static void find_device_uses(struct device_uses *out, const struct trace *t, bool own_times)
{
    struct device_finding f = {.own_times = own_times};
    *out = (struct device_uses){.n = 0};
    device_finding_open(&f, t);
    device_rows_make(&f, out);
    fill_device_rows(out, &f);
    judge_ranks(out);
    find_arrivals(out, &f);
    device_finding_free(&f);
}

void device_uses_find(struct device_uses *out, const struct trace *t)
{
    find_device_uses(out, t, false);
}

void device_uses_find_ranks(struct device_uses *out, const struct trace *t)
{
    find_device_uses(out, t, true);
}

void device_uses_free(struct device_uses *u)
{
    free(u->rows);
    free(u->collectives);
    arrivals_free(&u->arrivals);
    *u = (struct device_uses){.n = 0};
}
