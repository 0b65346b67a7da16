/* Which rank comes last to collectives; compared with a loop over what the test wrote. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/kernels/device_use_export.h"
#include "support/trace_text.h"
#include "support/test.h"

enum { US = 1000, RANKS = 3, TIMES = 30, PERIOD = 100 };

static struct trace t;
static struct device_uses u;
static char paths[RANKS][64];

FIXTURE(tear_down)
{
    device_uses_free(&u);
    if (t.calls)
        trace_free(&t);
    t.calls = NULL;
    for (int i = 0; i < RANKS; i++)
        if (paths[i][0])
            unlink(paths[i]);
    memset(paths, 0, sizeof paths);
}

/* The file of a rank: its k-th collective begins at begin[k]; all ranks' collectives end
 * together. */
struct rank {
    const char *name;
    const char *args; /* additional args of each kernel: ",\"Group size\":2" */
    int n;
    uint64_t base;  /* the time of day at its clock's 0, ns */
    unsigned later; /* begin and end of its last collective are later by this */
    unsigned begin[TIMES];
};

static void write_rank(int i, const struct rank *r)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "{\"baseTimeNanoseconds\":%llu,\"distributedInfo\":{\"rank\":%d},\"traceEvents\":[",
            (unsigned long long)r->base, i);
    for (int k = 0; k < r->n; k++)
        fprintf(f,
                "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":7,\"ts\":%u,"
                "\"dur\":%u,\"args\":{\"device\":0,\"stream\":7%s}},",
                r->name, r->begin[k] + (k + 1 == r->n ? r->later : 0),
                (unsigned)(k + 1) * PERIOD - r->begin[k], r->args);
    fputs("{\"ph\":\"M\"}]}", f);
    fclose(f);
    trace_text_file(paths[i], text, size, false);
    free(text);
}

static void open_ranks(const struct rank *r, size_t n)
{
    const char *list[RANKS] = {paths[0], paths[1], paths[2]};
    struct error err = ERROR_INIT;
    for (size_t i = 0; i < n; i++)
        write_rank((int)i, &r[i]);
    t = (struct trace){0};
    if (trace_open(&t, list, n, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    device_uses_find(&u, &t);
    assert_int_equal(u.n, n);
}

static struct rank rank_of(const char *name)
{
    struct rank r = {.name = name, .args = "", .base = 1700000000000000000, .n = TIMES};
    for (unsigned k = 0; k < TIMES; k++)
        r.begin[k] = k * PERIOD + 10;
    return r;
}

TEST_WITH(the_last_are_what_a_loop_finds, NULL, tear_down)
{
    uint32_t seed = 7;
    for (int round = 0; round < 20; round++) {
        struct rank r[RANKS];
        uint64_t times[RANKS] = {0}, caused[RANKS] = {0}, waited[RANKS] = {0}, undecided = 0;
        tear_down(NULL);
        for (int i = 0; i < RANKS; i++) {
            r[i] = rank_of("ncclDevKernel_AllReduce_Sum_f32_RING_LL");
            for (unsigned k = 0; k < TIMES; k++) {
                seed = seed * 1664525u + 1013904223u;
                r[i].begin[k] += (seed >> 16) % 6;
            }
        }
        for (int k = 0; k < TIMES; k++) {
            int last = 0, as_late = 0;
            for (int i = 0; i < RANKS; i++)
                last = r[i].begin[k] > r[last].begin[k] ? i : last;
            for (int i = 0; i < RANKS; i++)
                as_late += r[i].begin[k] == r[last].begin[k];
            undecided += as_late > 1;
            times[last] += as_late == 1;
            for (int i = 0; i < RANKS && as_late == 1; i++) {
                waited[i] += (r[last].begin[k] - r[i].begin[k]) * US;
                caused[last] += (r[last].begin[k] - r[i].begin[k]) * US;
            }
        }
        open_ranks(r, RANKS);
        assert_null(u.arrivals.why_not);
        assert_int_equal(u.arrivals.together, TIMES);
        assert_int_equal(u.arrivals.undecided, undecided);
        assert_int_equal(u.arrivals.unmatched, 0);
        for (int i = 0; i < RANKS; i++) {
            assert_int_equal(u.arrivals.of[i].times, times[i]);
            assert_int_equal(u.arrivals.of[i].caused, caused[i]);
            assert_int_equal(u.arrivals.of[i].waited, waited[i]);
            assert_true(times[i] <= times[u.arrivals.latest]);
        }
        assert_int_equal(u.arrivals.waited, waited[0] + waited[1] + waited[2]);
    }
}

/* The ends show that the first clock is off by 3 us: smaller differences decide nothing. */
TEST_WITH(differences_within_the_clocks_error_decide_nothing, NULL, tear_down)
{
    struct rank r[2] = {rank_of("ncclDevKernel_AllGather_RING"),
                        rank_of("ncclDevKernel_AllGather_RING")};
    char lines[DEVICE_USE_LINES][256];
    r[1].base += 3 * US;
    open_ranks(r, 2);
    assert_int_equal(u.arrivals.uncertainty_ns, 3 * US);
    assert_int_equal(u.arrivals.undecided, TIMES);
    assert_int_equal(u.arrivals.latest, TRACE_UNKNOWN);
    int n = device_uses_say(&u, lines);
    assert_true(n > 0);
    assert_string_equal(lines[n - 1],
                        "no device comes last to the 30 collectives, within the clocks' "
                        "uncertainty (3.00 us)");
    tear_down(NULL);
    r[1].begin[4] += 20;
    open_ranks(r, 2);
    assert_int_equal(u.arrivals.undecided, TIMES - 1);
    assert_int_equal(u.arrivals.latest, 1);
    assert_int_equal(u.arrivals.of[1].times, 1);
}

TEST_WITH(unknown_arrivals_have_a_reason, NULL, tear_down)
{
    static const struct {
        const char *name, *args;
        int missing; /* missing in the second rank */
        const char *why;
    } cases[] = {
        {"ncclDevKernel_SendRecv", "", 0, "sends between two"},
        {"ncclDevKernel_Broadcast_RING_LL", "", 0, "sends between two"},
        {"ncclDevKernel_AllReduce_Sum", "", 1, "clocks"}, /* no ids connect them */
        {"ncclDevKernel_AllReduce_Sum", ",\"In msg nelems\":8,\"dtype\":\"Float\",\"Group size\":4",
         0, "groups of some of them"},
        {"gemm", "", 0, "nothing communicates"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rank r[2] = {rank_of(cases[i].name), rank_of(cases[i].name)};
        tear_down(NULL);
        r[0].args = r[1].args = cases[i].args;
        r[1].n -= cases[i].missing;
        open_ranks(r, 2);
        if (!u.arrivals.why_not || !strstr(u.arrivals.why_not, cases[i].why))
            fail_msg("%s %s: %s", cases[i].name, cases[i].args,
                     u.arrivals.why_not ? u.arrivals.why_not : "known");
    }
    /* the same group of two, which is known */
    struct rank r[2] = {rank_of("ncclDevKernel_AllReduce_Sum"),
                        rank_of("ncclDevKernel_AllReduce_Sum")};
    tear_down(NULL);
    r[0].args = r[1].args = ",\"In msg nelems\":8,\"dtype\":\"Float\",\"Group size\":2";
    open_ranks(r, 2);
    assert_null(u.arrivals.why_not);
    /* a single file */
    tear_down(NULL);
    open_ranks(r, 1);
    assert_string_equal(u.arrivals.why_not, "only one device communicates");
}

/* The last collective of one rank begins after that of the other has ended: they are different
 * ones. */
TEST_WITH(calls_that_do_not_overlap_are_different_collectives, NULL, tear_down)
{
    struct rank r[2] = {rank_of("ncclDevKernel_AllReduce_Sum"),
                        rank_of("ncclDevKernel_AllReduce_Sum")};
    r[1].later = PERIOD;
    open_ranks(r, 2);
    assert_int_equal(u.arrivals.together, TIMES - 1);
    assert_int_equal(u.arrivals.unmatched, 2);
}
