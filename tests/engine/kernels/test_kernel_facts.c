/* What is known of a profile as a whole, and of what its kernels waited for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/path_found.h"
#include "support/trace_text.h"
#include "support/test.h"

/* A host that is recorded, and devices of which no launch is known: nothing says that they waited
 * for it. */
TEST(without_launches_nothing_is_said_of_the_host)
{
#define DEVICE(name, ts, more)                                                                     \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" ts        \
    ",\"dur\":10,\"args\":{\"device\":0" more "}},"
#define HOST(name, ts, more)                                                                       \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"" name "\",\"pid\":9,\"tid\":9,\"ts\":" ts  \
    ",\"dur\":80,\"args\":{" more "}},"
    for (int known = 0; known < 2; known++) {
        struct path_found f = {.t = {.calls = NULL}};
        trace_text_read(&f.t, known ? "{\"traceEvents\":[" HOST("f", "0", "\"correlation\":1")
                                          HOST("g", "100", "\"correlation\":2")
                                              DEVICE("k", "85", ",\"correlation\":1")
                                                  DEVICE("k", "185", ",\"correlation\":2") "{}]}"
                                    : "{\"traceEvents\":[" HOST("f", "0", "") HOST("g", "100", "")
                                          DEVICE("k", "85", "") DEVICE("k", "185", "") "{}]}");
        path_find(&f);
        assert_true(f.k.total.host);
        assert_int_equal(f.k.total.launches, known);
        assert_int_equal(isnan(f.k.total.facts.v[FACT_PATH_HOST]), !known);
        if (!known)
            assert_int_not_equal(f.k.total.label.label, LABEL_HOST);
        path_drop(&f);
    }
}

/* A launch takes 20 us at most, or as long as its call. What pauses longer waits for something
 * else: no graph of launches helps there. The calls take 80 us; the pauses are 95 us and 975 us. */
TEST(a_long_pause_after_a_launch_is_no_launch)
{
    struct path_found f = {.t = {.calls = NULL}};
    trace_text_read(&f.t,
                    "{\"traceEvents\":[" HOST("f", "0", "\"correlation\":1")
                        HOST("g", "100", "\"correlation\":2") HOST("h", "200", "\"correlation\":3")
                            DEVICE("first", "5", ",\"correlation\":1")
                                DEVICE("soon", "110", ",\"correlation\":2")
                                    DEVICE("late", "1095", ",\"correlation\":3") "{}]}");
    path_find(&f);
    for (uint32_t i = 0; i < f.k.by[KERNELS_BY_NAME].n; i++) {
        const struct kernel_row *r = &f.k.by[KERNELS_BY_NAME].rows[i];
        if (strcmp(r->name, "late") != 0)
            continue;
        assert_int_equal(r->sum.late, 80000);
        assert_int_equal(r->sum.latency, 80000);
        assert_int_equal(r->sum.waited, 815000);
        assert_float_equal(r->facts.v[FACT_LAUNCH], 80.0 / (80 + 815 + 10), 1e-9);
        assert_int_equal(r->label.label, LABEL_MIXED);
    }
    path_drop(&f);
}
