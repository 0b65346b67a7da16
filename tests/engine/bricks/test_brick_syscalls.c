/* System calls inside bricks, against a search through all spans for each call. */
#include <stdlib.h>
#include <string.h>

#include "engine/bricks/brick_syscalls.h"
#include "engine/bricks/span_syscalls.h"
#include "support/test.h"

enum { THREADS = 3, CALL_WRITE = 1, CALL_READ = 0, CALL_SLEEP = 35 };

static uint64_t seed = 1;
static uint32_t below(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % n;
}

static const char *const names[] = {"A", "B", "C", "D"};

/* Spans of threads, and the sums by name that a report is made of. */
struct run {
    struct graph *calls, *sums;
    struct arena memory;
    struct brick_report report;
    uint32_t threads[THREADS], places[4];
    uint32_t *place; /* of each call, in sums */
};

static uint32_t thread(struct run *r, int64_t tid)
{
    uint32_t node = graph_add(r->calls, NODE_THREAD, graph_intern(r->calls, "thread"), GRAPH_NONE,
                              EDGE_LAUNCHES, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    graph_detail(r->calls, node)->thread.id = tid;
    return node;
}

static void run_begin(struct run *r)
{
    *r = (struct run){.calls = graph_new(), .sums = graph_new()};
    for (int i = 0; i < THREADS; i++)
        r->threads[i] = thread(r, 100 + i);
    for (int i = 0; i < 4; i++) {
        r->places[i] = graph_add(r->sums, NODE_BRICK, graph_intern(r->sums, names[i]), GRAPH_NONE,
                                 EDGE_CONTAINS, GRAPH_UNKNOWN, 0);
        *graph_work(r->sums, r->places[i]) =
            (struct graph_work){.min = GRAPH_UNKNOWN, .histogram = GRAPH_NONE};
    }
}

static uint32_t span(struct run *r, uint32_t parent, unsigned name, uint64_t start, uint64_t ns)
{
    struct graph_work *w = graph_work(r->sums, r->places[name]);
    w->count++;
    w->total += ns;
    return graph_add(r->calls, NODE_BRICK, graph_intern(r->calls, names[name]), parent,
                     EDGE_CONTAINS, start, ns);
}

static void run_ready(struct run *r)
{
    graph_finish(r->calls);
    graph_finish(r->sums);
    r->place = calloc(r->calls->nnodes + 1u, sizeof *r->place);
    assert_non_null(r->place);
    for (uint32_t i = 0; i < r->calls->nnodes; i++)
        r->place[i] = r->calls->kind[i] == NODE_BRICK ? r->places[graph_name(r->calls, i)[0] - 'A']
                                                      : GRAPH_NONE;
    brick_report_make(&r->report, &r->memory, r->sums, true);
}

static void run_end(struct run *r)
{
    graph_unref(r->calls);
    graph_unref(r->sums);
    arena_free(&r->memory);
    free(r->place);
}

/* Puts the counts into the report, and the calls of each node into the graphs. */
static void finish(struct run *r, struct span_syscalls *c)
{
    graph_set_syscalls(r->sums, span_syscalls_sums(c, r->sums, r->place));
    graph_set_syscalls(r->calls, span_syscalls_sums(c, r->calls, NULL));
    brick_report_syscalls(&r->report, r->sums);
    span_syscalls_free(c);
}

static struct syscall_event call(int32_t tid, uint32_t number, uint64_t begin, uint64_t end,
                                 int64_t result)
{
    return (struct syscall_event){.kind = SYSCALL_CALL,
                                  .abi = SYSCALL_X86_64,
                                  .pid = 100,
                                  .tid = tid,
                                  .number = number,
                                  .begin_ns = begin,
                                  .end_ns = end,
                                  .result = result};
}

static const struct brick_row *row(const struct run *r, const char *name)
{
    for (uint32_t i = 0; i < r->report.nrows; i++)
        if (strcmp(r->report.rows[i].name, name) == 0)
            return &r->report.rows[i];
    fail_msg("no row %s", name);
    return NULL;
}

TEST(a_call_belongs_to_the_innermost_brick)
{
    struct run r;
    run_begin(&r);
    uint32_t outer = span(&r, r.threads[0], 0, 1000, 1000);
    span(&r, outer, 1, 1200, 100);
    span(&r, r.threads[1], 2, 1000, 1000);
    run_ready(&r);
    const struct syscall_event events[] = {
        call(100, CALL_SLEEP, 999, 1000, 0),   call(100, CALL_READ, 1000, 1010, 7),
        call(100, CALL_WRITE, 1200, 1220, 50), call(100, CALL_SLEEP, 1230, 1280, -4),
        call(100, CALL_READ, 1300, 1301, 3), /* the inner one has just ended */
        call(100, CALL_SLEEP, 1990, 2090, 0),  call(100, CALL_SLEEP, 2000, 2001, 0),
        call(102, CALL_WRITE, 1500, 1501, 9),
    };
    struct span_syscalls *c = span_syscalls_new(r.calls);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        span_syscalls_add(c, &events[i]);
    finish(&r, c);
    const struct call_sum *a = &row(&r, "A")->calls, *b = &row(&r, "B")->calls;
    assert_int_equal(a->n.calls, 3);
    assert_int_equal(a->n.ns, 10 + 1 + 10); /* the last is cut at the end of its brick */
    assert_int_equal(a->n.read, 10);
    assert_int_equal(a->n.errors, 0);
    assert_int_equal(b->n.calls, 2);
    assert_int_equal(b->n.errors, 1);
    assert_int_equal(b->n.ns, 70);
    assert_int_equal(b->n.written, 50);
    assert_string_equal(b->most_in, "nanosleep");
    assert_int_equal(b->most_ns, 50);
    assert_int_equal(row(&r, "C")->calls.n.calls, 0);
    assert_true(row(&r, "C")->has_calls);
    assert_null(row(&r, "C")->calls.most_in);
    assert_int_equal(r.report.outside.n.calls, 3);
    assert_int_equal(r.report.outside.n.ns, 1 + 90 + 1 + 1);
    assert_int_equal(r.report.outside.n.written, 9);
    assert_int_equal(r.report.outlasting, 1);
    assert_int_equal(r.report.all_calls.n.calls, 8);
    run_end(&r);
}

/* Spans inside each other, at random. */
static void nest(struct run *r, uint32_t parent, uint64_t start, uint64_t end, int depth)
{
    while (start < end && below(5)) {
        start += below((uint32_t)(end - start) / 2 + 1);
        uint64_t ns = below((uint32_t)(end - start) + 1);
        uint32_t node = span(r, parent, below(4), start, ns);
        if (depth > 0)
            nest(r, node, start, start + ns, depth - 1);
        start += ns;
    }
}

/* Spans that overlap in any way, as tasks may. */
static void scatter(struct run *r, uint32_t parent)
{
    for (uint32_t n = below(20); n-- > 0;)
        span(r, parent, below(4), below(1000), below(400));
}

static bool inner(const struct graph *g, uint32_t a, uint32_t b)
{
    const uint64_t ea = g->start[a] + g->duration[a], eb = g->start[b] + g->duration[b];
    if (g->start[a] != g->start[b])
        return g->start[a] > g->start[b];
    return ea != eb ? ea < eb : a > b;
}

/* The innermost span of the thread, by looking at all. */
static uint32_t searched(const struct graph *g, uint32_t thread, uint64_t ns)
{
    uint32_t best = GRAPH_NONE;
    for (uint32_t i = 0; i < g->nnodes; i++) {
        uint32_t up = i;
        while (g->kind[up] != NODE_THREAD)
            up = g->parent[up];
        if (g->kind[i] == NODE_BRICK && up == thread && g->start[i] <= ns &&
            ns < g->start[i] + g->duration[i] && (best == GRAPH_NONE || inner(g, i, best)))
            best = i;
    }
    return best;
}

static void add_expected(struct call_sum *s, const struct syscall_event *e, uint64_t ns)
{
    s->n.calls++;
    s->n.errors += e->result < 0;
    s->n.ns += ns;
    s->n.read += e->number == CALL_READ && e->result > 0 ? (uint64_t)e->result : 0;
    s->n.written += e->number == CALL_WRITE && e->result > 0 ? (uint64_t)e->result : 0;
}

static void assert_same(const struct call_sum *a, const struct call_sum *b)
{
    assert_int_equal(a->n.calls, b->n.calls);
    assert_int_equal(a->n.errors, b->n.errors);
    assert_int_equal(a->n.ns, b->n.ns);
    assert_int_equal(a->n.read, b->n.read);
    assert_int_equal(a->n.written, b->n.written);
}

static unsigned name_of(const struct graph *g, uint32_t node)
{
    return (unsigned)(graph_name(g, node)[0] - 'A');
}

/* One thread's calls follow each other; all are compared with the search. */
static void add_calls(struct run *r, struct span_syscalls *c, struct call_sum expected[5])
{
    static const uint32_t numbers[] = {CALL_READ, CALL_WRITE, CALL_SLEEP};
    for (int t = 0; t < THREADS; t++)
        for (uint64_t at = below(50); at < 1100;) {
            const uint64_t end = at + below(30);
            const struct syscall_event e =
                call(100 + t, numbers[below(3)], at, end, (int64_t)below(100) - 20);
            const uint32_t node = searched(r->calls, r->threads[t], at);
            uint64_t inside = end - at;
            if (node != GRAPH_NONE) {
                const uint64_t left = r->calls->start[node] + r->calls->duration[node] - at;
                inside = inside < left ? inside : left;
            }
            add_expected(&expected[node == GRAPH_NONE ? 4 : name_of(r->calls, node)], &e, inside);
            expected[4].n.ns += end - at - inside;
            span_syscalls_add(c, &e);
            at = end + below(20);
        }
}

TEST(random_runs_are_as_a_search_through_all_finds)
{
    for (int round = 0; round < 300; round++) {
        struct run r;
        struct call_sum expected[5] = {0}, sum = {0};
        run_begin(&r);
        for (int t = 0; t < THREADS; t++)
            if (round % 2)
                nest(&r, r.threads[t], 0, 1000, 4);
            else
                scatter(&r, r.threads[t]);
        run_ready(&r);
        struct span_syscalls *c = span_syscalls_new(r.calls);
        add_calls(&r, c, expected);
        finish(&r, c);
        for (uint32_t i = 0; i < r.report.nrows; i++) {
            const struct brick_row *x = &r.report.rows[i];
            assert_same(&x->calls, &expected[x->name[0] - 'A']);
            if (round % 2) /* inside each other */
                assert_true(x->calls.n.ns <= x->sum.total);
            assert_true(x->calls.most_ns <= x->calls.n.ns);
            sum.n.calls += x->calls.n.calls;
            sum.n.errors += x->calls.n.errors;
            sum.n.ns += x->calls.n.ns;
            sum.n.read += x->calls.n.read;
            sum.n.written += x->calls.n.written;
        }
        assert_same(&r.report.outside, &expected[4]);
        sum.n.calls += r.report.outside.n.calls;
        sum.n.errors += r.report.outside.n.errors;
        sum.n.ns += r.report.outside.n.ns;
        sum.n.read += r.report.outside.n.read;
        sum.n.written += r.report.outside.n.written;
        assert_same(&sum, &r.report.all_calls);
        run_end(&r);
    }
}

static void assert_count(const struct call_count *a, const struct call_count *b)
{
    assert_memory_equal(a, b, sizeof *a);
}

/* The calls of each node by a search, for each call, through all spans and up from the one found.
 */
static void search_nodes(struct run *r, struct span_syscalls *c, struct call_count *expected,
                         struct call_count *total)
{
    for (int t = 0; t < THREADS; t++)
        for (uint64_t at = below(50); at < 1100;) {
            const struct syscall_event e = call(100 + t, below(2) ? CALL_READ : CALL_WRITE, at,
                                                at + below(30), (int64_t)below(100) - 20);
            const uint32_t found = searched(r->calls, r->threads[t], at);
            struct call_sum one = {.most_in = NULL}, rest = {.most_in = NULL};
            uint64_t inside = e.end_ns - at;
            if (found != GRAPH_NONE &&
                inside > r->calls->start[found] + r->calls->duration[found] - at)
                inside = r->calls->start[found] + r->calls->duration[found] - at;
            add_expected(&one, &e, inside);
            rest.n.ns = e.end_ns - at - inside;
            for (uint32_t up = found == GRAPH_NONE ? r->threads[t] : found; up != GRAPH_NONE;
                 up = r->calls->parent[up])
                call_count_add(&expected[up], &one.n);
            call_count_add(&expected[r->threads[t]], &rest.n);
            call_count_add(total, &one.n);
            call_count_add(total, &rest.n);
            span_syscalls_add(c, &e);
            at = e.end_ns + below(20);
        }
}

TEST(a_node_has_the_calls_of_what_is_inside)
{
    for (int round = 0; round < 200; round++) {
        struct run r;
        struct call_count total = {0}, roots = {0};
        run_begin(&r);
        for (int t = 0; t < THREADS; t++)
            nest(&r, r.threads[t], 0, 1000, 4);
        run_ready(&r);
        struct call_count *expected = calloc(r.calls->nnodes, sizeof *expected);
        assert_non_null(expected);
        struct span_syscalls *c = span_syscalls_new(r.calls);
        search_nodes(&r, c, expected, &total);
        finish(&r, c);
        for (uint32_t i = 0; i < r.calls->nnodes; i++) {
            const struct call_sum *s = graph_syscalls_of(r.calls, i);
            const struct call_part *parts = NULL;
            struct call_count sum = {0};
            const uint32_t n = graph_syscalls_parts(r.calls, i, &parts);
            assert_count(&s->n, &expected[i]);
            for (uint32_t k = 0; k < n; k++) {
                call_count_add(&sum, &parts[k].all);
                assert_true(k == 0 || parts[k].all.ns <= parts[k - 1].all.ns);
            }
            assert_count(&sum, &s->n);
            assert_int_equal(s->most_ns, n ? parts[0].all.ns : 0);
            if (r.calls->kind[i] == NODE_BRICK)
                assert_true(s->n.ns <= r.calls->duration[i]);
            if (r.calls->parent[i] == GRAPH_NONE)
                call_count_add(&roots, &s->n);
        }
        assert_count(&roots, &total);
        assert_count(&r.calls->syscalls->total, &total);
        free(expected);
        run_end(&r);
    }
}

/* Threads and programs without spans; who is not in the graph at all. */
TEST(calls_without_a_span_are_their_threads)
{
    struct graph *g = graph_new();
    const uint32_t program = graph_add(g, NODE_PROGRAM, graph_intern(g, "p"), GRAPH_NONE,
                                       EDGE_CONTAINS, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    graph_detail(g, program)->thread.id = 100;
    const uint32_t thread = graph_add(g, NODE_THREAD, graph_intern(g, "t"), program, EDGE_LAUNCHES,
                                      GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    graph_detail(g, thread)->thread.id = 100;
    graph_finish(g);
    struct span_syscalls *c = span_syscalls_new(g);
    const struct syscall_event events[] = {call(100, CALL_READ, 10, 20, 5),
                                           call(101, CALL_WRITE, 10, 20, 7),
                                           {.kind = SYSCALL_CALL,
                                            .pid = 7,
                                            .tid = 8,
                                            .number = CALL_READ,
                                            .begin_ns = 1,
                                            .end_ns = 2}};
    for (size_t i = 0; i < 3; i++)
        span_syscalls_add(c, &events[i]);
    graph_set_syscalls(g, span_syscalls_sums(c, g, NULL));
    span_syscalls_free(c);
    assert_int_equal(graph_syscalls_of(g, thread)->n.calls, 1);
    assert_int_equal(graph_syscalls_of(g, program)->n.calls, 2);
    assert_int_equal(graph_syscalls_of(g, program)->n.written, 7);
    assert_int_equal(g->syscalls->elsewhere.calls, 1);
    assert_int_equal(g->syscalls->total.calls, 3);
    graph_unref(g);
}

/* Calls without a time, events that are no calls, a launch of a device. */
TEST(what_has_no_place_is_outside)
{
    struct run r;
    run_begin(&r);
    uint32_t node = span(&r, r.threads[0], 0, 1000, 1000);
    r.calls->flags[node] |= NODE_DEVICE_TIME;
    span(&r, r.threads[1], 1, 1000, 1000);
    run_ready(&r);
    struct span_syscalls *c = span_syscalls_new(r.calls);
    struct syscall_event e = call(100, CALL_READ, 1100, 1200, 5);
    span_syscalls_add(c, &e);
    e = call(101, CALL_READ, 1100, 1200, 5);
    e.flags = SYSCALL_NO_TIMES;
    span_syscalls_add(c, &e);
    e.kind = SYSCALL_SIGNAL;
    span_syscalls_add(c, &e);
    finish(&r, c);
    assert_int_equal(r.report.outside.n.calls, 2);
    assert_int_equal(r.report.outside.n.ns, 100);
    assert_int_equal(r.report.outside.n.read, 10);
    run_end(&r);
}

/* An operation of io_uring goes on beside the thread that submitted it: the brick has it among its
 * calls, but not its time, however late it ends. */
TEST(operations_take_no_time_of_bricks)
{
    struct run r;
    run_begin(&r);
    span(&r, r.threads[0], 0, 1000, 1000);
    run_ready(&r);
    struct span_syscalls *c = span_syscalls_new(r.calls);
    struct syscall_event e = call(100, CALL_READ, 1100, 1200, 5);
    span_syscalls_add(c, &e);
    e = call(100, 22, 1100, 900000, 64);
    e.abi = SYSCALL_URING;
    span_syscalls_add(c, &e);
    finish(&r, c);
    assert_int_equal(row(&r, "A")->calls.n.calls, 2);
    assert_int_equal(row(&r, "A")->calls.n.ns, 100);
    assert_int_equal(r.report.outside.n.ns, 0);
    assert_int_equal(r.calls->syscalls->outlasting, 0);
    run_end(&r);
}

/* Spans as only a hostile file has them: 600,000 of one thread that overlap, and as many calls. A
 * search through all of them for each call would take longer than a test may. */
TEST(many_spans_that_overlap_cost_little)
{
    enum { N = 600000, FIRST = 1000 };
    enum { PYRAMID, STAIRS, TEETH, SHAPES };
    for (int shape = 0; shape < SHAPES; shape++) {
        struct graph *g = graph_new();
        const uint32_t thread = graph_add(g, NODE_THREAD, graph_intern(g, "t"), GRAPH_NONE,
                                          EDGE_LAUNCHES, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
        const uint32_t name = graph_intern(g, "A");
        uint32_t first = 0;
        graph_detail(g, thread)->thread.id = 100;
        for (uint32_t i = 0; i < N; i++) {
            const uint64_t ns = shape == PYRAMID  ? 2 * (uint64_t)(N - i)
                                : shape == STAIRS ? N
                                : i % 2           ? 1
                                                  : 2 * N - i;
            const uint32_t node =
                graph_add(g, NODE_BRICK, name, thread, EDGE_CONTAINS, FIRST + i, ns);
            first = i == 0 ? node : first;
        }
        struct span_syscalls *c = span_syscalls_new(g);
        for (uint32_t k = 0; k < N; k++) {
            const uint64_t at = N + (uint64_t)k; /* after the last one began */
            const struct syscall_event e = call(100, CALL_READ, FIRST + at, FIRST + at, 0);
            uint64_t end = 0;
            uint32_t expected = first; /* of the pyramid, the last that ends after this */
            if (shape == PYRAMID)
                expected += 2 * N - 1 - (uint32_t)at;
            else if (shape == STAIRS)
                expected = at < 2 * N - 1 ? first + N - 1 : GRAPH_NONE;
            else
                expected += N - 2;
            assert_int_equal(span_syscalls_find(c, &e, &end), expected);
            assert_true(expected == GRAPH_NONE || end > e.begin_ns);
        }
        span_syscalls_free(c);
        graph_unref(g);
    }
}
