/* Traces that do not fit into memory: spans are summed, and no call and no nanosecond of any name
 * is lost. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "engine/trace/trace.h"
#include "support/test.h"

enum { SPANS = 60000, NAMES = 40 };

static char path[64];
static uint64_t seed;

static unsigned below(unsigned n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % n;
}

static FILE *start(void)
{
    strcpy(path, "/tmp/rooftop-fold-XXXXXX");
    int fd = mkstemp(path);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    assert_non_null(f);
    fputs("{\"traceEvents\":[\n", f);
    return f;
}

static void end(FILE *f)
{
    fputs("{\"ph\":\"M\",\"name\":\"x\",\"pid\":1,\"tid\":1}]}\n", f);
    assert_int_equal(fclose(f), 0);
}

/* Host calls in three threads, some with begin and end, some around others; kernels they launch. */
static void make_mixed(void)
{
    FILE *f = start();
    seed = 7;
    for (int i = 0; i < SPANS; i++) {
        unsigned tid = below(3), name = below(NAMES), length = 1 + below(5) * below(200);
        long at = 1000L * i;
        switch (below(8)) {
        case 0:
            fprintf(f, "{\"ph\":\"B\",\"name\":\"f%u\",\"pid\":1,\"tid\":%u,\"ts\":%ld},\n", name,
                    tid, at);
            fprintf(f, "{\"ph\":\"E\",\"pid\":1,\"tid\":%u,\"ts\":%ld},\n", tid, at + length);
            break;
        case 1:
            fprintf(
                f,
                "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,"
                "\"tid\":%u,\"ts\":%ld,\"dur\":3,\"args\":{\"correlation\":%d}},\n",
                tid, at, i);
            fprintf(f,
                    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%u\",\"pid\":0,\"tid\":7,"
                    "\"ts\":%ld,\"dur\":%u,\"args\":{\"correlation\":%d,\"device\":0,"
                    "\"stream\":7,\"grid\":[%u,1,1],\"block\":[64,1,1]}},\n",
                    name, at + 5, length, i, 1 + name);
            break;
        default:
            fprintf(f,
                    "{\"ph\":\"X\",\"name\":\"f%u\",\"pid\":1,\"tid\":%u,\"ts\":%ld,\"dur\":%u},\n",
                    name, tid, at, length);
        }
    }
    fputs("{\"ph\":\"X\",\"name\":\"longest\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":99000},\n", f);
    end(f);
}

/* Kernels, the calls that launched them, and six times as many functions around, which last longer.
 */
static void make_launches(void)
{
    enum { FUNCTIONS = 6 };
    FILE *f = start();
    for (int i = 0; i < SPANS / (FUNCTIONS + 2); i++) {
        for (int k = 0; k < FUNCTIONS; k++)
            fprintf(f,
                    "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"f%d\",\"pid\":1,"
                    "\"tid\":1,\"ts\":%d,\"dur\":%d},\n",
                    k, 50 * i + k, 40 - 2 * k);
        fprintf(f,
                "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,"
                "\"tid\":1,\"ts\":%d,\"dur\":3,\"args\":{\"correlation\":%d}},\n"
                "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k1\",\"pid\":0,\"tid\":7,\"ts\":%d,"
                "\"dur\":%d,\"args\":{\"correlation\":%d,\"device\":0,\"stream\":7}},\n",
                50 * i + 10, i, 50 * i + 15, 5 + i % 9, i);
    }
    end(f);
}

static void make_alike(const char *phase)
{
    FILE *f = start();
    for (int i = 0; i < SPANS; i++)
        fprintf(f, "{\"ph\":\"%s\",\"name\":\"n%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":2},\n",
                phase, i, 10 * i);
    end(f);
}

/* --- totals of each name --- */

struct sums {
    uint64_t count[2 * NAMES + 2], total[2 * NAMES + 2], calls, ns;
};

/* f0.. k0.. longest cudaLaunchKernel; -1: a lane, a program, the group of what was folded */
static int number_of(const char *name)
{
    if (strcmp(name, "longest") == 0)
        return 2 * NAMES;
    if (strcmp(name, "cudaLaunchKernel") == 0)
        return 2 * NAMES + 1;
    if ((name[0] == 'f' || name[0] == 'k') && name[1] >= '0' && name[1] <= '9')
        return atoi(name + 1) + (name[0] == 'k' ? NAMES : 0);
    return -1;
}

static void sum_up(const struct trace *t, struct sums *out)
{
    const struct graph *g = t->sums;
    *out = (struct sums){.calls = 0};
    for (uint32_t v = 0; v < g->nnodes; v++) {
        int i = number_of(graph_name(g, v));
        if (i < 0 || !g->work || g->work[v] == GRAPH_NONE)
            continue;
        const struct graph_work *w = &g->works[g->work[v]];
        out->count[i] += w->count;
        out->total[i] += w->total;
        out->calls += w->count;
        out->ns += w->total;
    }
}

static int open_it(struct trace *t, uint64_t limit, struct error *err)
{
    const char *const paths[] = {path};
    *t = (struct trace){0};
    memory_set_limit(limit);
    int rc = trace_open(t, paths, 1, err);
    memory_set_limit(0);
    return rc;
}

TEST(no_call_and_no_time_of_a_name_is_lost)
{
    static const uint64_t limits[] = {12000000, 6000000, 3000000, 1048576, 500000};
    static struct sums all, kept;
    struct error err = ERROR_INIT;
    struct trace t;
    make_mixed();
    assert_int_equal(open_it(&t, UINT64_C(1) << 40, &err), 0);
    sum_up(&t, &all);
    uint64_t spans = t.spans;
    assert_int_equal(t.folded, 0);
    assert_int_equal(t.nnotes, 0);
    assert_int_equal(all.calls, spans);
    trace_free(&t);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (open_it(&t, limits[i], &err) != 0)
            fail_msg("%s: %s", err.what, err.why);
        sum_up(&t, &kept);
        assert_memory_equal(&all, &kept, sizeof all);
        assert_int_equal(t.spans, spans);
        assert_true(t.folded > 0 && t.folded < spans);
        assert_true(t.calls->nnodes - 10 <= trace_memory_left(&t) / 4 * 5);
        assert_int_equal(t.nnotes, 1);
        assert_non_null(strstr(t.notes[0], "as sums by name only"));
        bool longest = false;
        for (uint32_t v = 0; v < t.calls->nnodes; v++)
            longest |= strcmp(graph_name(t.calls, v), "longest") == 0;
        assert_true(longest);
        trace_free(&t);
    }
    unlink(path);
}

static uint32_t count_launched(const struct trace *t, uint32_t *kernels)
{
    const struct graph *g = t->calls;
    uint32_t launched = 0;
    *kernels = 0;
    for (uint32_t v = 0; v < g->nnodes; v++)
        *kernels += g->kind[v] == NODE_KERNEL;
    for (uint32_t e = 0; e < g->nedges; e++)
        launched += g->edge_kind[e] == EDGE_LAUNCHES && g->kind[g->edge_to[e]] == NODE_KERNEL &&
                    g->kind[g->edge_from[e]] == NODE_FUNCTION;
    return launched;
}

/* A device without its kernels would seem idle: what the host did besides goes first. Where even
 * that is not enough, it is said. */
TEST(work_of_devices_and_its_launches_stay_longest)
{
    struct error err = ERROR_INIT;
    struct trace t;
    uint32_t kernels, launched, stayed;
    make_launches();
    assert_int_equal(open_it(&t, UINT64_C(1) << 40, &err), 0);
    launched = count_launched(&t, &kernels);
    assert_int_equal(kernels, launched);
    trace_free(&t);
    assert_int_equal(open_it(&t, 6000000, &err), 0);
    assert_true(t.folded > SPANS / 2);
    assert_int_equal(count_launched(&t, &stayed), launched);
    assert_int_equal(stayed, kernels);
    assert_null(strstr(t.notes[0], "kernels and copies"));
    trace_free(&t);
    assert_int_equal(open_it(&t, 1048576, &err), 0);
    assert_non_null(strstr(t.notes[0], "kernels and copies"));
    trace_free(&t);
    unlink(path);
}

/* A thread's time is the sum of its spans, and no place in it has more. */
TEST(places_are_no_longer_than_what_they_are_in)
{
    struct error err = ERROR_INIT;
    struct trace t;
    make_mixed();
    assert_int_equal(open_it(&t, 1048576, &err), 0);
    unsigned groups = 0;
    for (uint32_t v = 0; v < t.sums->nnodes; v++) {
        if (strcmp(graph_name(t.sums, v), TRACE_FOLDED) != 0)
            continue;
        uint64_t below_it = 0;
        for (uint32_t c = t.sums->first_child[v]; c != GRAPH_NONE; c = t.sums->next_sibling[c])
            below_it += t.sums->duration[c];
        assert_int_equal(t.sums->duration[v], below_it);
        assert_true(t.sums->duration[t.sums->parent[v]] >= below_it);
        groups++;
    }
    assert_int_equal(groups, 4); /* three threads and a stream */
    trace_free(&t);
    unlink(path);
}

/* Ranks are compared by their k-th collectives, and that of the rank that came last is the
 * shortest: none may be missing, whatever was read before it. */
TEST(collectives_are_kept)
{
    enum { EVERY = 100 };
    struct error err = ERROR_INIT;
    struct trace t;
    FILE *f = start();
    for (int i = 0; i < SPANS; i++)
        fprintf(f,
                "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":7,"
                "\"ts\":%d,\"dur\":%d,\"args\":{\"device\":0,\"stream\":7}},\n",
                i % EVERY ? "gemm" : "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 100 * i,
                i % EVERY ? 10 + i % 50 : 1);
    end(f);
    assert_int_equal(open_it(&t, 1048576, &err), 0);
    assert_true(t.folded > SPANS / 2);
    int kept = 0;
    for (uint32_t v = 0; v < t.calls->nnodes; v++)
        kept += (t.calls->flags[v] & NODE_COLLECTIVE) != 0;
    assert_int_equal(kept, SPANS / EVERY);
    trace_free(&t);
    unlink(path);
}

/* A collective may be known by what the file says of a kernel, not by its name. */
TEST(collectives_that_only_the_file_names_are_kept)
{
    enum { EVERY = 100 };
    struct error err = ERROR_INIT;
    struct trace t;
    FILE *f = start();
    for (int i = 0; i < SPANS; i++)
        fprintf(f,
                "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"work_%d\",\"pid\":0,\"tid\":7,"
                "\"ts\":%d,\"dur\":%d,\"args\":{\"device\":0,\"stream\":7%s}},\n",
                i % 3, 100 * i, i % EVERY ? 10 + i % 50 : 1,
                i % EVERY ? "" : ",\"Collective name\":\"allreduce\",\"Group size\":2");
    end(f);
    assert_int_equal(open_it(&t, 1048576, &err), 0);
    assert_true(t.folded > SPANS / 2);
    assert_int_equal(t.ncollectives, SPANS / EVERY);
    trace_free(&t);
    unlink(path);
}

/* Where collectives alone are too many, the first part of the time has all of them, and what is
 * later is in the sums: nothing between is missing, and it is said. */
TEST(too_many_collectives_leave_the_first_part)
{
    struct error err = ERROR_INIT;
    struct trace t;
    FILE *f = start();
    for (int i = 0; i < SPANS; i++) /* the times of the file are not in order */
        fprintf(f,
                "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce_Sum_f32\","
                "\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":5,\"args\":{\"device\":0,\"stream\":7}},\n",
                10 * (i % 2 ? i : SPANS - 2 - i));
    end(f);
    assert_int_equal(open_it(&t, 1048576, &err), 0);
    const struct graph *g = t.calls;
    uint32_t kept = 0;
    uint64_t first = UINT64_MAX, last = 0;
    for (uint32_t v = 0; v < g->nnodes; v++) {
        if (g->kind[v] != NODE_KERNEL)
            continue;
        kept++;
        first = g->start[v] < first ? g->start[v] : first;
        last = g->start[v] > last ? g->start[v] : last;
    }
    assert_true(kept > 1000 && kept <= trace_memory_left(&t));
    assert_int_equal(first, 0);
    assert_int_equal(last, UINT64_C(10000) * (kept - 1));
    assert_int_equal(t.spans, SPANS);
    assert_int_equal(t.folded, SPANS - kept);
    assert_non_null(strstr(t.notes[0], "collectives alone do not fit"));
    trace_free(&t);
    unlink(path);
}

static bool are_joined(const struct trace *t, const char *from, const char *to)
{
    const struct graph *g = t->calls;
    for (uint32_t e = 0; e < g->nedges; e++)
        if (g->edge_kind[e] == EDGE_JOINS && strcmp(graph_name(g, g->edge_from[e]), from) == 0 &&
            strcmp(graph_name(g, g->edge_to[e]), to) == 0)
            return true;
    return false;
}

/* What a call waited for is still found when most spans around it became sums. */
TEST(waits_survive_the_sums)
{
    struct error err = ERROR_INIT;
    struct trace t;
    FILE *f = start();
    for (int i = 0; i < SPANS; i++) {
        fprintf(f, "{\"ph\":\"X\",\"name\":\"f\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":2},\n",
                10 * i);
        if (i != SPANS / 2)
            continue;
        fprintf(
            f,
            "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaStreamSynchronize\",\"pid\":1,"
            "\"tid\":2,\"ts\":%d,\"dur\":5000,\"args\":{\"correlation\":22}},\n",
            10 * i);
        for (int k = 0; k < 2; k++) /* what it waits for, and what only ends meanwhile */
            fprintf(
                f,
                "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%c\",\"pid\":0,\"tid\":%d,"
                "\"ts\":%d,\"dur\":%d,\"args\":{\"device\":0,\"stream\":%d,\"correlation\":%d}},\n",
                'a' + k, 7 + k, 10 * i + 5, 4000 + 990 * k, 7 + k, 20 + k);
        fprintf(f,
                "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Stream Sync\",\"pid\":0,\"tid\":7,"
                "\"ts\":%d,\"dur\":4500,\"args\":{\"correlation\":22}},\n",
                10 * i + 2);
    }
    end(f);
    assert_int_equal(open_it(&t, 1048576, &err), 0);
    assert_true(t.folded > SPANS / 2);
    assert_true(are_joined(&t, "a", "cudaStreamSynchronize"));
    assert_false(are_joined(&t, "b", "cudaStreamSynchronize"));
    trace_free(&t);
    unlink(path);
}

/* Spans of equal length, each with a name of its own: sums by name need memory too. */
TEST(a_name_for_each_span_is_bounded)
{
    struct error err = ERROR_INIT;
    struct trace t;
    make_alike("X");
    assert_int_equal(open_it(&t, 1048576, &err), 0);
    assert_int_equal(t.spans, SPANS);
    assert_true(t.sums->nnodes < 4 * trace_memory_left(&t));
    uint64_t calls = 0;
    for (uint32_t v = 0; v < t.sums->nnodes; v++)
        if (t.sums->first_child[v] == GRAPH_NONE && t.sums->work[v] != GRAPH_NONE)
            calls += t.sums->works[t.sums->work[v]].count;
    assert_int_equal(calls, SPANS);
    trace_free(&t);
    unlink(path);
}

/* Open spans, whose end may still come, cannot be summed. */
TEST(open_spans_cannot_be_folded)
{
    struct error err = ERROR_INIT;
    struct trace t;
    FILE *f = start();
    for (int i = 0; i < 4 * SPANS; i++)
        fprintf(f,
                "{\"ph\":\"b\",\"cat\":\"c\",\"id\":%d,\"name\":\"a\",\"pid\":1,\"tid\":1,"
                "\"ts\":%d},\n{\"ph\":\"e\",\"cat\":\"c\",\"id\":%d,\"name\":\"a\",\"pid\":1,"
                "\"tid\":1,\"ts\":%d},\n",
                i, i, i, i + 5);
    end(f);
    assert_int_equal(open_it(&t, 1048576, &err), -ENOMEM);
    assert_non_null(strstr(err.help, "--max-memory"));
    assert_non_null(strstr(err.why, "limit"));
    trace_free(&t);
    unlink(path);
}

TEST(the_cost_is_told_while_it_is_read)
{
    struct trace t = {.so_far = 500, .phase = TRACE_READING};
    uint64_t spans = 0, bytes = 0;
    assert_false(trace_estimate(&t, 1, 1000, &spans, &bytes));
    assert_true(trace_estimate(&t, 100, 1000, &spans, &bytes));
    assert_int_equal(spans, 5000);
    assert_true(bytes >= 100 * spans && bytes <= 400 * spans);
    t.phase = TRACE_SUMMING;
    assert_false(trace_estimate(&t, 100, 1000, &spans, &bytes));
}
