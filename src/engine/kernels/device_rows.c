#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/graph/graph_order.h"
#include "engine/kernels/device_use_impl.h"
#include "engine/kernels/kernel_parts.h"
#include "engine/trace/trace_window.h"

/* --- whose work it is --- */

static uint32_t find_queue_of_node(const struct device_finding *f, uint32_t v)
{
    uint32_t lane = window_lane(f->g, v);
    return lane != GRAPH_NONE && f->g->kind[lane] == NODE_QUEUE ? lane : GRAPH_NONE;
}

struct device_queue *device_queue_of(const struct device_finding *f, uint32_t work)
{
    const uint32_t lane = find_queue_of_node(f, work);
    const bool known = lane != GRAPH_NONE && f->queue_of[lane];
    return known ? &f->queues[f->queue_of[lane] - 1] : NULL;
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

static struct device_queue *find_or_add_queue(struct device_finding *f, uint32_t lane)
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
        struct device_queue *q = find_or_add_queue(f, lane);
        const uint64_t begin = f->g->start[f->work[i]], end = begin + f->g->duration[f->work[i]];
        q->first = q->last ? q->first : begin; /* the work comes in order of begin */
        q->last = end > q->last ? end : q->last;
        if (!q->known && f->g->kind[f->work[i]] == NODE_TRANSFER)
            q->known = number_of_copy(f, f->work[i], q);
    }
    for (uint32_t i = 0; i < t->ndispatches; i++) {
        struct device_queue *q = device_queue_of(f, trace_dispatch_node(t, i));
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

void device_finding_open(struct device_finding *f, const struct trace *t)
{
    f->t = t;
    f->g = t->calls;
    f->work = graph_by_parent(f->g, 0, f->g->nnodes, kernel_is_timed, &f->n);
    graph_by_time(f->g, f->work, f->n, false);
    find_launchers_of_devices(f);
    f->first = f->n ? f->g->start[f->work[0]] : 0;
    for (uint32_t i = 0; i < f->n; i++) {
        uint64_t end = f->g->start[f->work[i]] + f->g->duration[f->work[i]];
        f->last = end > f->last ? end : f->last;
    }
    find_programs_of_devices(f);
    find_device_queues(f);
}

void device_finding_free(struct device_finding *f)
{
    free(f->launcher);
    free(f->owner);
    free(f->queue_of);
    free(f->queues);
    free(f->work);
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

void device_rows_make(struct device_finding *f, struct device_uses *out)
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
