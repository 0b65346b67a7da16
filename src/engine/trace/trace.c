#include "engine/trace/trace.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/thread.h"
#include "base/watch.h"
#include "engine/code/kernel_brief.h"
#include "engine/functions/hot_profile.h"
#include "engine/graph/execution.h"
#include "engine/graph/graph_sum.h"
#include "engine/syscalls/snapshot/syscalls_snapshot.h"
#include "engine/trace/collective.h"
#include "engine/trace/left_out.h"
#include "engine/trace/meetings.h"
#include "engine/trace/trace_align.h"
#include "engine/trace/trace_mpi.h"
#include "engine/trace/trace_dispatches.h"
#include "engine/trace/trace_folder.h"
#include "engine/trace/trace_reader.h"
#include "engine/trace/trace_short.h"
#include "engine/trace/trace_stream.h"
#include "engine/trace/trace_window.h"

enum { WORTH_A_THREAD = 20000 /* calls */, LARGE = 128 << 10 /* bytes */ };

/* Capacities of the arrays, and the readers' state between files. */
struct trace_private {
    uint32_t agents, counters, files, collectives, peaks;
    size_t mpi;
    uint32_t placed; /* nodes whose place was set or is known to be missing */
    struct trace_dispatches dispatches;
    struct state {
        const struct reader_ops *reader;
        void *value;
    } * states;
    uint32_t nstates, states_cap;
    struct trace_folded *folded;
    uint32_t nfolded, folded_cap;
    uint64_t room;
    uint64_t left_out[LEFT_OUT_CAUSES];
    struct trace_stream stream; /* the pipe that is being opened */
    bool piped;
};

static struct trace_private *private_of(struct trace *t)
{
    if (!t->priv)
        t->priv = xcalloc(1, sizeof *t->priv);
    return t->priv;
}

const uint64_t *trace_left_out_counts(const struct trace *t)
{
    static const uint64_t none[LEFT_OUT_CAUSES];
    return t->priv ? t->priv->left_out : none;
}

void trace_leave_out(struct trace *t, enum left_out cause, uint64_t n)
{
    t->dropped += n;
    private_of(t)->left_out[cause] += n;
}

bool trace_take_stream(struct trace *t, struct trace_stream *out)
{
    if (!t->priv || !t->priv->piped)
        return false;
    *out = t->priv->stream;
    t->priv->stream = (struct trace_stream){.fd = -1};
    t->priv->piped = false;
    return true;
}

/* Like trace_reader, but leaves a pipe open for its reader. */
static const struct reader_ops *find_reader(struct trace *t, const char *path, struct error *err)
{
    if (!trace_is_pipe(path))
        return trace_reader(path, err);
    struct trace_stream s = {.fd = -1};
    const struct reader_ops *r = trace_reader_of(&s, path, err);
    if (r) {
        private_of(t)->stream = s;
        private_of(t)->piped = true;
    } else {
        trace_stream_close(&s);
    }
    return r;
}

void **trace_state(struct trace *t, const struct reader_ops *reader)
{
    struct trace_private *p = private_of(t);
    for (uint32_t i = 0; i < p->nstates; i++)
        if (p->states[i].reader == reader)
            return &p->states[i].value;
    LIST_ROOM(p->states, p->nstates, p->states_cap);
    p->states[p->nstates] = (struct state){reader, NULL};
    return &p->states[p->nstates++].value;
}

/* Makes room for the places of n nodes; new nodes have none. */
static void room_for_places(struct trace *t, uint32_t n)
{
    struct trace_private *p = private_of(t);
    if (t->place && n <= p->placed)
        return;
    t->place = xrealloc(t->place, n + (size_t)1, sizeof *t->place);
    memset(t->place + p->placed, 0xff, (n + (size_t)1 - p->placed) * sizeof *t->place);
    p->placed = n;
}

void trace_set_place(struct trace *t, uint32_t node, uint32_t place)
{
    if (!t->place || node >= private_of(t)->placed)
        room_for_places(t, node < GRAPH_MAX_NODES / 2 ? 2 * (node + 32) : GRAPH_MAX_NODES);
    t->place[node] = place;
}

/* --- what there is no room for --- */

enum { SPANS_LEAST = 1000 };

uint64_t trace_memory_left(struct trace *t)
{
    struct trace_private *p = private_of(t);
    if (p->room == 0) {
        uint64_t n = memory_limit() / TRACE_SPAN_BYTES;
        n = n < SPANS_LEAST ? SPANS_LEAST : n;
        p->room = n < GRAPH_MAX_NODES ? n : GRAPH_MAX_NODES;
    }
    return p->room;
}

int trace_check_memory(struct trace *t, uint64_t n, const char *path, struct error *err)
{
    char limit[VALUE_TEXT_MAX];
    if (n <= trace_memory_left(t))
        return 0;
    return error_set(
        err, ERROR_INPUT, ENOMEM, "free some, allow more: --max-memory SIZE, or record less", path,
        "its spans take more memory than the limit of %s",
        value_text((double)trace_memory_left(t) * TRACE_SPAN_BYTES, UNIT_BYTES, true, limit));
}

void trace_fold(struct trace *t, const struct trace_folded *f)
{
    struct trace_private *p = private_of(t);
    LIST_ADD(p->folded, p->nfolded, p->folded_cap, *f);
    t->spans += f->count;
    t->folded += f->count;
}

bool trace_estimate(const struct trace *t, uint64_t done, uint64_t total, uint64_t *spans,
                    uint64_t *bytes)
{
    enum { SHARE = 64 }; /* of the file, at least */
    bool counted = total > 0 && done > 0 && done >= total / SHARE && t->so_far > 0;
    if (t->phase != TRACE_READING || (!t->expected && !counted))
        return false;
    *spans =
        t->expected ? t->expected : (uint64_t)((double)t->so_far / (double)done * (double)total);
    *bytes = *spans * TRACE_SPAN_BYTES;
    return true;
}

/* Adds a node to the sums. */
static uint32_t add_sum_node(struct graph *g, enum node_kind kind, const char *name,
                             uint32_t parent)
{
    return graph_add(g, kind, graph_intern(g, name), parent, EDGE_CONTAINS, GRAPH_UNKNOWN, 0);
}

static void add_folded_work(struct graph *g, uint32_t v, const struct trace_folded *f)
{
    struct graph_work *w = v == GRAPH_NONE ? NULL : graph_work(g, v);
    if (!w)
        return;
    if (w->count == 0)
        *w = (struct graph_work){.min = f->min, .max = f->max, .histogram = GRAPH_NONE};
    w->count += f->count;
    w->total += f->total;
    w->min = f->min < w->min ? f->min : w->min;
    w->max = f->max > w->max ? f->max : w->max;
    w->sum_squares += f->sum_squares;
    g->duration[v] += f->total;
}

static void add_folded_sums(struct trace *t)
{
    struct trace_private *p = private_of(t);
    uint32_t last_lane = GRAPH_NONE, group = GRAPH_NONE;
    for (uint32_t i = 0; i < p->nfolded; i++) {
        const struct trace_folded *f = &p->folded[i];
        uint32_t lane = f->lane < t->calls->nnodes ? t->place[f->lane] : GRAPH_NONE;
        if (group == GRAPH_NONE || lane != last_lane)
            group = add_sum_node(t->sums, NODE_FUNCTION, TRACE_FOLDED, lane);
        last_lane = lane;
        if (group == GRAPH_NONE)
            continue;
        uint32_t own = add_sum_node(t->sums, f->kind, graph_text(t->calls, f->name), group);
        add_folded_work(t->sums, own, f);
        add_folded_work(t->sums, group, f);
        for (uint32_t up = lane; up != GRAPH_NONE; up = t->sums->parent[up])
            t->sums->duration[up] += f->total;
    }
    trace_shorts_note(t, p->folded, p->nfolded);
}

uint32_t trace_add_agent(struct trace *t, const struct trace_agent *a)
{
    for (uint32_t i = 0; i < t->nagents; i++)
        if (t->agents[i].number == a->number && t->agents[i].host == a->host &&
            t->agents[i].gpu == a->gpu)
            return i;
    LIST_ROOM(t->agents, t->nagents, private_of(t)->agents);
    t->agents[t->nagents] = *a;
    return t->nagents++;
}

void trace_add_collective(struct trace *t, const struct trace_collective *c)
{
    LIST_ADD(t->collectives, t->ncollectives, private_of(t)->collectives, *c);
}

void trace_add_mpi(struct trace *t, const struct mpi_call *c)
{
    LIST_ADD(t->mpi, t->nmpi, private_of(t)->mpi, *c);
    t->mpi[t->nmpi - 1].rank = t->nfiles ? t->nfiles - 1 : 0;
}

void trace_tell_memory(struct trace *t, uint32_t device, uint64_t allocated, uint64_t reserved)
{
    enum { DEVICES_MOST = 1024 }; /* of one file; more can only be a damaged file */
    uint32_t file = t->nfiles ? t->nfiles - 1 : 0, seen = 0;
    struct trace_peak *p = NULL;
    for (uint32_t i = t->npeaks; i-- > 0 && t->peaks[i].file == file && !p; seen++)
        p = t->peaks[i].device == device ? &t->peaks[i] : NULL;
    if (!p && seen == DEVICES_MOST)
        return;
    if (!p) {
        LIST_ROOM(t->peaks, t->npeaks, private_of(t)->peaks);
        p = &t->peaks[t->npeaks++];
        *p = (struct trace_peak){.file = file, .device = device};
    }
    p->allocated = allocated > p->allocated ? allocated : p->allocated;
    p->reserved = reserved > p->reserved ? reserved : p->reserved;
}

void trace_part(struct trace *t, const char *path)
{
    LIST_ROOM(t->files, t->nfiles, private_of(t)->files);
    t->files[t->nfiles++] = (struct trace_file){
        .path = xstrdup(path),
        .clock = {GRAPH_NONE, GRAPH_NONE, GRAPH_NONE, GRAPH_UNKNOWN, 0},
        .from = t->calls->nnodes,
    };
}

void trace_tell_clock(struct trace *t, const struct trace_clock *c)
{
    if (t->nfiles == 0)
        return; /* this reader runs without a trace being opened */
    struct trace_clock *to = &t->files[t->nfiles - 1].clock;
    to->host = to->host == GRAPH_NONE ? c->host : to->host;
    to->rank = to->rank == GRAPH_NONE ? c->rank : to->rank;
    to->name = to->name == GRAPH_NONE ? c->name : to->name;
    to->unix_ns = to->unix_ns == GRAPH_UNKNOWN ? c->unix_ns : to->unix_ns;
    to->ranks = to->ranks ? to->ranks : c->ranks;
}

const struct trace_file *trace_file_of(const struct trace *t, uint32_t node)
{
    uint32_t low = 0; /* finds the first one after it */
    SEARCH_FIRST(low, t->nfiles, t->files[low].from <= node);
    return t->nfiles > 1 && low > 0 && node < t->files[low - 1].to ? &t->files[low - 1] : NULL;
}

/* Removes parts without nodes: they were read for other parts, or are empty. */
static void close_parts(struct trace *t)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->nfiles; i++) {
        struct trace_file *f = &t->files[i];
        f->to = i + 1 < t->nfiles ? t->files[i + 1].from : t->calls->nnodes;
        if (f->to > f->from)
            t->files[n++] = *f;
        else
            free(f->path);
    }
    t->nfiles = n;
}

void trace_add_like(struct trace *t, uint32_t node, uint64_t id, uint32_t launch)
{
    trace_dispatches_add(&private_of(t)->dispatches, node, id, launch);
    t->ndispatches = t->priv->dispatches.n;
}

uint32_t trace_add_dispatch(struct trace *t, const struct trace_dispatch *d)
{
    uint32_t launch = trace_dispatches_launch(&private_of(t)->dispatches, d);
    trace_add_like(t, d->node, d->id, launch);
    return launch;
}

struct trace_dispatch trace_dispatch_at(const struct trace *t, uint32_t i)
{
    return trace_dispatches_at(&t->priv->dispatches, i);
}

uint32_t trace_dispatch_node(const struct trace *t, uint32_t i)
{
    return trace_dispatches_node(&t->priv->dispatches, i);
}

uint32_t trace_dispatch_launch(const struct trace *t, uint32_t i)
{
    return trace_dispatches_launch_of(&t->priv->dispatches, i);
}

bool trace_dispatch_of(const struct trace *t, uint32_t node, struct trace_dispatch *out)
{
    uint32_t low = 0;
    SEARCH_FIRST(low, t->ndispatches, trace_dispatches_node(&t->priv->dispatches, low) < node);
    if (low == t->ndispatches || trace_dispatches_node(&t->priv->dispatches, low) != node)
        return false;
    *out = trace_dispatch_at(t, low);
    return true;
}

void trace_add_counter(struct trace *t, uint32_t node, const char *name, double value)
{
    LIST_ROOM(t->counters, t->ncounters, private_of(t)->counters);
    t->counters[t->ncounters++] = (struct trace_counter){node, graph_intern(t->calls, name), value};
}

void trace_note(struct trace *t, const char *fmt, ...)
{
    enum { NOTES_MAX = 64, LENGTH = 400 };
    char text[LENGTH];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (t->nnotes == NOTES_MAX)
        return;
    t->notes = xrealloc(t->notes, t->nnotes + 1, sizeof *t->notes);
    t->notes[t->nnotes++] = xstrdup(text);
}

int trace_progress(struct trace *t, const char *path, uint64_t done, uint64_t total,
                   struct error *err)
{
    if (t->phase == TRACE_READING && t->calls) {
        int rc = trace_check_memory(t, t->calls->nnodes, path, err);
        if (rc != 0)
            return rc;
    }
    if (!watch_given_up() && (!t->watch || t->watch(t->watch_ctx, path, done, total)))
        return 0;
    return error_set(err, ERROR_INPUT, ECANCELED, NULL, path, "reading it was given up");
}

static const struct {
    const char *name;
    double begins; /* a share of the whole */
} phases[TRACE_PHASES + 1] = {{"reading", 0},
                              {"ordering", 0.6},
                              {"summing up", 0.7},
                              {"finding the critical path", 0.8},
                              {"", 1}};

const char *trace_phase_name(enum trace_phase phase)
{
    return (unsigned)phase < TRACE_PHASES ? phases[phase].name : "?";
}

double trace_share(const struct trace *t, uint64_t done, uint64_t total)
{
    if ((unsigned)t->phase >= TRACE_PHASES)
        return 1;
    done = done < total ? done : total;
    double part = total ? (double)done / (double)total : 0;
    if (t->phase == TRACE_READING && t->of_files > 1)
        part = (t->at_file + part) / t->of_files;
    return phases[t->phase].begins + part * (phases[t->phase + 1].begins - phases[t->phase].begins);
}

int trace_begin(struct trace *t, enum trace_phase phase, const char *path, struct error *err)
{
    t->phase = phase;
    return trace_progress(t, path, 0, 0, err);
}

static int counter_order(const void *a, const void *b)
{
    const struct trace_counter *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

static void sort_counters(struct trace *t)
{
    for (uint32_t i = 1; i < t->ncounters; i++)
        if (counter_order(&t->counters[i - 1], &t->counters[i]) > 0) {
            qsort(t->counters, t->ncounters, sizeof *t->counters, counter_order);
            return;
        }
}

static void sort_trace_records(struct trace *t)
{
    uint32_t n = 0;
    if (t->priv)
        trace_dispatches_sort(&t->priv->dispatches);
    sort_counters(t);
    for (uint32_t i = 0; i < t->ncounters; i++)
        if (n && counter_order(&t->counters[n - 1], &t->counters[i]) == 0)
            t->counters[n - 1].value += t->counters[i].value;
        else
            t->counters[n++] = t->counters[i];
    t->ncounters = n;
}

/* Calls finish of all readers with state, also after a failure; the first failure counts. */
static int finish_readers(struct trace *t, int rc, struct error *err)
{
    for (uint32_t i = 0; t->priv && i < t->priv->nstates; i++) {
        const struct state s = t->priv->states[i];
        int failed = s.value ? s.reader->finish(t, rc == 0, err) : 0;
        if (rc == 0)
            rc = failed;
    }
    return rc;
}

/* The sums, made at the same time as the order of calls within lanes. */
struct sums_beside {
    const struct graph *calls;
    uint32_t from, to;
    uint32_t *work; /* execution_device_work */
    uint32_t nwork;
    struct graph_summing *sum;
    pthread_t worker[2];
    bool started[2];
};

static void *run_sum(void *ctx)
{
    graph_sum_run(((struct sums_beside *)ctx)->sum);
    return NULL;
}

static void *run_work(void *ctx)
{
    struct sums_beside *b = ctx;
    b->work = execution_device_work(b->calls, b->from, b->to, &b->nwork);
    return NULL;
}

enum { WORK, SUM };
static void *(*const runs[])(void *ctx) = {run_work, run_sum};

static void start_sum_thread(struct sums_beside *b, int which)
{
    b->started[which] =
        b->to - b->from >= WORTH_A_THREAD && thread_start(&b->worker[which], runs[which], b) == 0;
}

static void finish_sum_thread(struct sums_beside *b, int which)
{
    if (b->started[which])
        pthread_join(b->worker[which], NULL);
    else
        runs[which](b);
}

/* Makes what the readers leave to this file. path: one of their files, for messages. */
static int make_of_calls(struct trace *t, uint32_t from, uint32_t to, bool linked, const char *path,
                         struct error *err)
{
    int rc = from == to ? 0 : trace_begin(t, TRACE_ORDERING, path, err);
    if (from == to || rc != 0)
        return rc;
    /* Finds the edges on this thread, and the sums on another one at the same time. */
    struct sums_beside b = {.calls = t->calls, .from = from, .to = to};
    b.sum = graph_sum_begin(t->sums, t->calls, from, to, t->place + from);
    start_sum_thread(&b, WORK);
    start_sum_thread(&b, SUM);
    if (!linked)
        execution_sequence(t->calls, from, to);
    finish_sum_thread(&b, WORK);
    execution_waits(t->calls, from, to, b.work, b.nwork);
    free(b.work);
    rc = trace_begin(t, TRACE_SUMMING, path, err);
    finish_sum_thread(&b, SUM);
    return rc == 0 ? watch_check(path, err) : rc;
}

/* Neighbouring files of one kind are handled together, because each call reads all edges. */
static int make_of_files(struct trace *t, struct error *err)
{
    int rc = 0;
    for (uint32_t i = 0, last; i < t->nfiles && rc == 0; i = last) {
        const struct trace_file *f = &t->files[i];
        for (last = i + 1; last < t->nfiles && t->files[last].sums == f->sums &&
                           t->files[last].linked == f->linked;)
            last++;
        if (!f->sums)
            rc = make_of_calls(t, f->from, t->files[last - 1].to, f->linked, f->path, err);
    }
    return rc;
}

/* The paths to open. A folder that no reader takes as a whole is replaced by its files. */
struct inputs {
    char **paths;
    uint32_t n;
};

static void add_input_path(struct inputs *in, const char *path)
{
    in->paths = xrealloc(in->paths, in->n + (size_t)1, sizeof *in->paths);
    in->paths[in->n++] = xstrdup(path);
}

static int add_input_folder(struct inputs *in, struct trace *t, const char *path, struct error *err)
{
    struct trace_places places;
    int rc = trace_folder_list(&places, path, err);
    for (uint32_t i = 0; i < places.n; i++)
        add_input_path(in, places.paths[i]);
    char line[PLACES_LINE];
    for (int k = 0; trace_places_tell(&places, path, &k, line);)
        trace_note(t, "%s", line);
    trace_places_free(&places);
    return rc;
}

static int read_one_file(struct trace *t, const char *path, struct error *err)
{
    const struct reader_ops *r = find_reader(t, path, err);
    if (!r)
        return err && err->code == ECANCELED ? -ECANCELED : -EINVAL;
    trace_part(t, path);
    t->files[t->nfiles - 1].linked = r->linked;
    t->files[t->nfiles - 1].sums = r->sums;
    return r->read(path, t, err);
}

static int read_trace_inputs(struct trace *t, const char *const *paths, size_t n, struct error *err)
{
    struct inputs in = {0};
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++)
        if (trace_folder_is(paths[i]))
            rc = add_input_folder(&in, t, paths[i], err);
        else
            add_input_path(&in, paths[i]);
    t->of_files = in.n;
    for (uint32_t i = 0; i < in.n && rc == 0; i++) {
        t->at_file = i;
        rc = read_one_file(t, in.paths[i], err);
    }
    for (uint32_t i = 0; i < in.n; i++)
        free(in.paths[i]);
    free(in.paths);
    return rc;
}

static struct briefs *find_briefs(const struct graph *calls)
{
    const char **names = xcalloc(calls->nnames + (size_t)1, sizeof *names);
    bool *seen = xcalloc(calls->nnames + (size_t)1, sizeof *seen);
    uint32_t n = 0;
    for (uint32_t v = 0; v < calls->nnodes; v++)
        if (calls->kind[v] == NODE_KERNEL && !seen[calls->name[v]]) {
            seen[calls->name[v]] = true;
            names[n++] = graph_text(calls, calls->name[v]);
        }
    struct briefs *b = briefs_new(names, n);
    free(seen);
    free(names);
    return b;
}

/* Returns freed large blocks to the system from now on. glibc would keep blocks of up to 32 MB for
 * reuse, but no more blocks of that size follow, and they would be a third of the peak. */
static void return_large_blocks(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, LARGE);
#endif
}

int trace_open(struct trace *out, const char *const *paths, size_t n, struct error *err)
{
    return_large_blocks();
    out->sums = graph_new();
    out->calls = graph_new();
    int rc = finish_readers(out, read_trace_inputs(out, paths, n, err), err);
    close_parts(out);
    if (rc == 0) {
        room_for_places(out, out->calls->nnodes);
        collective_mark(out);
        struct mpi_job mpi;
        trace_match_mpi(out, &mpi);
        trace_align(out);
        rc = make_of_files(out, err);
        trace_meet(out);
        trace_meet_mpi(out, &mpi);
        add_folded_sums(out);
        trace_note_left_out(out);
    }
    sort_trace_records(out);
    graph_finish(out->sums);
    graph_finish(out->calls);
    if (rc == 0)
        rc = trace_window_apply(out, err);
    out->briefs = find_briefs(out->calls);
    out->calls->briefs = out->sums->briefs = out->briefs;
    return rc;
}

void trace_free(struct trace *t)
{
    if (t->sums)
        t->sums->briefs = NULL; /* others may still hold the graph */
    if (t->calls)
        t->calls->briefs = NULL;
    graph_unref(t->sums);
    graph_unref(t->calls);
    free(t->place);
    free(t->agents);
    free(t->counters);
    free(t->collectives);
    free(t->mpi);
    free(t->peaks);
    for (uint32_t i = 0; i < t->nfiles; i++) {
        free(t->files[i].path);
        free(t->files[i].label);
    }
    free(t->files);
    for (uint32_t i = 0; i < t->nnotes; i++)
        free(t->notes[i]);
    free(t->notes);
    if (t->window)
        window_spans_free(t->window);
    free(t->window);
    free(t->roofs);
    briefs_free(t->briefs);
    syscalls_snapshot_unref(t->syscalls);
    hot_profile_free(t->samples);
    if (t->priv) {
        trace_dispatches_free(&t->priv->dispatches);
        free(t->priv->states);
        free(t->priv->folded);
    }
    free(t->priv);
    *t = (struct trace){0};
}

const struct trace_collective *trace_collective_of(const struct trace *t, uint32_t node)
{
    uint32_t low = 0;
    SEARCH_FIRST(low, t->ncollectives, t->collectives[low].node < node);
    return low < t->ncollectives && t->collectives[low].node == node ? &t->collectives[low] : NULL;
}

uint32_t trace_first_counter(const struct trace *t, uint32_t node)
{
    uint32_t low = 0;
    SEARCH_FIRST(low, t->ncounters, t->counters[low].node < node);
    return low;
}
