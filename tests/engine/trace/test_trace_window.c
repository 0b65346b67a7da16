/* Parts of a profile, by time and by named ranges; compared with a loop over the same events that
 * does not use graphs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/analysis.h"
#include "engine/kernels/kernels.h"
#include "engine/trace/trace_window.h"
#include "support/trace_text.h"
#include "support/test.h"

enum { US = 1000 };

static struct trace whole, part;
static struct window window;

FIXTURE(tear_down)
{
    if (whole.calls)
        trace_free(&whole);
    if (part.calls)
        trace_free(&part);
    window_free(&window);
}

#define HOST(name, tid, ts, dur)                                                                   \
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"" name "\",\"pid\":1,\"tid\":" #tid      \
    ",\"ts\":" #ts ",\"dur\":" #dur "},"
#define LAUNCH(tid, ts, dur, id)                                                                   \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":" #tid \
    ",\"ts\":" #ts ",\"dur\":" #dur ",\"args\":{\"correlation\":" #id "}},"
#define KERNEL(name, stream, ts, dur, id)                                                          \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":" #stream            \
    ",\"ts\":" #ts ",\"dur\":" #dur ",\"args\":{\"device\":0,\"stream\":" #stream                  \
    ",\"correlation\":" #id "}},"

/* Two steps whose GPU work runs after them; another thread launches during the second. */
static const char steps[] = "{\"traceEvents\":[" HOST("main", 1, 0, 400) HOST("step#1", 1, 10, 90)
    HOST("step#2", 1, 110, 90) LAUNCH(1, 20, 5, 1) LAUNCH(1, 30, 5, 2) LAUNCH(1, 120, 5, 3)
        LAUNCH(2, 130, 5, 4) HOST("other", 2, 90, 60) KERNEL("a", 7, 100, 60, 1)
            KERNEL("a", 7, 160, 60, 2) KERNEL("b", 7, 230, 40, 3) KERNEL(
                "c", 8, 240, 50,
                4) "{\"ph\":\"X\",\"cat\":\"Trace\",\"name\":\"end\",\"ts\":0,\"dur\":400}]}";

static void take(const char *text, const char *from, const char *to, const char *range)
{
    struct error err = ERROR_INIT;
    struct window_spans spans;
    char why[800];
    if (!whole.calls)
        trace_text_read(&whole, text);
    window_free(&window);
    if (part.calls)
        trace_free(&part);
    int rc = window_parse(&window, from, to, range, &err);
    if (rc == 0)
        rc = window_find(&spans, &whole, &window, &err);
    if (rc == 0)
        rc = trace_window_take(&part, &whole, &spans, &err);
    if (rc != 0)
        fail_msg("%s", error_format(&err, why, sizeof why));
    window_spans_free(&spans);
}

static void refused(const char *from, const char *to, const char *range, const char *says)
{
    struct error err = ERROR_INIT;
    struct window_spans spans = {.n = 0};
    char why[800];
    window_free(&window);
    int rc = window_parse(&window, from, to, range, &err);
    if (rc == 0)
        rc = window_find(&spans, &whole, &window, &err);
    assert_true(rc < 0);
    assert_int_equal(err.kind, ERROR_USAGE);
    if (!strstr(error_format(&err, why, sizeof why), says))
        fail_msg("'%s' does not say '%s'", why, says);
    window_spans_free(&spans);
    window_free(&window);
}

static void is(const char *name, unsigned nth, uint64_t from, uint64_t to)
{
    uint32_t v = trace_text_node(&part, name, nth);
    if (v == GRAPH_NONE)
        fail_msg("no %s %u", name, nth);
    assert_int_equal(part.calls->start[v], from * US);
    assert_int_equal(part.calls->duration[v], (to - from) * US);
}

static void is_gone(const char *name, unsigned nth)
{
    assert_int_equal(trace_text_node(&part, name, nth), GRAPH_NONE);
}

TEST_WITH(a_time_cuts_what_crosses_its_edges, NULL, tear_down)
{
    take(steps, "100us", "200us", NULL);
    is("main", 0, 100, 200);
    is("step#2", 0, 110, 200);
    is("other", 0, 100, 150);
    is("a", 0, 100, 160);
    is("a", 1, 160, 200);
    is_gone("step#1", 0);
    is_gone("b", 0);
    assert_int_equal(trace_text_node(&part, "cudaLaunchKernel", 2), GRAPH_NONE);
    assert_non_null(strstr(part.notes[part.nnotes - 1], "3 spans cross its edges: cut there"));
    /* the launches of both a's are before it */
    uint32_t a = trace_text_node(&part, "a", 0), b = trace_text_node(&part, "a", 1);
    assert_true(trace_text_edge(&part, a, b, EDGE_SEQUENCE));
}

TEST_WITH(a_range_keeps_what_it_launched_whole, NULL, tear_down)
{
    take(steps, NULL, NULL, "step#2");
    is("step#2", 0, 110, 200);
    is("main", 0, 110, 200);
    is("b", 0, 230, 270);
    is("c", 0, 240, 290); /* launched by another thread */
    is("other", 0, 110, 150);
    is_gone("a", 0);
    is_gone("step#1", 0);
    uint32_t call = trace_text_node(&part, "cudaLaunchKernel", 0);
    assert_true(trace_text_edge(&part, call, trace_text_node(&part, "b", 0), EDGE_LAUNCHES));
    /* its queue was busy with work of step#1 */
    is(TRACE_OUTSIDE, 0, 110, 160);
    is(TRACE_OUTSIDE, 1, 160, 220);
    assert_true(trace_is_outside(part.calls, trace_text_node(&part, TRACE_OUTSIDE, 0)));
    is_gone(TRACE_OUTSIDE, 2);
}

static struct kernels kernels_of(const struct trace *t)
{
    struct kernels k;
    struct critical_path path;
    struct error err = ERROR_INIT;
    assert_int_equal(critical_path_find(t->calls, &path, &err), 0);
    kernels_make(&k, t, &path, NULL);
    critical_path_free(&path);
    return k;
}

TEST_WITH(a_queue_that_was_busy_for_others_was_not_idle, NULL, tear_down)
{
    take(steps, NULL, NULL, "step#2");
    struct kernels k = kernels_of(&part);
    assert_int_equal(k.total.wall, 180 * US);    /* 110 to 290 */
    assert_int_equal(k.total.busy, 60 * US);     /* 230 to 290 */
    assert_int_equal(k.total.outside, 110 * US); /* 110 to 220 */
    assert_int_equal(kernels_idle(&k.total), 10 * US);
    assert_int_equal(k.total.nkernels, 2);
    kernels_free(&k);
    take(steps, "300us", NULL, NULL); /* only a function is there */
    k = kernels_of(&part);
    assert_int_equal(k.total.nkernels, 0);
    assert_int_equal(k.total.wall, 100 * US);
    assert_int_equal(kernels_idle(&k.total), 100 * US);
    kernels_free(&k);
}

TEST_WITH(ranges_are_counted_in_each_program, NULL, tear_down)
{
    take(steps, NULL, NULL, "step");
    is("step#1", 0, 10, 100);
    is("step#2", 0, 110, 200);
    is("main", 0, 10, 200);
    is_gone(TRACE_OUTSIDE, 0);
    assert_int_equal(part.window->n, 2);
    take(steps, NULL, NULL, "step@2");
    assert_int_equal(part.window->n, 1);
    is("step#2", 0, 110, 200);
    take(steps, NULL, NULL, "step@-2");
    is("step#1", 0, 10, 100);
    take(steps, NULL, NULL, "step@1-2");
    assert_int_equal(part.window->n, 2);
    take(steps, NULL, NULL, "step@2-");
    assert_int_equal(part.window->n, 1);
    take(steps, NULL, NULL, "~^st.p#[12]$");
    assert_int_equal(part.window->n, 2);
    take(steps, "50us", NULL, "step");
    is_gone("step#1", 0);
    take(steps, NULL, NULL, "b"); /* the host has no such range: what the device did in its time */
    is("b", 0, 230, 270);
    is("c", 0, 240, 290);
    refused(NULL, NULL, "step@3", "there are only 2");
    refused(NULL, NULL, "stepp#1", "did you mean 'step#1'");
    refused(NULL, NULL, "~(", "regular expression");
    refused("3s", NULL, NULL, "the profile is 400 us long");
    refused("2us", "1us", NULL, "--from before --to");
}

TEST_WITH(names_that_look_like_counts_are_names, NULL, tear_down)
{
    static const char text[] = "{\"traceEvents\":[" HOST("f@2", 1, 0, 10) HOST("f", 1, 20, 10)
        HOST("f", 1, 40, 10) "{\"ph\":\"M\"}]}";
    take(text, NULL, NULL, "f@2");
    is("f@2", 0, 0, 10);
    is_gone("f", 0);
    take(text, NULL, NULL, "f@2@1");
    is("f@2", 0, 0, 10);
    take(text, NULL, NULL, "f@1");
    is("f", 0, 20, 30);
}

TEST(a_name_without_its_number)
{
    assert_int_equal(window_family("ProfilerStep#101"), 12);
    assert_int_equal(window_family("step 7"), 4);
    assert_int_equal(window_family("layer_12"), 5);
    assert_int_equal(window_family("gemm"), 4);
    /* as PyTorch names its NVTX ranges */
    assert_int_equal(window_family("aten::mul, op_id = 317127"), 9);
    assert_int_equal(window_family("aten::mul, seq = 46174, op_id = 317127"), 9);
    assert_int_equal(window_family("a, b = c, op_id = 3"), 8);
    assert_int_equal(window_family(", op_id = 3"), 9);
    assert_int_equal(window_family("42"), 2);
    assert_int_equal(window_family(""), 0);
}

/* --- random traces and windows, compared with a loop over the events --- */

enum { THREADS = 3, STREAMS = 3, EVENTS = 160 };
struct event {
    uint64_t from, to, launch; /* us; launch: when a kernel was launched; UINT64_MAX = unknown */
    bool kernel;
    uint32_t stream;
};
static struct event events[EVENTS];

static uint32_t next(uint32_t *seed, uint32_t n)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % n;
}

/* Calls follow each other in threads, kernels in streams; some have no launch, some overlap. */
static char *random_trace(uint32_t seed)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    uint64_t thread[THREADS] = {0}, stream[STREAMS] = {0};
    assert_non_null(f);
    fputs("{\"traceEvents\":[", f);
    for (int i = 0; i < EVENTS; i += 2) {
        uint32_t t = next(&seed, THREADS), s = next(&seed, STREAMS);
        bool launched = next(&seed, 8) != 0, mark = next(&seed, 4) == 0;
        uint64_t from = thread[t] + next(&seed, 20), to = from + 1 + next(&seed, 10);
        uint64_t begin = (to > stream[s] ? to : stream[s]) + next(&seed, 15);
        uint64_t end = begin + next(&seed, 40);
        thread[t] = to;
        stream[s] = end;
        events[i] = (struct event){from, to, UINT64_MAX, false, 0};
        events[i + 1] = (struct event){begin, end, launched ? from : UINT64_MAX, true, s};
        fprintf(
            f,
            "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"%s\",\"pid\":1,\"tid\":%u,"
            "\"ts\":%llu,\"dur\":%llu,\"args\":{\"correlation\":%d}},"
            "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%u\",\"pid\":0,\"tid\":%u,\"ts\":%llu,"
            "\"dur\":%llu,\"args\":{\"device\":0,\"stream\":%u,\"correlation\":%d}},",
            mark ? "mark" : "call", t + 1, (unsigned long long)from,
            (unsigned long long)(to - from), i + 1, next(&seed, 5), s + 7,
            (unsigned long long)begin, (unsigned long long)(end - begin), s + 7,
            launched ? i + 1 : 100000 + i);
    }
    fputs("{\"ph\":\"M\"}]}", f);
    fclose(f);
    return text;
}

struct sums {
    uint64_t calls, ns, host;
};

static struct sums sums_of(const struct trace *t)
{
    struct sums s = {0};
    for (uint32_t v = 0; v < t->calls->nnodes; v++) {
        bool kernel = t->calls->kind[v] == NODE_KERNEL;
        s.calls += kernel;
        s.ns += kernel ? t->calls->duration[v] : 0;
        s.host += t->calls->kind[v] == NODE_FUNCTION ? t->calls->duration[v] : 0;
    }
    return s;
}

static void are(struct sums a, struct sums b, uint32_t seed)
{
    if (a.calls != b.calls || a.ns != b.ns || a.host != b.host)
        fail_msg("seed %u: %llu kernels, %llu ns, host %llu; expected %llu, %llu, %llu", seed,
                 (unsigned long long)a.calls, (unsigned long long)a.ns, (unsigned long long)a.host,
                 (unsigned long long)b.calls, (unsigned long long)b.ns, (unsigned long long)b.host);
}

static struct sums in_time(uint64_t from, uint64_t to)
{
    struct sums s = {0};
    for (int i = 0; i < EVENTS; i++) {
        const struct event *e = &events[i];
        uint64_t a = e->from > from ? e->from : from, b = e->to < to ? e->to : to;
        bool in = e->from == e->to ? e->from >= from && e->from < to : a < b;
        s.calls += in && e->kernel;
        *(e->kernel ? &s.ns : &s.host) += in ? (b - a) * US : 0;
    }
    return s;
}

/* Whether it was launched before the profile began: work of its stream that was launched in it
 * comes after. */
static bool is_early(const struct event *e)
{
    bool later = false;
    for (int i = 0; i < EVENTS; i++) {
        const struct event *x = &events[i];
        if (!x->kernel || x->stream != e->stream || x->launch == UINT64_MAX)
            continue;
        if (x->from <= e->from)
            return false;
        later = true;
    }
    return e->kernel && e->launch == UINT64_MAX && later;
}

/* marks: number of the calls with the range's name, in from[] and to[]. */
static struct sums in_marks(const uint64_t *from, const uint64_t *to, int marks)
{
    struct sums s = {0};
    for (int i = 0; i < EVENTS; i++) {
        const struct event *e = &events[i];
        uint64_t first = UINT64_MAX, last = 0, at = e->launch == UINT64_MAX ? e->from : e->launch;
        bool in = false, late = !is_early(e);
        for (int m = 0; m < marks; m++) {
            in |= e->kernel && late && at >= from[m] && at < to[m];
            if (e->kernel || e->from >= to[m] || e->to <= from[m])
                continue;
            uint64_t a = e->from > from[m] ? e->from : from[m], b = e->to < to[m] ? e->to : to[m];
            first = a < first ? a : first;
            last = b > last ? b : last;
        }
        s.calls += in;
        s.ns += in ? (e->to - e->from) * US : 0;
        s.host += last ? (last - first) * US : 0;
    }
    return s;
}

static uint64_t begin_of_events(void)
{
    uint64_t first = UINT64_MAX;
    for (int i = 0; i < EVENTS; i++)
        first = events[i].from < first ? events[i].from : first;
    return first;
}

TEST_WITH(random_parts_are_what_a_loop_counts, NULL, tear_down)
{
    for (uint32_t seed = 1; seed <= 60; seed++) {
        char *text = random_trace(seed), from[32], to[32];
        uint32_t draw = seed;
        uint64_t marks[2][EVENTS], first = begin_of_events();
        int n = 0;
        tear_down(NULL);
        for (int w = 0; w < 4; w++) {
            uint64_t a = next(&draw, 600), b = a + 1 + next(&draw, 300);
            snprintf(from, sizeof from, "%lluus", (unsigned long long)a);
            snprintf(to, sizeof to, "%lluus", (unsigned long long)b);
            take(text, from, to, NULL);
            are(sums_of(&part), in_time(first + a, first + b), seed);
        }
        for (uint32_t v = 0; v < whole.calls->nnodes; v++)
            if (strcmp(graph_name(whole.calls, v), "mark") == 0) {
                marks[0][n] = whole.calls->start[v] / US;
                marks[1][n] = marks[0][n] + whole.calls->duration[v] / US;
                n++;
            }
        take(text, NULL, NULL, "mark");
        are(sums_of(&part), in_marks(marks[0], marks[1], n), seed);
        free(text);
    }
}

TEST_WITH(all_of_it_is_the_same_trace, NULL, tear_down)
{
    struct sums a;
    take(steps, NULL, "400us", NULL);
    a = sums_of(&whole);
    are(sums_of(&part), a, 0);
    assert_int_equal(part.calls->nnodes, whole.calls->nnodes);
    assert_int_equal(part.calls->nedges, whole.calls->nedges);
    assert_int_equal(part.sums->nnodes, whole.sums->nnodes);
    assert_int_equal(part.ndispatches, whole.ndispatches);
}

#define REDUCE(ts, dur, id)                                                                        \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce\",\"pid\":0,\"tid\":20,"  \
    "\"ts\":" #ts ",\"dur\":" #dur ",\"args\":{\"device\":0,\"correlation\":" #id                  \
    ",\"In msg nelems\":1000,\"Group size\":2,\"dtype\":\"Float\"}},"

/* The details of a collective stay with it; one that is cut loses its number of bytes. */
TEST_WITH(messages_go_with_their_collectives, NULL, tear_down)
{
    static const char text[] = "{\"traceEvents\":[" HOST("step#1", 1, 0, 100)
        HOST("step#2", 1, 200, 100) LAUNCH(1, 10, 5, 1) LAUNCH(1, 210, 5, 2) REDUCE(20, 40, 1)
            REDUCE(220, 60,
                   2) "{\"ph\":\"X\",\"cat\":\"Trace\",\"name\":\"end\",\"ts\":0,\"dur\":400}]}";
    take(text, NULL, NULL, "step#2");
    assert_int_equal(whole.ncollectives, 2);
    assert_int_equal(part.ncollectives, 1);
    const struct trace_collective *c = &part.collectives[0];
    assert_string_equal(graph_name(part.calls, c->node), "ncclDevKernel_AllReduce");
    assert_int_equal(part.calls->duration[c->node], 60 * US);
    assert_true(part.calls->flags[c->node] & NODE_COLLECTIVE);
    assert_int_equal(c->bytes, 4000);
    assert_int_equal(c->ranks, 2);
    take(text, "230us", "400us", NULL);
    assert_int_equal(part.ncollectives, 0);
}
