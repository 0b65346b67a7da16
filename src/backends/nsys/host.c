/*
 * Reads calls of CUDA and of system libraries, and NVTX ranges: nested functions in their threads.
 */
#include <stdio.h>
#include <stdlib.h>

#include "backends/nsys/nsys_impl.h"
#include "base/list.h"
#include "base/search.h"
#include "engine/trace/left_out.h"

enum { LOOK_UP = 1 << 16 /* spans between two checks for cancelling */ };
enum { OS_START = 31, OS_END = 32 /* the tracing itself (ENUM_NSYS_EVENT_CLASS), no calls */ };
enum { NOT_READY = 600 /* cudaErrorNotReady: an answer, no failure (CUDA runtime API) */ };

struct domains {
    struct ids by_id; /* index by process and number */
    uint32_t *name;   /* in the graph; GRAPH_NONE: unknown */
    uint32_t n, cap;
    struct ids joined; /* the combined name by domain and range */
};

struct nsys_host {
    struct nsys *n;
    struct span_list spans;
    struct domains domains;
};

/* --- tables --- */

static uint32_t nsys_row_thread(struct nsys *n, const struct sqlite_rows *r, int column)
{
    int64_t id = 0;
    sqlite_rows_int(r, column, &id);
    return nsys_thread(n, (uint64_t)id);
}

/* "domain:text", as in the profiler's own reports. */
static uint32_t span_name(struct nsys_host *h, const struct nsys_span *s)
{
    struct graph *g = h->n->g;
    struct domains *d = &h->domains;
    char both[512];
    bool ranged = s->kind == SPAN_RANGE || s->kind == SPAN_LOOSE;
    uint32_t name = s->name;
    if (name == GRAPH_NONE)
        name = graph_intern(g, ranged ? "unnamed range" : "unknown function");
    if (!ranged || !s->link || d->name[s->link - 1] == GRAPH_NONE)
        return name;
    uint64_t key = nsys_pair(s->link, name);
    uint32_t known = ids_get(&d->joined, key);
    if (known != IDS_NONE)
        return known;
    snprintf(both, sizeof both, "%.100s:%.400s", graph_text(g, d->name[s->link - 1]),
             graph_text(g, name));
    known = graph_intern(g, both);
    ids_add(&d->joined, key, known);
    return known;
}

static enum node_kind nsys_span_kind(const struct nsys_span *s)
{
    return s->kind == SPAN_RANGE || s->kind == SPAN_LOOSE ? NODE_RANGE : NODE_FUNCTION;
}

static void add_nsys_span(struct nsys_host *h, const struct nsys_span *s)
{
    const uint64_t time[2] = {s->start, s->end};
    bool may_go = h->n->cut.above > 0;
    if (!may_go || !nsys_short(h->n, nsys_thread_node(h->n, s->thread), span_name(h, s),
                               nsys_span_kind(s), time))
        nsys_spans_add(&h->spans, s);
}

static int read_calls(struct nsys_host *h, const char *table, enum span_kind kind)
{
    static const char *const columns[] = {"start",         "end",         "globalTid", "nameId",
                                          "correlationId", "returnValue", "eventClass"};
    struct nsys *n = h->n;
    struct sqlite_rows r;
    int rc = sqlite_rows_open(&r, &n->file, table, columns, 7);
    while (rc == 0 && (rc = sqlite_rows_next(&r)) == 1) {
        uint64_t time[2];
        int64_t link = 0, result = 0, class = 0;
        rc = 0;
        if (kind == SPAN_OS && sqlite_rows_int(&r, 6, &class) &&
            (class == OS_START || class == OS_END))
            continue;
        if (!nsys_times(n, &r, 0, 1, time))
            continue;
        if (kind == SPAN_CALL) {
            sqlite_rows_int(&r, 4, &link);
            sqlite_rows_int(&r, 5, &result);
        }
        struct nsys_span s = {.start = time[0],
                              .end = time[1],
                              .thread = nsys_row_thread(n, &r, 2),
                              .name = nsys_function_name(n, &r, 3),
                              .link = link > 0 && link <= UINT32_MAX ? (uint32_t)link : 0,
                              .kind = (uint8_t)kind,
                              .failed = result != 0 && result != NOT_READY};
        add_nsys_span(h, &s);
    }
    sqlite_rows_close(&r);
    return rc;
}

/* 0: the default domain, which has no name; else 1 + its index. */
static uint32_t nvtx_domain_number(struct nsys_host *h, uint32_t thread,
                                   const struct sqlite_rows *r, int column)
{
    struct domains *d = &h->domains;
    int64_t id;
    bool is_new;
    if (!sqlite_rows_int(r, column, &id) || id == 0)
        return 0;
    uint32_t i =
        ids_number(&d->by_id, nsys_pair(h->n->threads[thread].process, (uint32_t)id), &is_new);
    if (is_new)
        LIST_ADD(d->name, d->n, d->cap, GRAPH_NONE);
    return 1 + i;
}

enum range_column { START, END, TYPE, TEXT, TEXT_ID, THREAD, DOMAIN, RANGE_COLUMNS };

static void add_nvtx_range(struct nsys_host *h, const struct sqlite_rows *r, enum span_kind kind)
{
    uint64_t time[2];
    if (!nsys_times(h->n, r, START, END, time))
        return;
    uint32_t thread = nsys_row_thread(h->n, r, THREAD), name = nsys_name(h->n, r, TEXT);
    struct nsys_span s = {.start = time[0],
                          .end = time[1],
                          .thread = thread,
                          .name = name != GRAPH_NONE ? name : nsys_name(h->n, r, TEXT_ID),
                          .link = nvtx_domain_number(h, thread, r, DOMAIN),
                          .kind = (uint8_t)kind};
    add_nsys_span(h, &s);
}

static void add_domain(struct nsys_host *h, const struct sqlite_rows *r)
{
    uint32_t domain = nvtx_domain_number(h, nsys_row_thread(h->n, r, THREAD), r, DOMAIN);
    uint32_t name = nsys_name(h->n, r, TEXT);
    if (domain)
        h->domains.name[domain - 1] = name != GRAPH_NONE ? name : nsys_name(h->n, r, TEXT_ID);
}

/* Reads ranges. Marks, names of categories and similar events are not spans. */
static int read_ranges(struct nsys_host *h)
{
    static const char *const columns[RANGE_COLUMNS] = {
        [START] = "start",    [END] = "end",          [TYPE] = "eventType", [TEXT] = "text",
        [TEXT_ID] = "textId", [THREAD] = "globalTid", [DOMAIN] = "domainId"};
    const struct nsys *n = h->n;
    struct sqlite_rows r;
    int rc = sqlite_rows_open(&r, &h->n->file, "NVTX_EVENTS", columns, RANGE_COLUMNS);
    while (rc == 0 && (rc = sqlite_rows_next(&r)) == 1) {
        int64_t type = 0, end;
        rc = 0;
        bool typed = sqlite_rows_int(&r, TYPE, &type);
        if (typed && type == n->domain_create)
            add_domain(h, &r);
        else if (typed && (type == n->start_end[0] || type == n->start_end[1]))
            add_nvtx_range(h, &r, SPAN_LOOSE);
        else if (typed ? type == n->push_pop[0] || type == n->push_pop[1]
                       : sqlite_rows_int(&r, END, &end))
            add_nvtx_range(h, &r, SPAN_RANGE);
    }
    sqlite_rows_close(&r);
    return rc;
}

/* --- nodes --- */

/* Open spans of one thread: each ends no later than the previous one. */
struct open_span {
    uint64_t end;
    uint32_t node, name, link;
    uint8_t kind;
};
struct span_nest {
    struct open_span *list;
    uint32_t n, cap;
};

/* How many open spans enclose a span with this end. */
static uint32_t count_enclosing_spans(const struct span_nest *o, uint64_t end)
{
    uint32_t low = 0;
    SEARCH_FIRST(low, o->n, o->list[low].end >= end);
    return low;
}

/* Whether a call was recorded twice: by an outer interception and by CUPTI. */
static bool told_twice(const struct open_span *by, const struct nsys_span *s)
{
    return by->kind == SPAN_CALL && s->kind == SPAN_CALL && s->link && by->link == s->link &&
           by->name == s->name;
}

static void add_nsys_node(struct nsys_host *h, struct span_nest *o, const struct nsys_span *s,
                          uint32_t inside)
{
    struct nsys *n = h->n;
    const struct open_span *by = inside ? &o->list[inside - 1] : NULL;
    uint32_t parent = by ? by->node : nsys_thread_node(n, s->thread);
    if (by && told_twice(by, s)) {
        n->g->flags[parent] |= s->failed ? NODE_FAILED : 0;
        return;
    }
    bool called = by && by->kind != SPAN_RANGE && by->kind != SPAN_LOOSE;
    uint32_t node = GRAPH_NONE;
    if (parent != GRAPH_NONE)
        node = graph_add(n->g, nsys_span_kind(s), span_name(h, s), parent,
                         called ? EDGE_CALLS : EDGE_CONTAINS, s->start, s->end - s->start);
    if (node == GRAPH_NONE) {
        trace_leave_out(n->t, LEFT_NO_ROOM, 1);
        return;
    }
    n->t->spans++;
    n->g->flags[node] |= s->failed ? NODE_FAILED : 0;
    if (s->kind == SPAN_CALL && s->link)
        ids_add(&n->calls, nsys_pair(n->threads[s->thread].process, s->link), node);
    if (inside < o->n)
        return; /* overlaps an open span, so it encloses nothing */
    LIST_ADD(o->list, o->n, o->cap, (struct open_span){s->end, node, s->name, s->link, s->kind});
}

/* Places a span below its parent. A started and ended range that overlaps without nesting encloses
 * nothing; for other overlapping spans, the later one encloses what follows. O(1) amortised, or a
 * binary search. */
static void place_span(struct nsys_host *h, struct span_nest *o, const struct nsys_span *s)
{
    while (o->n && o->list[o->n - 1].end <= s->start)
        o->n--;
    if (s->kind != SPAN_LOOSE)
        while (o->n && o->list[o->n - 1].end < s->end)
            o->n--;
    add_nsys_node(h, o, s, s->kind == SPAN_LOOSE ? count_enclosing_spans(o, s->end) : o->n);
}

static int compare_nsys_threads(const void *a, const void *b)
{
    const struct nsys_thread *x = *(const struct nsys_thread *const *)a,
                             *y = *(const struct nsys_thread *const *)b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Orders threads by process and thread, independent of the order of rows. */
static uint32_t *thread_order(const struct nsys *n)
{
    uint32_t *order = xcalloc(n->nthreads + 1u, sizeof *order);
    const struct nsys_thread **list = xcalloc(n->nthreads + 1u, sizeof *list);
    for (uint32_t i = 0; i < n->nthreads; i++)
        list[i] = &n->threads[i];
    qsort(list, n->nthreads, sizeof *list, compare_nsys_threads);
    for (uint32_t i = 0; i < n->nthreads; i++)
        order[list[i] - n->threads] = i;
    free(list);
    return order;
}

static int add_nsys_nodes(struct nsys_host *h)
{
    struct span_nest open = {0};
    uint32_t *order = thread_order(h->n);
    int rc = 0;
    nsys_spans_sort(&h->spans, order, h->n->nthreads);
    free(order);
    for (size_t i = 0; i < h->spans.n && rc == 0; i++) {
        const struct nsys_span *s = &h->spans.list[i];
        if (i && s->thread != s[-1].thread)
            open.n = 0;
        place_span(h, &open, s);
        if (i % LOOK_UP == 0)
            rc = sqlite_file_progress(&h->n->file);
    }
    free(open.list);
    return rc;
}

/* Reads the spans of the host: ranges, then calls of the CUDA runtime and driver, then of the
 * system. If two spans of a thread begin and end together, the one that was read first encloses the
 * other. */
int nsys_read_host(struct nsys *n)
{
    struct nsys_host h = {.n = n};
    int rc = read_ranges(&h);
    if (rc == 0)
        rc = read_calls(&h, "CUPTI_ACTIVITY_KIND_RUNTIME", SPAN_CALL);
    if (rc == 0)
        rc = read_calls(&h, "CUPTI_ACTIVITY_KIND_DRIVER", SPAN_CALL);
    if (rc == 0)
        rc = read_calls(&h, "OSRT_API", SPAN_OS);
    if (rc == 0)
        rc = add_nsys_nodes(&h);
    nsys_spans_free(&h.spans);
    ids_free(&h.domains.by_id);
    ids_free(&h.domains.joined);
    free(h.domains.name);
    return rc;
}
