/* Small traces that earlier versions read wrong, with the times that they must give. */
#include <stdio.h>
#include <string.h>

#include "engine/path/path_shares.h"
#include "engine/path/what_if.h"
#include "support/test.h"

enum { US = 1000 };
static struct trace t;
static struct critical_path p;
static struct path_shares s;

static void open_case(const char *name)
{
    char path[128];
    const char *paths[] = {path};
    snprintf(path, sizeof path, "tests/data/path/cases/%s.json", name);
    t = (struct trace){.sums = NULL};
    assert_int_equal(trace_open(&t, paths, 1, NULL), 0);
    assert_int_equal(critical_path_find(t.calls, &p, NULL), 0);
    path_shares_find(&t, &p, &s);
}

static void close_case(void)
{
    path_shares_free(&s);
    critical_path_free(&p);
    trace_free(&t);
}

static uint64_t on_path(const char *name)
{
    for (uint32_t i = 0; i < s.nnames; i++)
        if (strcmp(graph_text(t.calls, s.names[i].name), name) == 0 &&
            s.names[i].part != PATH_LATENCY)
            return s.names[i].ns;
    return 0;
}

TEST(what_is_on_the_path)
{
    static const struct {
        const char *file, *name;
        uint64_t us;
    } cases[] = {
        {"straddle", "gemm", 640},         /* a range straddles the edge of a function */
        {"v_two_functions", "gemm", 640},  /* two functions straddle each other */
        {"v_cpu_only", "aten::mm", 600},   /* the same without a device */
        {"idle_lock_thread", "gemm", 780}, /* a thread holds a lock to the end */
        {"launched_before", "gemm_before", 590},
        {"main_frame", "A", 990}, /* a function goes on around everything */
        {"main_frame", "B", 990},
        {"blocking_cudaMemcpyAsync_in_op", "A", 985}, /* .item() */
        {"thread_sleep", "A", 990},
        {"in_a_wait", "K_before", 800}, /* a call that waited began before the trace */
        {"launched_since", "K", 0},     /* but what was launched later it did not wait for */
        {"in_a_sleep", "<built-in function sleep>", 500},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        open_case(cases[i].file);
        if (on_path(cases[i].name) != cases[i].us * US)
            fail_msg("%s: %s is %llu us on the path, not %llu", cases[i].file, cases[i].name,
                     (unsigned long long)on_path(cases[i].name) / US,
                     (unsigned long long)cases[i].us);
        close_case();
    }
}

/* A synchronisation of the device waits for both streams: without one the other one counts. */
TEST(a_device_waits_for_all_its_streams)
{
    struct what_if_change change;
    struct what_if w;
    open_case("sync_joins_one");
    assert_int_equal(what_if_parse(&change, "K1=gone", NULL), 0);
    assert_int_equal(what_if_find(t.calls, &p, &change, 1, &w, NULL), 0);
    assert_int_equal(w.before - w.after, 45 * US);
    what_if_free(&w);
    for (uint32_t v = 0; v < t.calls->nnodes; v++)
        if (strcmp(graph_name(t.calls, v), "K2") == 0)
            assert_int_equal(p.slack[v], 45 * US);
    close_case();
}
