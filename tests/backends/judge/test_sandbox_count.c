/* Instructions of a process, with a kernel that is played: what counts, and what is no count. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "backends/judge/judge_impl.h"
#include "support/fake_perf.h"
#include "support/test.h"

/* The event reads first, then second, with so much of 1000 ns running. */
static double count(uint64_t first, uint64_t second, uint64_t running, char why[SANDBOX_WHY])
{
    struct fake_perf *fake = fake_perf_new();
    fake_perf_script(fake, (struct fake_script){
                               FAKE_ANY,
                               FAKE_ANY,
                               FAKE_ANY,
                               FAKE_ANY,
                               {{first, 1000, 1000, false}, {second, 2000, 1000 + running, false}},
                               2});
    struct sandbox_counter *c = sandbox_counter_open(&fake->sys, getpid(), why);
    assert_non_null(c);
    (void)sandbox_counter_take(c, why);
    fake_perf_step(fake);
    *why = '\0';
    const double n = sandbox_counter_take(c, why);
    sandbox_counter_close(c);
    fake_perf_free(fake);
    return n;
}

TEST(counts_what_came_between)
{
    char why[SANDBOX_WHY];
    assert_true(count(700, 5700, 1000, why) == 5000);
    assert_string_equal(why, "");
}

TEST(a_shared_counter_is_no_count)
{
    char why[SANDBOX_WHY];
    assert_true(isnan(count(700, 5700, 900, why)));
    assert_string_equal(why, "the PMU was shared with others");
}

TEST(nothing_is_no_count)
{
    char why[SANDBOX_WHY];
    assert_true(isnan(count(700, 700, 1000, why)));
    assert_string_equal(why, "the PMU accepts the event and counts nothing");
}

TEST(a_machine_without_pmu_says_so)
{
    char why[SANDBOX_WHY] = "";
    struct fake_perf *fake = fake_perf_new();
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, FAKE_ANY, FAKE_ANY, FAKE_ANY, .err = ENOENT});
    assert_null(sandbox_counter_open(&fake->sys, getpid(), why));
    assert_non_null(strstr(why, "PMU"));
    fake_perf_free(fake);
}
