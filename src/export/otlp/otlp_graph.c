#include "export/otlp/otlp_graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/watch.h"
#include "export/otlp/otlp_node.h"

/* A clock that counts from a start is below this, which is 2001-09-09 as a time of day. */
#define TIME_OF_DAY UINT64_C(1000000000000000000)
enum { COUNTERS = 8, KEY_BYTES = 96 };

struct walk {
    struct otlp_graph *o;
    const struct graph *g;
    uint32_t *parent;      /* for each node: first its program, then the nearest span above it */
    uint32_t *lane;        /* for each node: its thread or queue */
    uint32_t *launcher;    /* for each node in a queue: the call that launched it */
    uint64_t *begin, *end; /* of the programs, indexed by node */
    uint32_t nprograms;    /* 1 + index of the last program */
    uint64_t last;         /* when the last span ended */
};

/* --- which nodes are spans --- */

static bool is_sent_span(const struct walk *w, uint32_t n)
{
    const struct graph *g = w->g;
    if (g->kind[n] == NODE_PROGRAM)
        return w->begin[n] != GRAPH_UNKNOWN || graph_has_time(g, n);
    return !graph_is_lane(g, n) && !graph_is_context(g, n) && graph_has_time(g, n);
}

/* Whether the parent of a span on a queue is a call of the host. Calls of the host never have such
 * a parent, so that no file can make a circle. */
static bool is_launched(const struct walk *w, uint32_t n)
{
    const struct graph *g = w->g;
    const uint32_t call = w->launcher[n], up = g->parent[n];
    return call != GRAPH_NONE && up != GRAPH_NONE && g->kind[up] == NODE_QUEUE &&
           w->lane[call] != GRAPH_NONE && g->kind[w->lane[call]] == NODE_THREAD;
}

static void find_span_launchers(struct walk *w)
{
    const struct graph *g = w->g;
    for (uint32_t i = 0; i < g->nnodes; i++)
        w->launcher[i] = GRAPH_NONE;
    for (uint32_t e = 0; e < g->nedges; e++)
        if (g->edge_kind[e] == EDGE_LAUNCHES && w->launcher[g->edge_to[e]] == GRAPH_NONE)
            w->launcher[g->edge_to[e]] = g->edge_from[e];
}

/* Finds the lane of each node, and the program it is in, which is kept as its parent until
 * find_parents(). Parents have smaller indexes than their children, so that one pass does it. */
static void find_span_lanes(struct walk *w)
{
    const struct graph *g = w->g;
    for (uint32_t i = 0; i < g->nnodes; i++) {
        const uint32_t up = g->parent[i];
        w->lane[i] = up == GRAPH_NONE ? GRAPH_NONE : w->lane[up];
        if (graph_is_lane(g, i))
            w->lane[i] = i;
        w->parent[i] = up == GRAPH_NONE ? up : w->parent[up];
        if (g->kind[i] == NODE_PROGRAM) {
            w->parent[i] = i;
            w->nprograms = i + 1;
        }
    }
}

static void time_programs(struct walk *w)
{
    const struct graph *g = w->g;
    w->begin = xcalloc(w->nprograms + (size_t)1, sizeof *w->begin);
    w->end = xcalloc(w->nprograms + (size_t)1, sizeof *w->end);
    for (uint32_t i = 0; i < w->nprograms; i++)
        w->begin[i] = GRAPH_UNKNOWN;
    for (uint32_t i = 0; i < g->nnodes; i++) {
        const uint32_t p = w->parent[i];
        const uint64_t end = graph_has_time(g, i) ? g->start[i] + g->duration[i] : 0;
        w->last = end > w->last ? end : w->last;
        if (p == GRAPH_NONE || p == i || graph_is_lane(g, i) || !graph_has_time(g, i))
            continue;
        w->begin[p] = g->start[i] < w->begin[p] ? g->start[i] : w->begin[p];
        w->end[p] = end > w->end[p] ? end : w->end[p];
    }
}

static void find_parents(struct walk *w)
{
    const struct graph *g = w->g;
    for (uint32_t i = 0; i < g->nnodes; i++) {
        const uint32_t up = g->parent[i];
        w->parent[i] = up == GRAPH_NONE || is_sent_span(w, up) ? up : w->parent[up];
    }
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (is_launched(w, i)) {
            const uint32_t call = w->launcher[i];
            w->parent[i] = is_sent_span(w, call) ? call : w->parent[call];
        }
}

/* --- time of day --- */

/* The number to add to the times of a file to make them times of day; unsigned arithmetic wraps. */
static uint64_t find_unix_shift(struct walk *w, const struct trace_file *f)
{
    const struct trace *t = w->o->trace;
    struct stat st;
    if (f && f->clock.unix_ns != GRAPH_UNKNOWN)
        return f->clock.unix_ns - (uint64_t)f->offset_ns;
    if (w->last >= TIME_OF_DAY)
        return 0;
    /* the other files share the clock of the first file that has the time of day */
    for (uint32_t i = 0; t->files && i < t->nfiles; i++)
        if (t->files[i].clock.unix_ns != GRAPH_UNKNOWN)
            return t->files[i].clock.unix_ns - (uint64_t)t->files[i].offset_ns;
    w->o->undated = 1;
    if (f && stat(f->path, &st) == 0)
        return (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec - w->last;
    return 0;
}

/* --- attributes --- */

struct texts { /* texts of one span */
    struct otlp_node_texts node;
    char counters[COUNTERS][KEY_BYTES];
};

static void describe_span_agent(const struct walk *w, const struct trace_dispatch *d,
                                struct otlp_attrs *a)
{
    const struct trace *t = w->o->trace;
    if (d->agent >= t->nagents)
        return;
    const struct trace_agent *agent = &t->agents[d->agent];
    otlp_text(a, "rooftop.gpu.model", otlp_name(w->g, agent->model));
    otlp_text(a, "rooftop.gpu.architecture", otlp_name(w->g, agent->name));
    otlp_uint(a, "rooftop.gpu.number", agent->number);
}

static void add_if_known(struct otlp_attrs *a, const char *key, uint32_t v)
{
    if (v != TRACE_UNKNOWN)
        otlp_uint(a, key, v);
}

static void describe_dispatch(const struct walk *w, uint32_t n, struct otlp_attrs *a,
                              struct texts *x)
{
    const struct trace *t = w->o->trace;
    struct trace_dispatch d;
    uint32_t k = 0;
    if (!trace_dispatch_of(t, n, &d))
        return;
    describe_span_agent(w, &d, a);
    otlp_uint(a, "rooftop.dispatch.id", d.id);
    add_if_known(a, "rooftop.kernel.vgprs", d.vgprs);
    add_if_known(a, "rooftop.kernel.accum_vgprs", d.accum_vgprs);
    add_if_known(a, "rooftop.kernel.sgprs", d.sgprs);
    add_if_known(a, "rooftop.kernel.lds_bytes", d.lds_bytes);
    add_if_known(a, "rooftop.kernel.scratch_bytes", d.scratch_bytes);
    for (uint32_t i = trace_first_counter(t, n);
         i < t->ncounters && t->counters[i].node == n && k < COUNTERS; i++, k++) {
        snprintf(x->counters[k], KEY_BYTES, "rooftop.counter.%s",
                 graph_text(w->g, t->counters[i].name));
        otlp_double(a, x->counters[k], t->counters[i].value);
    }
}

static void describe_graph_span(const struct walk *w, uint32_t n, struct otlp_attrs *a,
                                struct texts *x)
{
    a->n = a->dropped = 0;
    otlp_node_describe(w->g, n, a, &x->node);
    describe_dispatch(w, n, a, x);
    otlp_node_lane(w->g, w->lane[n], a);
}

/* --- the spans --- */

static void make_graph_span_id(const struct walk *w, uint32_t n, uint8_t id[OTLP_SPAN_ID])
{
    otlp_context_id(w->o->context, OTLP_FIRST_NODE + n, id);
}

static void write_graph_span(const struct walk *w, uint32_t n, uint64_t shift)
{
    const struct graph *g = w->g;
    const bool timed = graph_has_time(g, n);
    struct otlp_attrs attrs;
    struct texts texts;
    struct otlp_span s = {.state = w->o->context->state,
                          .kind = OTLP_INTERNAL,
                          .name = graph_name(g, n),
                          .attrs = &attrs,
                          .begin_ns = shift + (timed ? g->start[n] : w->begin[n]),
                          .end_ns = shift + (timed ? g->start[n] + g->duration[n] : w->end[n]),
                          .status = g->flags[n] & NODE_FAILED ? OTLP_ERROR : OTLP_UNSET};
    if (s.end_ns < s.begin_ns) /* a file may have any numbers */
        s.end_ns = s.begin_ns;
    memcpy(s.trace, w->o->context->trace, sizeof s.trace);
    make_graph_span_id(w, n, s.id);
    if (w->parent[n] != GRAPH_NONE)
        make_graph_span_id(w, w->parent[n], s.parent);
    else
        memcpy(s.parent, w->o->context->parent, sizeof s.parent);
    describe_graph_span(w, n, &attrs, &texts);
    otlp_batch_add(w->o->batch, &s);
}

static int write_graph_spans(struct walk *w, struct error *err)
{
    const struct graph *g = w->g;
    const struct trace_file *file = NULL;
    uint64_t shift = 0;
    for (uint32_t i = 0; i < g->nnodes && w->o->batch->rc == 0; i++) {
        const struct trace *t = w->o->trace;
        const struct trace_file *f = trace_file_of(t, i);
        if (!f && t->nfiles)
            f = &t->files[0];
        if (i == 0 || f != file)
            shift = find_unix_shift(w, file = f);
        if (is_sent_span(w, i))
            write_graph_span(w, i, shift);
        else if (g->start[i] != GRAPH_UNKNOWN && g->duration[i] == GRAPH_UNKNOWN &&
                 !graph_is_lane(g, i))
            w->o->unended++;
        if (watch_stops(i))
            return watch_check("export", err);
    }
    return 0;
}

int otlp_graph_write(struct otlp_graph *o, struct error *err)
{
    const struct graph *g = o->trace->calls;
    const size_t n = g->nnodes + (size_t)1;
    struct walk w = {.o = o,
                     .g = g,
                     .parent = xcalloc(n, sizeof *w.parent),
                     .lane = xcalloc(n, sizeof *w.lane),
                     .launcher = xcalloc(n, sizeof *w.launcher)};
    find_span_launchers(&w);
    find_span_lanes(&w);
    time_programs(&w);
    find_parents(&w);
    const int rc = write_graph_spans(&w, err);
    free(w.parent);
    free(w.lane);
    free(w.launcher);
    free(w.begin);
    free(w.end);
    return rc;
}

uint64_t otlp_graph_key(const struct trace *t)
{
    const struct graph *g = t->calls;
    uint64_t key = hash_number(0, g->nnodes);
    for (uint32_t i = 0; i < g->nnodes; i++)
        key = hash_number(hash_number(key, g->start[i]), g->duration[i]);
    return key;
}
