#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "backends/perf_common/selftest.h"
#include "base/env.h"
#include "support/fake_perf.h"
#include "support/test.h"

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

FIXTURE(setup)
{
    fake = fake_perf_new();
    ns = 0;
    env_set_clock(ticking, &ns);
}

FIXTURE(teardown)
{
    env_set_clock(NULL, NULL);
    fake_perf_free(fake);
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

TEST_WITH(a_pmu_that_counts, setup, teardown)
{
    char text[256];
    script(5000, 1000);
    selftest_run(&fake->sys, &t);
    assert_int_equal(t.state, SELFTEST_WORKS);
    assert_true(t.cycles >= 5000);
    assert_string_equal(selftest_text(&t, text, sizeof text), "");
}

TEST_WITH(a_virtual_pmu_that_counts_nothing, setup, teardown)
{
    char text[256];
    script(0, 1000);
    selftest_run(&fake->sys, &t);
    assert_int_equal(t.state, SELFTEST_COUNTS_NOTHING);
    assert_non_null(strstr(selftest_text(&t, text, sizeof text), "does not count"));
}

TEST_WITH(a_pmu_that_gives_no_counter, setup, teardown)
{
    script(0, 0);
    selftest_run(&fake->sys, &t);
    assert_int_equal(t.state, SELFTEST_NEVER_RUNS);
}

TEST_WITH(a_machine_without_pmu, setup, teardown)
{
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, FAKE_ANY, FAKE_ANY, FAKE_ANY, .err = ENOENT});
    selftest_run(&fake->sys, &t);
    assert_int_equal(t.state, SELFTEST_REFUSED);
    assert_int_equal(t.err, ENOENT);
}

TEST_WITH(on_a_thread_of_its_own, setup, teardown)
{
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
