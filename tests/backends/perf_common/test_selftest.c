#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "backends/perf_common/selftest.h"
#include "base/env.h"
#include "support/fake_perf.h"

static struct fake_perf *fake;
static struct selftest t;

/* Each reading of the clock advances it by a quarter millisecond, and the counters with it. */
static uint64_t ticking(void *ctx)
{
    uint64_t *ns = ctx;
    fake_perf_step(fake);
    return *ns += 250000;
}

static uint64_t ns;

static int setup(void **state)
{
    (void)state;
    fake = fake_perf_new();
    ns = 0;
    env_set_clock(ticking, &ns);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    env_set_clock(NULL, NULL);
    fake_perf_free(fake);
    return 0;
}

static void script(uint64_t value, uint64_t running)
{
    fake_perf_script(fake, (struct fake_script){FAKE_ANY,
                                                FAKE_ANY,
                                                FAKE_ANY,
                                                FAKE_ANY,
                                                {{0, 0, 0, false}, {value, 1000, running, false}},
                                                2});
}

static void a_pmu_that_counts(void **state)
{
    (void)state;
    char text[256];
    script(5000, 1000);
    selftest_run(&fake->sys, &t);
    assert_int_equal(t.state, SELFTEST_WORKS);
    assert_true(t.cycles >= 5000);
    assert_string_equal(selftest_text(&t, text, sizeof text), "");
}

static void a_virtual_pmu_that_counts_nothing(void **state)
{
    (void)state;
    char text[256];
    script(0, 1000);
    selftest_run(&fake->sys, &t);
    assert_int_equal(t.state, SELFTEST_COUNTS_NOTHING);
    assert_non_null(strstr(selftest_text(&t, text, sizeof text), "does not count"));
}

static void a_pmu_that_gives_no_counter(void **state)
{
    (void)state;
    script(0, 0);
    selftest_run(&fake->sys, &t);
    assert_int_equal(t.state, SELFTEST_NEVER_RUNS);
}

static void a_machine_without_pmu(void **state)
{
    (void)state;
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, FAKE_ANY, FAKE_ANY, FAKE_ANY, .err = ENOENT});
    selftest_run(&fake->sys, &t);
    assert_int_equal(t.state, SELFTEST_REFUSED);
    assert_int_equal(t.err, ENOENT);
}

static void on_a_thread_of_its_own(void **state)
{
    (void)state;
    env_set_clock(NULL, NULL);
    script(5000, 1000);
    struct selftest_job *job = selftest_start(&fake->sys);
    do {
        usleep(100);
        selftest_result(job, &t);
    } while (t.state == SELFTEST_PENDING);
    /* here nothing advances the counters */
    assert_int_equal(t.state, SELFTEST_NEVER_RUNS);
    selftest_free(job);
    selftest_result(NULL, &t);
    assert_int_equal(t.state, SELFTEST_PENDING);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_pmu_that_counts),           T(a_virtual_pmu_that_counts_nothing),
        T(a_pmu_that_gives_no_counter), T(a_machine_without_pmu),
        T(on_a_thread_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
