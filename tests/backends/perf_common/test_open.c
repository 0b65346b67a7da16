#include <errno.h>
#include <string.h>

#include "backends/perf_common/explain.h"
#include "backends/perf_common/open.h"
#include "support/fake_perf.h"
#include "support/skip.h"
#include "support/test.h"

static struct perf_encoding enc[8];
static struct plan_group group;
static struct fake_perf *fake;
static struct perf_group g;
static const struct group_where on_task = {.pid = 42, .cpu = -1, .inherit = true};

FIXTURE(setup)
{
    fake = fake_perf_new();
    for (int i = 0; i < 8; i++)
        enc[i] = fake_core(0x10 + (uint64_t)i);
    group = (struct plan_group){.members = enc, .n = 3, .domain = PLAN_CORE};
    g = (struct perf_group){0};
}

FIXTURE(teardown)
{
    group_close(&g, &fake->sys);
    fake_perf_free(fake);
}

TEST_WITH(members_are_told_apart_by_id, setup, teardown)
{
    struct count d[3];
    for (int i = 0; i < 3; i++)
        fake_perf_script(fake, (struct fake_script){PERF_TYPE_RAW,
                                                    0x10 + i,
                                                    FAKE_ANY,
                                                    FAKE_ANY,
                                                    {{(uint64_t)(i + 1) * 100, 1000, 500, false},
                                                     {(uint64_t)(i + 1) * 300, 3000, 900, false}},
                                                    2});
    assert_int_equal(group_open(&g, &fake->sys, &group, &on_task), 0);
    assert_int_equal(group_read(&g, &fake->sys, &group, d), 0);
    fake_perf_step(fake);
    assert_int_equal(group_read(&g, &fake->sys, &group, d), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(d[i].value, (i + 1) * 200);
        assert_int_equal(d[i].enabled, 2000);
        assert_int_equal(d[i].running, 400);
    }
    assert_int_equal(fake->fds[0].attr.inherit, 1);
    assert_int_equal(fake->fds[0].flags & PERF_FLAG_FD_CLOEXEC, PERF_FLAG_FD_CLOEXEC);
}

TEST_WITH(refused_kernel_is_left_out, setup, teardown)
{
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, FAKE_ANY, FAKE_ANY, FAKE_ANY,
                                            .unless_exclude_kernel = true, .err = EACCES});
    assert_int_equal(group_open(&g, &fake->sys, &group, &on_task), 0);
    assert_true(g.kernel_excluded);
    assert_int_equal(fake->fds[0].attr.exclude_kernel, 1);
}

TEST_WITH(refusal_hides_a_missing_pmu, setup, teardown)
{
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, FAKE_ANY, FAKE_ANY, FAKE_ANY,
                                            .unless_exclude_kernel = true, .err = EACCES});
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, FAKE_ANY, FAKE_ANY, FAKE_ANY, .err = ENOENT});
    assert_int_equal(group_open(&g, &fake->sys, &group, &on_task), -ENOENT);
    assert_int_equal(g.err[0], ENOENT);
}

TEST_WITH(kernel_only_events_do_not_read_zero, setup, teardown)
{
    enc[0] = fake_software(PERF_COUNT_SW_TASK_CLOCK);
    enc[1] = fake_software(PERF_COUNT_SW_CONTEXT_SWITCHES);
    group.n = 2;
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, FAKE_ANY, FAKE_ANY, FAKE_ANY,
                                            .unless_exclude_kernel = true, .err = EACCES});
    assert_int_equal(group_open(&g, &fake->sys, &group, &on_task), 0);
    assert_int_equal(g.err[0], 0);
    assert_int_equal(g.err[1], EXPLAIN_KERNEL_ONLY);
}

TEST_WITH(a_missing_member_spares_the_others, setup, teardown)
{
    struct count d[3];
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, 0x10, FAKE_ANY, FAKE_ANY, .err = ENOENT});
    assert_int_equal(group_open(&g, &fake->sys, &group, &on_task), 0);
    assert_int_equal(g.err[0], ENOENT);
    assert_int_equal(g.err[1], 0);
    assert_int_equal(fake->fds[g.fd[2]].leader, g.fd[1]); /* the next event leads */
    assert_int_equal(group_read(&g, &fake->sys, &group, d), 0);
    assert_int_equal(d[1].value, 1000);
    assert_int_equal(d[0].value, 0);
}

TEST_WITH(a_group_too_big_is_told_from_a_bad_event, setup, teardown)
{
    fake->counters = 2;
    assert_int_equal(group_open(&g, &fake->sys, &group, &on_task), 0);
    assert_true(g.too_big);
    assert_int_equal(g.err[2], EXPLAIN_TOO_BIG);
    group_close(&g, &fake->sys);
    fake->counters = 0;
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, 0x12, FAKE_ANY, FAKE_ANY, .err = EINVAL});
    assert_int_equal(group_open(&g, &fake->sys, &group, &on_task), 0);
    assert_false(g.too_big);
    assert_int_equal(g.err[2], EINVAL);
}

TEST_WITH(out_of_descriptors_leaves_nothing_open, setup, teardown)
{
    fake->opens_max = 2;
    assert_int_equal(group_open(&g, &fake->sys, &group, &on_task), -EMFILE);
    assert_int_equal(fake_perf_open_count(fake), 0);
    assert_int_equal(g.err[0], EMFILE);
}

TEST_WITH(a_dead_thread_ends_the_attempt, setup, teardown)
{
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, FAKE_ANY, FAKE_ANY, 42, .err = ESRCH});
    assert_int_equal(group_open(&g, &fake->sys, &group, &on_task), -ESRCH);
    assert_int_equal(fake->opens, 1);
}

TEST_WITH(an_older_kernel_is_met_at_its_size, setup, teardown)
{
    fake->attr_size = PERF_ATTR_SIZE_VER1;
    assert_int_equal(group_open(&g, &fake->sys, &group, &on_task), 0);
    assert_int_equal(fake->fds[0].attr.size, PERF_ATTR_SIZE_VER1);
    group_close(&g, &fake->sys);
    fake->attr_size = PERF_ATTR_SIZE_VER0; /* this size has no config2 */
    enc[0].config2 = 5;
    assert_int_equal(group_open(&g, &fake->sys, &group, &on_task), 0);
    assert_int_equal(g.err[0], E2BIG);
    assert_int_equal(g.err[1], 0);
}

TEST_WITH(a_stolen_pmu_is_asked_for_again, setup, teardown)
{
    struct count d[3];
    fake_perf_script(
        fake, (struct fake_script){FAKE_ANY,
                                   FAKE_ANY,
                                   FAKE_ANY,
                                   FAKE_ANY,
                                   {{100, 10, 10, false}, {.eof = true}, {150, 20, 20, false}},
                                   3});
    assert_int_equal(group_open(&g, &fake->sys, &group, &on_task), 0);
    assert_int_equal(group_read(&g, &fake->sys, &group, d), 0);
    fake_perf_step(fake);
    assert_int_equal(group_read(&g, &fake->sys, &group, d), -ENODATA);
    assert_true(g.stolen);
    assert_int_equal(fake->ioctls, 2); /* one to start, one to ask again */
    fake_perf_step(fake);
    assert_int_equal(group_read(&g, &fake->sys, &group, d), 0);
    assert_int_equal(d[0].value, 50);
    assert_false(g.stolen);
}

TEST_WITH(only_the_leader_waits_for_exec, setup, teardown)
{
    const struct group_where w = {.pid = 42, .cpu = -1, .inherit = true, .on_exec = true};
    assert_int_equal(group_open(&g, &fake->sys, &group, &w), 0);
    assert_int_equal(fake->fds[0].attr.enable_on_exec, 1);
    assert_int_equal(fake->fds[0].attr.disabled, 1);
    assert_int_equal(fake->fds[1].attr.enable_on_exec, 0);
    assert_int_equal(fake->fds[1].attr.disabled, 0);
}

TEST_WITH(uncore_has_no_exclude_bits, setup, teardown)
{
    enc[0].scope = EVENT_UNCORE;
    enc[0].exclude_kernel = enc[0].exclude_hv = true;
    group.n = 1;
    assert_int_equal(group_open(&g, &fake->sys, &group, &(struct group_where){.pid = -1, .cpu = 0}),
                     0);
    assert_int_equal(fake->fds[0].attr.exclude_kernel, 0);
    assert_int_equal(fake->fds[0].attr.exclude_hv, 0);
}

TEST_WITH(topdown_without_slots_is_nothing, setup, teardown)
{
    group.metrics = true;
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, 0x10, FAKE_ANY, FAKE_ANY, .err = ENOENT});
    assert_int_equal(group_open(&g, &fake->sys, &group, &on_task), -ENOENT);
    assert_int_equal(g.err[2], ENOENT);
    assert_int_equal(fake_perf_open_count(fake), 0);
}

TEST_WITH(real_software_events_count_here, setup, teardown)
{
    struct count d[2];
    enc[0] = fake_software(PERF_COUNT_SW_TASK_CLOCK);
    enc[1] = fake_software(PERF_COUNT_SW_PAGE_FAULTS);
    group.n = 2;
    struct perf_group real = {0};
    int rc = group_open(&real, &perf_sys_kernel, &group, &(struct group_where){.cpu = -1});
    if (rc < 0) {
        group_close(&real, &perf_sys_kernel);
        skip_because("perf_event_open of software events: %s", strerror(-rc));
    }
    assert_int_equal(group_read(&real, &perf_sys_kernel, &group, d), 0);
    volatile uint64_t x = 1;
    for (int i = 0; i < 100000; i++)
        x += x >> 3;
    assert_int_equal(group_read(&real, &perf_sys_kernel, &group, d), 0);
    assert_true(d[0].value > 0);
    assert_int_equal(d[0].enabled, d[0].running);
    group_close(&real, &perf_sys_kernel);
}

TEST_WITH(real_groups_on_a_cpu_count_all_members, setup, teardown)
{
    struct count d[2];
    enc[0] = fake_software(PERF_COUNT_SW_CPU_CLOCK);
    enc[1] = fake_software(PERF_COUNT_SW_TASK_CLOCK);
    group.n = 2;
    struct perf_group real = {0};
    int rc = group_open(&real, &perf_sys_kernel, &group, &(struct group_where){.pid = -1});
    if (rc < 0) {
        group_close(&real, &perf_sys_kernel);
        skip_because("perf_event_open of a whole CPU: %s", strerror(-rc));
    }
    assert_int_equal(group_read(&real, &perf_sys_kernel, &group, d), 0);
    for (volatile int i = 0; i < 100000;)
        i = i + 1;
    assert_int_equal(group_read(&real, &perf_sys_kernel, &group, d), 0);
    assert_true(d[0].value > 0);
    assert_true(d[1].value > 0);
    group_close(&real, &perf_sys_kernel);
}

TEST_WITH(a_group_is_tried_enabled_on_ourselves, setup, teardown)
{
    fake->counters = 2;
    assert_false(group_fits(&fake->sys, &group));
    fake->counters = 3;
    assert_true(group_fits(&fake->sys, &group));
    assert_int_equal(fake_perf_open_count(fake), 0);
}
