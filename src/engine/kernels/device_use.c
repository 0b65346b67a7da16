#include "engine/kernels/device_use.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/search.h"
#include "engine/graph/graph_order.h"
#include "engine/kernels/kernel_parts.h"
#include "engine/trace/collective.h"
#include "engine/trace/trace_window.h"

enum what { COMPUTE = 1, COMMUNICATION = 2, COPY = 4, OTHERS = 8 };

/* A queue with work: its owner, its device and its row. */
struct device_queue {
    uint32_t node, rank, number; /* a file, or a program; of the device */
    int64_t id;                  /* of the program, for the order */
    uint32_t agent;
    char word[16];   /* "GPU"; "TPU" */
    bool gpu, known; /* known: its device's number is known */
    uint32_t row;
    uint64_t first, last; /* begin and end of its work */
};

struct device_finding {
    const struct trace *t;
    const struct graph *g;
    uint32_t *work, n; /* by start; includes work outside of the considered part */
    uint32_t *launcher;
    uint32_t *owner;    /* of root nodes: 1 + the program */
    uint32_t *queue_of; /* of nodes that are queues: 1 + index */
    struct device_queue *queues;
    uint32_t nqueues;
    uint64_t first, last; /* begin and end of all work */
    bool own_times;       /* the considered time of each rank is that of its own work */
};

/* --- whose work it is --- */

static uint32_t find_queue_of_node(const struct device_finding *f, uint32_t v)
{
    uint32_t lane = window_lane(f->g, v);
    return lane != GRAPH_NONE && f->g->kind[lane] == NODE_QUEUE ? lane : GRAPH_NONE;
}

static void find_launchers_of_devices(struct device_finding *f)
{
    const struct graph *g = f->g;
    f->launcher = xcalloc(g->nnodes + (size_t)1, sizeof *f->launcher);
    memset(f->launcher, 0xff, (g->nnodes + (size_t)1) * sizeof *f->launcher);
    for (uint32_t e = 0; e < g->nedges; e++)
        if (g->edge_kind[e] == EDGE_LAUNCHES && graph_is_work(g, g->edge_to[e]) &&
            g->start[g->edge_from[e]] != GRAPH_UNKNOWN)
            f->launcher[g->edge_to[e]] = g->edge_from[e];
}

/* Reads "GPU 3" from a queue's or program's name, or "/device:TPU:3" of XLA, which stays "TPU". */
static bool read_device_number(const char *name, struct device_queue *q)
{
    static const char xla[] = "/device:";
    const char *at = strncmp(name, xla, sizeof xla - 1) == 0 ? name + sizeof xla - 1 : NULL;
    size_t n = at ? strcspn(at, ":") : 0;
    if (at && at[n] && isdigit((unsigned char)at[n + 1])) {
        snprintf(q->word, sizeof q->word, "%.*s", (int)n, at);
        q->number = (uint32_t)strtoul(at + n + 1, NULL, 10);
        return true;
    }
    for (at = name; (at = strstr(at, "GPU ")); at += 4)
        if (isdigit((unsigned char)at[4])) {
            q->number = (uint32_t)strtoul(at + 4, NULL, 10);
            return true;
        }
    return false;
}

/* The program that owns a device whose launches are unknown: the only program with threads. If no
 * program has any, all devices belong to one program. GRAPH_NONE: there are several candidates. */
static uint32_t only_host(const struct device_finding *f, bool *has_threads)
{
    uint32_t host = GRAPH_NONE;
    bool several = false;
    for (uint32_t v = 0; v < f->g->nnodes; v++) {
        if (f->g->kind[v] != NODE_THREAD)
            continue;
        uint32_t root = graph_root(f->g, v);
        several |= host != GRAPH_NONE && host != root;
        host = root;
        has_threads[root] = true;
    }
    if (host == GRAPH_NONE && f->n)
        return graph_root(f->g, f->work[0]);
    return several ? GRAPH_NONE : host;
}

/* Finds for each root node the program that launches work there, because a GPU may be shown as a
 * program of its own. */
static void find_programs_of_devices(struct device_finding *f)
{
    bool *has_threads = xcalloc(f->g->nnodes + (size_t)1, sizeof *has_threads);
    uint32_t host = only_host(f, has_threads);
    f->owner = xcalloc(f->g->nnodes + (size_t)1, sizeof *f->owner);
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t by = f->launcher[f->work[i]], root = graph_root(f->g, f->work[i]);
        if (by != GRAPH_NONE && !f->owner[root])
            f->owner[root] = graph_root(f->g, by) + 1;
    }
    for (uint32_t i = 0; i < f->n && host != GRAPH_NONE; i++) {
        uint32_t root = graph_root(f->g, f->work[i]);
        if (!f->owner[root] && !has_threads[root])
            f->owner[root] = host + 1;
    }
    free(has_threads);
}

/* The rank's number: that of its file if there are several files, else that of the program. */
static uint32_t find_rank_of_queue(const struct device_finding *f, uint32_t queue)
{
    const struct trace_file *file = trace_file_of(f->t, queue);
    uint32_t root = graph_root(f->g, queue);
    if (file)
        return (uint32_t)(file - f->t->files);
    return f->owner[root] ? f->owner[root] - 1 : root;
}

static struct device_queue *queue_of(struct device_finding *f, uint32_t lane)
{
    if (f->queue_of[lane])
        return &f->queues[f->queue_of[lane] - 1];
    f->queues = xrealloc(f->queues, f->nqueues + 1u, sizeof *f->queues);
    struct device_queue *q = &f->queues[f->nqueues++];
    *q = (struct device_queue){.node = lane, .agent = TRACE_UNKNOWN, .gpu = true, .word = "GPU"};
    q->rank = find_rank_of_queue(f, lane);
    q->id = trace_file_of(f->t, lane) ? q->rank : graph_detail(f->t->calls, q->rank)->thread.id;
    f->queue_of[lane] = f->nqueues;
    uint32_t up = f->g->parent[lane];
    q->known = read_device_number(graph_name(f->g, lane), q) ||
               (up != GRAPH_NONE && read_device_number(graph_name(f->g, up), q));
    return q;
}

/* The number of the device at one end of a copy. */
static bool number_of_copy(const struct device_finding *f, uint32_t copy, struct device_queue *q)
{
    const struct graph *g = f->t->calls;
    if (g->detail[copy] == GRAPH_NONE)
        return false;
    const struct graph_detail *d = &g->details[g->detail[copy]];
    return (d->transfer.from != GRAPH_NONE &&
            read_device_number(graph_text(g, d->transfer.from), q)) ||
           (d->transfer.to != GRAPH_NONE && read_device_number(graph_text(g, d->transfer.to), q));
}

/* Finds each queue's device. Its dispatches count more than the number in its name; a queue without
 * dispatches gets the GPU with that number. */
static void find_device_queues(struct device_finding *f)
{
    const struct trace *t = f->t;
    f->queue_of = xcalloc(f->g->nnodes + (size_t)1, sizeof *f->queue_of);
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t lane = find_queue_of_node(f, f->work[i]);
        if (lane == GRAPH_NONE || !graph_is_work(f->g, f->work[i]))
            continue;
        struct device_queue *q = queue_of(f, lane);
        const uint64_t begin = f->g->start[f->work[i]], end = begin + f->g->duration[f->work[i]];
        q->first = q->last ? q->first : begin; /* the work comes in order of begin */
        q->last = end > q->last ? end : q->last;
        if (!q->known && f->g->kind[f->work[i]] == NODE_TRANSFER)
            q->known = number_of_copy(f, f->work[i], q);
    }
    for (uint32_t i = 0; i < t->ndispatches; i++) {
        uint32_t lane = find_queue_of_node(f, trace_dispatch_node(t, i));
        struct device_queue *q =
            lane == GRAPH_NONE || !f->queue_of[lane] ? NULL : &f->queues[f->queue_of[lane] - 1];
        if (!q || q->agent != TRACE_UNKNOWN)
            continue;
        uint32_t agent = trace_dispatch_at(t, i).agent;
        if (agent >= t->nagents)
            continue;
        q->agent = agent;
        q->number = t->agents[agent].number;
        q->gpu = t->agents[agent].gpu;
        q->known = true;
    }
    for (uint32_t i = 0; i < f->nqueues; i++) /* a queue with only copies: by number */
        for (uint32_t a = 0; f->queues[i].known && a < t->nagents; a++)
            if (f->queues[i].agent == TRACE_UNKNOWN && t->agents[a].gpu &&
                t->agents[a].number == f->queues[i].number)
                f->queues[i].agent = a;
}

/* --- rows --- */

static int queue_order(const void *x, const void *y)
{
    const struct device_queue *a = x, *b = y;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->known != b->known)
        return a->known ? -1 : 1;
    if (a->known && a->gpu != b->gpu)
        return a->gpu ? -1 : 1;
    uint32_t p = a->known ? a->number : a->node;
    uint32_t q = b->known ? b->number : b->node;
    return (p > q) - (p < q);
}

static bool same_device(const struct device_queue *a, const struct device_queue *b)
{
    return a->rank == b->rank && a->known == b->known &&
           (a->known ? a->gpu == b->gpu && a->number == b->number : a->node == b->node);
}

static void write_rank_of_row(const struct device_finding *f, const struct device_queue *q,
                              bool ranks, struct device_use *r)
{
    const struct trace *t = f->t;
    const struct trace_file *file = trace_file_of(t, q->node);
    const struct trace_clock *clock = t->nfiles ? &t->files[0].clock : NULL;
    if (file)
        clock = &file->clock;
    r->rank_number = clock && clock->rank != GRAPH_NONE ? clock->rank : TRACE_UNKNOWN;
    r->agent = TRACE_UNKNOWN;
    r->allocated = r->reserved = GRAPH_UNKNOWN;
    if (ranks && file)
        snprintf(r->rank, sizeof r->rank, "%s", file->label ? file->label : file->path);
    else if (ranks)
        trace_program_name(t, q->rank, r->rank, sizeof r->rank);
}

static void find_peak(const struct trace *t, const struct device_queue *q, struct device_use *r)
{
    uint32_t file = t->nfiles > 1 ? q->rank : 0;
    for (uint32_t i = 0; q->known && q->gpu && i < t->npeaks; i++)
        if (t->peaks[i].file == file && t->peaks[i].device == q->number) {
            r->allocated = t->peaks[i].allocated;
            r->reserved = t->peaks[i].reserved ? t->peaks[i].reserved : GRAPH_UNKNOWN;
        }
}

static void write_device_of_row(const struct device_finding *f, const struct device_queue *q,
                                struct device_use *r)
{
    find_peak(f->t, q, r);
    r->agent = q->agent;
    r->memory = q->agent < f->t->nagents ? f->t->agents[q->agent].memory_bytes : 0;
    if (q->known)
        snprintf(r->device, sizeof r->device, "%s %u", q->gpu ? q->word : "CPU", q->number);
    else
        snprintf(r->device, sizeof r->device, "%s", graph_name(f->g, q->node));
}

/* Makes the rows of ranks and of their devices, and sets the row of each queue. */
static void make_device_rows(struct device_finding *f, struct device_uses *out)
{
    bool ranks = false;
    if (f->nqueues)
        qsort(f->queues, f->nqueues, sizeof *f->queues, queue_order);
    for (uint32_t i = 0; i < f->nqueues; i++) {
        f->queue_of[f->queues[i].node] = i + 1;
        ranks |= f->queues[i].rank != f->queues[0].rank;
    }
    out->rows = xcalloc(2 * (size_t)f->nqueues + 1, sizeof *out->rows);
    for (uint32_t i = 0, end; i < f->nqueues; i = end) {
        uint32_t devices = 1;
        for (end = i + 1; end < f->nqueues && f->queues[end].rank == f->queues[i].rank; end++)
            devices += !same_device(&f->queues[end], &f->queues[end - 1]);
        out->nranks++;
        if (devices > 1)
            write_rank_of_row(f, &f->queues[i], ranks, &out->rows[out->n++]);
        for (uint32_t k = i; k < end; k++) {
            struct device_queue *q = &f->queues[k];
            if (k == i || !same_device(q, &f->queues[k - 1])) {
                write_rank_of_row(f, q, ranks, &out->rows[out->n]);
                write_device_of_row(f, q, &out->rows[out->n++]);
                out->ndevices++;
            }
            q->row = out->n - 1;
        }
    }
}

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
        uint32_t lane = find_queue_of_node(f, f->work[i]);
        if (lane == GRAPH_NONE || !f->queue_of[lane])
            continue;
        uint32_t row = f->queues[f->queue_of[lane] - 1].row;
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
        uint32_t v = f->work[i], lane = find_queue_of_node(f, v);
        if (lane != GRAPH_NONE && f->queue_of[lane] && kind_of_device_work(f, v) == COMMUNICATION)
            list[n++] = (struct arrival){f->queues[f->queue_of[lane] - 1].row, v};
    }
    u->collectives = xcalloc(n + (size_t)1, sizeof *list);
    u->ncollectives = n;
    memcpy(u->collectives, list, n * sizeof *list);
    arrivals_find(&u->arrivals, f->t, list, n, u->n);
    free(list);
}

static void find_device_uses(struct device_uses *out, const struct trace *t, bool own_times)
{
    struct device_finding f = {.t = t, .g = t->calls, .own_times = own_times};
    *out = (struct device_uses){.n = 0};
    f.work = graph_by_parent(f.g, 0, f.g->nnodes, kernel_is_timed, &f.n);
    graph_by_time(f.g, f.work, f.n, false);
    find_launchers_of_devices(&f);
    f.first = f.n ? f.g->start[f.work[0]] : 0;
    for (uint32_t i = 0; i < f.n; i++) {
        uint64_t end = f.g->start[f.work[i]] + f.g->duration[f.work[i]];
        f.last = end > f.last ? end : f.last;
    }
    find_programs_of_devices(&f);
    find_device_queues(&f);
    make_device_rows(&f, out);
    fill_device_rows(out, &f);
    judge_ranks(out);
    find_arrivals(out, &f);
    free(f.launcher);
    free(f.owner);
    free(f.queue_of);
    free(f.queues);
    free(f.work);
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
