#include "engine/trace/trace_window.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/search.h"
#include "base/watch.h"
#include "engine/graph/execution.h"
#include "engine/graph/graph_sum.h"
#include "engine/trace/left_out.h"
#include "engine/value/timeline_scale.h"
#include "engine/value/value.h"

enum { LOOK = 65536 };
enum keep {
    DROP,
    WHOLE,
    CUT,
    OUTSIDE, /* device work of other programs or launches at that time */
    LATER    /* on a device; decided after the kept work is known */
};

/* Times that do not overlap, in order. */
struct set {
    struct window_span *list;
    uint32_t n;
};

struct cutting {
    const struct trace *whole;
    const struct graph *g;
    const struct window_spans *spans;
    bool time;   /* the part is a time, not ranges */
    bool device; /* ranges of a device */
    struct set *sets;
    uint32_t nsets;
    uint32_t *set_of;      /* of root nodes: 1 + index of sets; 0: not made yet */
    uint32_t *root, *lane; /* of every node */
    uint32_t *launcher;    /* of device work; GRAPH_NONE unknown */
    uint64_t *first; /* of queues: when the first work whose launch is known begins, + 1; 0: none */
    uint8_t *keep;   /* enum keep */
    uint64_t *from, *to; /* of kept nodes */
    uint32_t *map;       /* of kept nodes, their nodes in the part; GRAPH_NONE: dropped */
    uint32_t early;      /* work that was launched before the profile */
    uint32_t ncut;       /* spans that were cut, without those that lie around the window */
};

/* --- whose times hold --- */

static int compare_window_spans(const void *x, const void *y)
{
    const struct window_span *a = x, *b = y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static void merge_set(struct set *s)
{
    uint32_t n = 0;
    if (s->n)
        qsort(s->list, s->n, sizeof *s->list, compare_window_spans);
    for (uint32_t i = 0; i < s->n; i++)
        if (n == 0 || s->list[i].from > s->list[n - 1].to) {
            s->list[n++] = s->list[i];
        } else if (s->list[i].to > s->list[n - 1].to) {
            s->list[n - 1].to = s->list[i].to;
            s->list[n - 1].done = s->list[i].done;
        }
    s->n = n;
}

/* Adds a program's ranges; if it has none (a GPU shown as a program), those of its file. */
static void fill_set(const struct cutting *c, uint32_t root, struct set *out)
{
    const struct trace_file *file = trace_file_of(c->whole, root);
    out->list = xcalloc(c->spans->n + 1u, sizeof *out->list);
    for (uint32_t i = 0; i < c->spans->n; i++)
        if (c->spans->list[i].program == GRAPH_NONE || c->spans->list[i].program == root)
            out->list[out->n++] = c->spans->list[i];
    for (uint32_t i = 0, own = out->n; own == 0 && i < c->spans->n; i++)
        if (trace_file_of(c->whole, c->spans->list[i].program) == file)
            out->list[out->n++] = c->spans->list[i];
    merge_set(out);
}

static const struct set *find_set_of_root(struct cutting *c, uint32_t root)
{
    if (c->time)
        root = 0;
    if (!c->set_of[root]) {
        c->sets = xrealloc(c->sets, c->nsets + 1u, sizeof *c->sets);
        c->sets[c->nsets] = (struct set){.n = 0};
        fill_set(c, root, &c->sets[c->nsets]);
        c->set_of[root] = ++c->nsets;
    }
    return &c->sets[c->set_of[root] - 1];
}

/* The first span of the set that ends after a time, or at that time if it has no length. */
static uint32_t first_after(const struct set *s, uint64_t time)
{
    uint32_t low = 0;
    SEARCH_FIRST(low, s->n, !(s->list[low].to > time || s->list[low].from == time));
    return low;
}

/* Whether the set has the time at which work began or was launched; notes its end. */
static enum keep keep_at(const struct set *s, uint64_t time, uint64_t end)
{
    uint32_t i = first_after(s, time);
    if (i == s->n || s->list[i].from > time)
        return LATER;
    s->list[i].done = end > s->list[i].done ? end : s->list[i].done;
    return WHOLE;
}

/* Clips [*from, to) to the set: from the first to the last part that lies in it. */
static enum keep clip_to_set(const struct set *s, uint64_t *from, uint64_t *to)
{
    uint64_t start = *from, end = *to;
    uint32_t i = first_after(s, start), last = i;
    if (i == s->n || (start == end ? s->list[i].from > start : s->list[i].from >= end))
        return DROP;
    while (last + 1 < s->n && s->list[last + 1].from < end)
        last++;
    *from = start > s->list[i].from ? start : s->list[i].from;
    *to = end < s->list[last].to ? end : s->list[last].to;
    return *from == start && *to == end ? WHOLE : CUT;
}

/* --- what is kept --- */

static bool is_lane_to_cut(const struct graph *g, uint32_t v)
{
    return g->kind[v] == NODE_PROGRAM || g->kind[v] == NODE_THREAD || g->kind[v] == NODE_QUEUE;
}

static bool on_queue(const struct cutting *c, uint32_t v)
{
    return c->lane[v] != GRAPH_NONE && c->g->kind[c->lane[v]] == NODE_QUEUE;
}

static void find_lanes_to_cut(struct cutting *c)
{
    const struct graph *g = c->g;
    for (uint32_t v = 0; v < g->nnodes; v++) {
        uint32_t up = g->parent[v];
        bool lane = g->kind[v] == NODE_THREAD || g->kind[v] == NODE_QUEUE;
        c->root[v] = up == GRAPH_NONE ? v : c->root[up];
        c->lane[v] = up == GRAPH_NONE ? GRAPH_NONE : c->lane[up];
        if (lane)
            c->lane[v] = v;
    }
    for (uint32_t e = 0; e < g->nedges; e++) {
        uint32_t work = g->edge_to[e];
        if (g->edge_kind[e] != EDGE_LAUNCHES || !on_queue(c, work) || on_queue(c, g->edge_from[e]))
            continue;
        c->launcher[work] = g->edge_from[e];
        uint64_t *first = &c->first[c->lane[work]];
        if (g->start[work] != GRAPH_UNKNOWN && (*first == 0 || g->start[work] < *first))
            *first = g->start[work] + 1;
    }
}

/* For ranges, device work is kept whole or not at all. */
static enum keep keep_work(struct cutting *c, uint32_t v)
{
    const struct graph *g = c->g;
    uint32_t up = g->parent[v], by = c->launcher[v];
    if (graph_is_work(g, up) && on_queue(c, up) && g->start[up] != GRAPH_UNKNOWN)
        return (enum keep)c->keep[up];
    if (!c->device && by == GRAPH_NONE && g->start[v] + 1 < c->first[c->lane[v]]) {
        c->early++;
        return LATER;
    }
    if (c->device || by == GRAPH_NONE || g->start[by] == GRAPH_UNKNOWN)
        by = v;
    return keep_at(find_set_of_root(c, c->root[by]), g->start[by], c->to[v]);
}

static enum keep keep_node(struct cutting *c, uint32_t v)
{
    const struct graph *g = c->g;
    if (is_lane_to_cut(g, v) || g->start[v] == GRAPH_UNKNOWN)
        return g->kind[v] == NODE_QUEUE ? WHOLE
                                        : DROP; /* other lanes are kept if something in them is */
    c->from[v] = g->start[v];
    c->to[v] = g->duration[v] == GRAPH_UNKNOWN ? g->start[v] : g->start[v] + g->duration[v];
    if (c->time || !on_queue(c, v))
        return clip_to_set(find_set_of_root(c, c->root[v]), &c->from[v], &c->to[v]);
    return graph_is_work(g, v) ? keep_work(c, v) : LATER;
}

/* The first and last time at which something of a file is in the window. */
struct hull {
    uint64_t from, to;
};

static uint32_t file_index(const struct trace *t, uint32_t v)
{
    const struct trace_file *f = trace_file_of(t, v);
    return f ? (uint32_t)(f - t->files) : 0;
}

static void widen_hull(struct hull *h, uint64_t from, uint64_t to)
{
    bool first = h->to == 0;
    h->from = first || from < h->from ? from : h->from;
    h->to = first || to > h->to ? to : h->to;
}

static struct hull *find_hulls(const struct cutting *c)
{
    struct hull *hulls = xcalloc(c->whole->nfiles + (size_t)1, sizeof *hulls);
    for (uint32_t i = 0; i < c->spans->n; i++) {
        const struct window_span *s = &c->spans->list[i];
        widen_hull(&hulls[file_index(c->whole, s->program)], s->from, s->to);
    }
    for (uint32_t v = 0; v < c->g->nnodes; v++)
        if (c->keep[v] == WHOLE && v != c->lane[v] && on_queue(c, v))
            widen_hull(&hulls[file_index(c->whole, v)], c->from[v], c->to[v]);
    return hulls;
}

/* Keeps other device work and annotations during that time, cut to it. */
static void keep_later(struct cutting *c)
{
    struct hull *hulls = find_hulls(c);
    for (uint32_t v = 0; v < c->g->nnodes; v++)
        if (c->keep[v] == LATER) {
            const struct hull *h = &hulls[file_index(c->whole, v)];
            struct window_span span = {.from = h->from, .to = h->to};
            const struct set one = {&span, h->to > h->from};
            bool work = graph_is_work(c->g, v);
            c->keep[v] = (uint8_t)clip_to_set(&one, &c->from[v], &c->to[v]);
            if (work && c->keep[v] != DROP)
                c->keep[v] = OUTSIDE;
        }
    free(hulls);
}

static int choose_nodes_to_keep(struct cutting *c, struct error *err)
{
    const struct graph *g = c->g;
    bool later = false;
    for (uint32_t v = 0; v < g->nnodes; v++) {
        if (v % LOOK == 0 && watch_given_up())
            return watch_check("the window", err);
        c->keep[v] = (uint8_t)keep_node(c, v);
        later |= c->keep[v] == LATER;
    }
    if (later)
        keep_later(c);
    for (uint32_t v = g->nnodes; v-- > 0;) { /* lanes, and nodes without times, around kept nodes */
        uint32_t up = g->parent[v];
        if (c->keep[v] != DROP && up != GRAPH_NONE && c->keep[up] == DROP &&
            (is_lane_to_cut(g, up) || g->start[up] == GRAPH_UNKNOWN))
            c->keep[up] = WHOLE;
    }
    return 0;
}

/* --- the part --- */

static uint32_t new_parent(const struct cutting *c, uint32_t v)
{
    uint32_t up = c->g->parent[v];
    while (up != GRAPH_NONE && c->map[up] == GRAPH_NONE)
        up = c->g->parent[up];
    return up == GRAPH_NONE ? GRAPH_NONE : c->map[up];
}

/* Times of a node; lanes have none of their own in a part. */
static void find_cut_times(const struct cutting *c, uint32_t v, uint64_t *start, uint64_t *duration)
{
    const struct graph *g = c->g;
    bool timed = g->start[v] != GRAPH_UNKNOWN && !is_lane_to_cut(g, v);
    *start = timed ? c->from[v] : GRAPH_UNKNOWN;
    *duration = is_lane_to_cut(g, v) ? GRAPH_UNKNOWN : g->duration[v];
    if (timed && g->duration[v] != GRAPH_UNKNOWN)
        *duration = c->to[v] - c->from[v];
}

/* Copies the names, which keep their numbers. Returns that of the name for spans outside of the
 * window. */
static uint32_t add_names(const struct graph *from, struct graph *to)
{
    for (uint32_t i = 0; i < from->nnames; i++)
        graph_intern(to, graph_text(from, i));
    return graph_intern(to, TRACE_OUTSIDE);
}

static void add_kept_nodes(struct cutting *c, struct graph *to)
{
    const struct graph *g = c->g;
    uint32_t *details = xcalloc(g->ndetails + (size_t)1, sizeof *details);
    uint64_t start, duration;
    uint32_t outside = add_names(g, to);
    memset(details, 0xff, (g->ndetails + (size_t)1) * sizeof *details);
    for (uint32_t v = 0; v < g->nnodes; v++) {
        if (c->keep[v] == DROP)
            continue;
        find_cut_times(c, v, &start, &duration);
        if (c->keep[v] == OUTSIDE) {
            c->map[v] =
                graph_add(to, NODE_TASK, outside, new_parent(c, v), EDGE_CONTAINS, start, duration);
            continue;
        }
        uint32_t own = graph_add(to, (enum node_kind)g->kind[v], g->name[v], new_parent(c, v),
                                 (enum edge_kind)g->via[v], start, duration);
        c->map[v] = own;
        c->ncut += c->keep[v] == CUT;
        to->category[own] = g->category[v];
        to->flags[own] = g->flags[v];
        uint32_t detail = g->detail[v];
        if (detail == GRAPH_NONE)
            continue;
        if (details[detail] == GRAPH_NONE) {
            *graph_detail(to, own) = g->details[detail];
            details[detail] = to->detail[own];
        }
        graph_share_detail(to, own, details[detail]);
    }
    free(details);
}

/* Sequence edges that were found from the times are not copied; they are found again. */
static void add_edges(struct cutting *c, struct graph *to)
{
    const struct graph *g = c->g;
    for (uint32_t e = 0; e < g->nedges; e++) {
        uint32_t from = c->map[g->edge_from[e]], at = c->map[g->edge_to[e]];
        const struct trace_file *f = trace_file_of(c->whole, g->edge_from[e]);
        bool linked = f ? f->linked : c->whole->nfiles > 0 && c->whole->files[0].linked;
        if (from != GRAPH_NONE && at != GRAPH_NONE && (g->edge_kind[e] != EDGE_SEQUENCE || linked))
            graph_connect(to, from, at, (enum edge_kind)g->edge_kind[e]);
    }
}

static void add_cut_files(const struct cutting *c, struct trace *to)
{
    uint32_t v = 0, kept = 0;
    for (uint32_t i = 0; i < c->whole->nfiles; i++) {
        const struct trace_file *f = &c->whole->files[i];
        for (; v < f->from; v++)
            kept += c->map[v] != GRAPH_NONE;
        trace_part(to, f->path);
        struct trace_file *own = &to->files[i];
        free(own->path);
        *own = *f;
        own->path = xstrdup(f->path);
        own->label = f->label ? xstrdup(f->label) : NULL;
        own->from = kept;
        for (; v < f->to; v++)
            kept += c->map[v] != GRAPH_NONE;
        own->to = kept;
    }
}

static void add_dispatches(const struct cutting *c, struct trace *to)
{
    for (uint32_t i = 0; i < c->whole->nagents; i++)
        trace_add_agent(to, &c->whole->agents[i]);
    for (uint32_t i = 0; i < c->whole->ndispatches; i++) {
        struct trace_dispatch d = trace_dispatch_at(c->whole, i);
        bool kept = c->keep[d.node] == WHOLE || c->keep[d.node] == CUT;
        d.node = c->map[d.node];
        if (kept)
            trace_add_dispatch(to, &d);
    }
    for (uint32_t i = 0; i < c->whole->ncollectives; i++) {
        struct trace_collective k = c->whole->collectives[i];
        bool whole = c->keep[k.node] ==
                     WHOLE; /* otherwise its bytes do not belong to the time that is left */
        k.node = c->map[k.node];
        if (whole && k.node != GRAPH_NONE)
            trace_add_collective(to, &k);
    }
    for (uint32_t i = 0; i < c->whole->ncounters; i++) {
        const struct trace_counter *k = &c->whole->counters[i];
        if (c->map[k->node] != GRAPH_NONE && c->keep[k->node] == WHOLE)
            trace_add_counter(to, c->map[k->node], graph_text(c->g, k->name), k->value);
    }
}

/* Converts a span to the part's own nodes. */
static struct window_span moved_span(const struct cutting *c, struct window_span s)
{
    s.program = s.program == GRAPH_NONE ? GRAPH_NONE : c->map[s.program];
    s.node = s.node == GRAPH_NONE ? GRAPH_NONE : c->map[s.node];
    return s;
}

static void add_window(const struct cutting *c, struct trace *to)
{
    const struct window_spans *s = c->spans;
    struct window_spans *own = xcalloc(1, sizeof *own);
    uint32_t n = 0;
    own->list = xcalloc(s->n + 1u, sizeof *own->list);
    for (; own->n < s->n; own->n++)
        own->list[own->n] = moved_span(c, s->list[own->n]);
    for (uint32_t i = 0; i < c->nsets; i++)
        n += c->sets[i].n;
    struct set all = {xcalloc(n + 1u, sizeof *all.list), 0};
    for (uint32_t i = 0; i < c->nsets; i++)
        for (uint32_t k = 0; k < c->sets[i].n; k++)
            all.list[all.n++] = moved_span(c, c->sets[i].list[k]);
    if (all.n)
        qsort(all.list, all.n, sizeof *all.list, compare_window_spans);
    uint64_t end;
    if (c->whole->window)
        own->origin = c->whole->window->origin;
    else
        window_bounds(c->g, &own->origin, &end);
    own->open = all.list;
    own->nopen = all.n;
    own->early = c->early;
    to->window = own;
}

static void add_notes(const struct cutting *c, struct trace *to)
{
    const struct trace *t = c->whole;
    char text[200], cut[64] = "";
    for (uint32_t i = 0; i < t->nnotes; i++)
        trace_note(to, "%s", t->notes[i]);
    if (c->ncut)
        snprintf(cut, sizeof cut, "; %" PRIu32 " span%s cross%s its edges: cut there", c->ncut,
                 c->ncut == 1 ? "" : "s", c->ncut == 1 ? "es" : "");
    trace_note(to, "only a part is looked at: %s%s", trace_window_text(to, text, sizeof text), cut);
    if (c->early)
        trace_note(to, "work launched before the profile began is in no range: %" PRIu32 " of it",
                   c->early);
    to->roofs = t->roofs ? xstrdup(t->roofs) : NULL;
    trace_leave_out_like(to, t);
    to->folded = t->folded;
    to->lost = t->lost;
    if (t->folded || t->lost)
        trace_note(to,
                   "spans that were kept only as sums are left out, because a sum has no times");
}

/* Does what trace_open does after reading. */
static int finish_cut(struct trace *to, struct error *err)
{
    uint32_t n = to->calls->nnodes;
    to->spans = n;
    to->place = xcalloc(n + (size_t)1, sizeof *to->place);
    memset(to->place, 0xff, (n + (size_t)1) * sizeof *to->place);
    for (uint32_t i = 0; i < to->nfiles; i++)
        if (!to->files[i].linked)
            execution_sequence(to->calls, to->files[i].from, to->files[i].to);
    graph_sum(to->sums, to->calls, 0, n, to->place);
    graph_finish(to->sums);
    graph_finish(to->calls);
    return watch_check("the window", err);
}

static uint32_t *unknown_each(uint32_t n)
{
    uint32_t *list = xcalloc(n + (size_t)1, sizeof *list);
    memset(list, 0xff, (n + (size_t)1) * sizeof *list);
    return list;
}

static void begin_cut(struct cutting *c, const struct trace *whole,
                      const struct window_spans *spans)
{
    uint32_t n = whole->calls->nnodes, first = spans->list[0].node;
    *c = (struct cutting){.whole = whole, .g = whole->calls, .spans = spans};
    c->time = first == GRAPH_NONE;
    c->set_of = xcalloc(n + (size_t)1, sizeof *c->set_of);
    c->root = unknown_each(n);
    c->lane = unknown_each(n);
    c->launcher = unknown_each(n);
    c->map = unknown_each(n);
    c->first = xcalloc(n + (size_t)1, sizeof *c->first);
    c->keep = xcalloc(n + (size_t)1, 1);
    c->from = xcalloc(n + (size_t)1, sizeof *c->from);
    c->to = xcalloc(n + (size_t)1, sizeof *c->to);
    find_lanes_to_cut(c);
    c->device = !c->time && on_queue(c, first);
}

static void drop_cut(struct cutting *c)
{
    for (uint32_t i = 0; i < c->nsets; i++)
        free(c->sets[i].list);
    free(c->sets);
    free(c->set_of);
    free(c->root);
    free(c->lane);
    free(c->launcher);
    free(c->first);
    free(c->map);
    free(c->keep);
    free(c->from);
    free(c->to);
}

int trace_window_take(struct trace *out, const struct trace *whole,
                      const struct window_spans *spans, struct error *err)
{
    struct cutting c;
    out->sums = graph_new();
    out->calls = graph_new();
    begin_cut(&c, whole, spans);
    int rc = choose_nodes_to_keep(&c, err);
    if (rc == 0) {
        add_kept_nodes(&c, out->calls);
        add_edges(&c, out->calls);
        add_cut_files(&c, out);
        add_dispatches(&c, out);
        add_window(&c, out);
        add_notes(&c, out);
        rc = finish_cut(out, err);
    }
    drop_cut(&c);
    return rc;
}

int trace_window_apply(struct trace *t, struct error *err)
{
    struct window_spans spans = {.n = 0};
    struct trace part = {.wanted = t->wanted,
                         .watch = t->watch,
                         .watch_ctx = t->watch_ctx,
                         .phase = t->phase,
                         .of_files = t->of_files,
                         .at_file = t->at_file};
    if (window_is_whole(t->wanted))
        return 0;
    int rc = window_find(&spans, t, t->wanted, err);
    if (rc == 0)
        rc = trace_window_take(&part, t, &spans, err);
    window_spans_free(&spans);
    if (rc != 0) {
        trace_free(&part);
        return rc;
    }
    trace_free(t);
    *t = part;
    return 0;
}

/* --- what is known of a part --- */

bool trace_is_outside(const struct graph *g, uint32_t v)
{
    return g->kind[v] == NODE_TASK && g->parent[v] != GRAPH_NONE &&
           g->kind[g->parent[v]] == NODE_QUEUE && strcmp(graph_name(g, v), TRACE_OUTSIDE) == 0;
}

const char *trace_window_text(const struct trace *t, char *out, size_t size)
{
    char length[VALUE_TEXT_MAX], from[TIMELINE_TIME_MAX];
    const struct window_spans *w = t->window;
    *out = '\0';
    if (!w || w->n == 0)
        return out;
    uint64_t ns = w->list[0].to - w->list[0].from;
    const char *name = w->list[0].node == GRAPH_NONE ? "" : graph_name(t->calls, w->list[0].node);
    if (w->list[0].node == GRAPH_NONE)
        snprintf(out, size, "%s from %s on", value_time((double)ns, true, length),
                 timeline_time(w->list[0].from - w->origin, 1, w->list[0].to - w->origin, from));
    else if (w->n == 1)
        snprintf(out, size, "%.120s, %s", name, value_time((double)ns, true, length));
    else
        snprintf(out, size, "%" PRIu32 " ranges, the first %.120s", w->n, name);
    return out;
}
