/*
 * The trace event format of Chrome and Perfetto: complete events ("X") in microseconds, names of
 * processes and threads ("M"), arrows along dependencies ("s", "f"), and asynchronous spans ("b",
 * "e") for work that was launched and may end after its parent.
 *   Source: "Trace Event Format", Google, docs in the catapult project; JSON object form.
 * A graph of sums has no start times: its nodes are placed one after another inside their parent.
 * Everything else is in args (number of the node and of its parent, shape, bytes, clock), with the
 * names of PyTorch's profiler where it has one, so that backends/chrome can read the file back.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/print.h"
#include "engine/value/document.h"
#include "export/graph/graph_export.h"

enum { QUEUE_TID = 1 << 24 }; /* thread ids of queues begin here, above any thread id of Linux */

struct event_lane {
    int64_t pid, tid;
};

struct writer {
    FILE *out;
    const struct graph *g;
    struct event_lane *lanes;         /* one for each node */
    bool *apart;                      /* for each node whether it is asynchronous */
    const struct critical_path *path; /* NULL: no path */
    bool *on;                         /* for each node whether it is a step of the path */
    uint64_t base;                    /* earliest start, ns */
    uint64_t *start, *used; /* in a graph of sums, for each node: where it is placed; how much of it
                               its children have taken so far */
};

static int64_t thread_id_of(const struct graph *g, uint32_t node)
{
    return g->detail[node] == GRAPH_NONE ? 0 : g->details[g->detail[node]].thread.id;
}

static void write_microseconds(FILE *out, const char *key, uint64_t ns)
{
    print_json(out, ",\"%s\":%" PRIu64 ".%03" PRIu64, key, ns / 1000, ns % 1000);
}

static void name_lane(const struct writer *w, const char *what, uint32_t n)
{
    print_json(w->out,
               ",\n{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%" PRId64 ",\"tid\":%" PRId64
               ",\"args\":{\"name\":",
               what, w->lanes[n].pid, w->lanes[n].tid);
    print_json_quoted(w->out, graph_name(w->g, n));
    if (w->g->kind[n] == NODE_QUEUE)
        fprintf(w->out, ",\"kind\":\"queue\",\"lane\":%" PRId64, thread_id_of(w->g, n));
    fputs("}}", w->out);
}

static void print_name(FILE *out, const struct graph *g, const char *key, uint32_t name)
{
    if (name == GRAPH_NONE)
        return;
    print_json(out, ",\"%s\":", key);
    print_json_quoted(out, graph_text(g, name));
}

static void print_detail(FILE *out, const struct graph *g, uint32_t n)
{
    const struct graph_detail *d = g->detail[n] == GRAPH_NONE ? NULL : &g->details[g->detail[n]];
    if (d && g->kind[n] == NODE_KERNEL)
        fprintf(out, ",\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"shared memory\":%u",
                d->kernel.grid[0], d->kernel.grid[1], d->kernel.grid[2], d->kernel.block[0],
                d->kernel.block[1], d->kernel.block[2], d->kernel.shared_bytes);
    if (d && g->kind[n] == NODE_TRANSFER) {
        static const char *const directions[] = {"HtoD", "DtoH", "DtoD"};
        if (d->transfer.bytes != GRAPH_UNKNOWN)
            print_json(out, ",\"bytes\":%" PRIu64, d->transfer.bytes);
        print_json(out, ",\"direction\":\"%s\"",
                   directions[d->transfer.direction < 3 ? d->transfer.direction : 2]);
        print_name(out, g, "from", d->transfer.from);
        print_name(out, g, "to", d->transfer.to);
    }
}

static void print_args(const struct writer *w, uint32_t n)
{
    const struct graph *g = w->g;
    uint32_t p = g->parent[n];
    char label[512];
    graph_label(g, n, false, label, sizeof label);
    fputs(",\"args\":{\"label\":", w->out);
    print_json_quoted(w->out, label);
    fprintf(w->out, ",\"node\":%" PRIu32, n);
    if (p != GRAPH_NONE && !graph_is_lane(g, p) && g->kind[p] != NODE_PROGRAM)
        fprintf(w->out, ",\"parent\":%" PRIu32, p);
    print_json(w->out, ",\"via\":\"%s\"", edge_kind_name(g->via[n]));
    if (g->flags[n] & NODE_DEVICE_TIME)
        fputs(",\"clock\":\"device\"", w->out);
    print_detail(w->out, g, n);
    graph_export_slack(w->out, w->path, w->on, n);
    fputs("}}", w->out);
}

static void write_chrome_event(const struct writer *w, uint32_t n, char phase, uint64_t at)
{
    const struct graph *g = w->g;
    fprintf(w->out, ",\n{\"ph\":\"%c\",\"name\":", phase);
    print_json_quoted(w->out, graph_name(g, n));
    print_json(w->out, ",\"cat\":\"%s%s%s\",\"pid\":%" PRId64 ",\"tid\":%" PRId64,
               node_kind_name(g->kind[n]), g->kind[n] == NODE_BRICK ? "," : "",
               g->kind[n] == NODE_BRICK ? node_category_name(g->category[n]) : "", w->lanes[n].pid,
               w->lanes[n].tid);
    if (phase != 'X')
        fprintf(w->out, ",\"id\":%" PRIu32, n);
    write_microseconds(w->out, "ts", at);
}

static void print_span(const struct writer *w, uint32_t n)
{
    uint64_t duration = w->g->duration[n];
    uint64_t at = w->g->start[n] == GRAPH_UNKNOWN ? w->start[n] : w->g->start[n] - w->base;
    write_chrome_event(w, n, w->apart[n] ? 'b' : 'X', at);
    if (!w->apart[n])
        write_microseconds(w->out, "dur", duration);
    print_args(w, n);
    if (!w->apart[n])
        return;
    write_chrome_event(w, n, 'e', at + duration);
    fputc('}', w->out);
}

static void print_end(const struct writer *w, uint32_t edge, char phase, uint32_t n, uint64_t at)
{
    const char *kind = edge_kind_name(w->g->edge_kind[edge]);
    fprintf(w->out, ",\n{\"ph\":\"%c\",\"id\":%" PRIu32, phase, edge);
    if (phase == 'f')
        fputs(",\"bp\":\"e\"", w->out);
    print_json(w->out, ",\"name\":\"%s\",\"cat\":\"%s\",\"pid\":%" PRId64 ",\"tid\":%" PRId64, kind,
               kind, w->lanes[n].pid, w->lanes[n].tid);
    write_microseconds(w->out, "ts", at - w->base);
    fprintf(w->out, ",\"args\":{\"node\":%" PRIu32 "}}", n);
}

static void print_arrows(const struct writer *w, const struct graph_export_options *o)
{
    const struct graph *g = w->g;
    for (uint32_t i = 0; i < g->nedges; i++) {
        uint32_t a = g->edge_from[i], b = g->edge_to[i];
        if (g->edge_kind[i] == EDGE_SEQUENCE || g->start[a] == GRAPH_UNKNOWN ||
            g->duration[a] == GRAPH_UNKNOWN || g->start[b] == GRAPH_UNKNOWN ||
            !graph_below(g, a, o->root) || !graph_below(g, b, o->root))
            continue;
        print_end(w, i, 's', a, g->start[a] + g->duration[a]);
        print_end(w, i, 'f', b, g->start[b]);
    }
}

static uint64_t find_earliest_start(const struct graph *g)
{
    uint64_t first = GRAPH_UNKNOWN;
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (g->start[i] < first)
            first = g->start[i];
    return first == GRAPH_UNKNOWN ? 0 : first;
}

/* Places a node of a graph of sums: inside its parent, behind its earlier siblings. */
static void place_sum(struct writer *w, uint32_t n, uint64_t *roots)
{
    const struct graph *g = w->g;
    uint32_t p = g->parent[n];
    uint64_t *used = p == GRAPH_NONE ? roots : &w->used[p];
    w->start[n] = (p == GRAPH_NONE ? 0 : w->start[p]) + *used;
    *used += g->duration[n] == GRAPH_UNKNOWN ? 0 : g->duration[n];
}

/* Whether a node is asynchronous: a span launched it, or it is inside such a node. */
static bool is_apart(const struct writer *w, uint32_t n)
{
    const struct graph *g = w->g;
    uint32_t p = g->parent[n];
    if (p == GRAPH_NONE || graph_is_lane(g, p) || g->kind[p] == NODE_PROGRAM)
        return false;
    return w->apart[p] || (g->via[n] == EDGE_LAUNCHES && g->start[n] != GRAPH_UNKNOWN);
}

/* Writes a node. Call it for parents before their children. */
static void write_node(struct writer *w, uint32_t n)
{
    const struct graph *g = w->g;
    uint32_t p = g->parent[n];
    w->lanes[n] = p == GRAPH_NONE ? (struct event_lane){1, 1} : w->lanes[p];
    w->apart[n] = is_apart(w, n);
    if (g->kind[n] == NODE_PROGRAM) {
        w->lanes[n] = (struct event_lane){thread_id_of(g, n), thread_id_of(g, n)};
        name_lane(w, "process_name", n);
    } else if (graph_is_lane(g, n)) {
        uint64_t apart = g->kind[n] == NODE_QUEUE ? QUEUE_TID : 0;
        w->lanes[n].tid = (int64_t)((uint64_t)thread_id_of(g, n) + apart);
        name_lane(w, "thread_name", n);
    }
}

void graph_export_chrome(FILE *out, const struct graph *g, const struct graph_export_options *o)
{
    unsigned depth = 0;
    uint64_t roots = 0;
    size_t most = g->nnodes + (size_t)1;
    struct writer w = {.out = out,
                       .g = g,
                       .lanes = xcalloc(most, sizeof *w.lanes),
                       .apart = xcalloc(most, sizeof *w.apart),
                       .path = o->path,
                       .on = graph_on_path(g, o->path),
                       .base = find_earliest_start(g),
                       .start = xcalloc(most, sizeof *w.start),
                       .used = xcalloc(most, sizeof *w.used)};
    fprintf(out,
            "{\"displayTimeUnit\":\"ns\",\"baseTimeNanoseconds\":%" PRIu64 ",\"traceEvents\":[\n"
            "{\"ph\":\"M\",\"name\":\"trace\",\"pid\":0,\"tid\":0,\"args\":{\"name\":\"rooftop\"}}",
            w.base);
    for (uint32_t n = g->first_root; n != GRAPH_NONE; n = graph_walk(g, n, GRAPH_NONE, &depth)) {
        write_node(&w, n);
        place_sum(&w, n, &roots);
        if (g->kind[n] != NODE_PROGRAM && !graph_is_lane(g, n) && g->duration[n] != GRAPH_UNKNOWN &&
            graph_below(g, n, o->root))
            print_span(&w, n);
    }
    print_arrows(&w, o);
    fputs("\n]}\n", out);
    free(w.lanes);
    free(w.apart);
    free(w.on);
    free(w.start);
    free(w.used);
}
