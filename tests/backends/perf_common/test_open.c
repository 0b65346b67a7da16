#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backends/perf_common/explain.h"
#include "backends/perf_common/open.h"
#include "support/fake_perf.h"
#include "support/skip.h"

static struct perf_encoding enc[8];
static struct plan_group group;
static struct fake_perf *fake;
static struct perf_group g;
static const struct group_where on_task = {.pid = 42, .cpu = -1, .inherit = true};

static int setup(void **state)
{
    (void)state;
    fake = fake_perf_new();
    for (int i = 0; i < 8; i++)
        enc[i] = fake_core(0x10 + (uint64_t)i);
    group = (struct plan_group){.members = enc, .n = 3, .domain = PLAN_CORE};
    g = (struct perf_group){0};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    group_close(&g, &fake->sys);
    fake_perf_free(fake);
    return 0;
}

static void members_are_told_apart_by_id(void **state)
{
    (void)state;
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

static void refused_kernel_is_left_out(void **state)
{
    (void)state;
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, FAKE_ANY, FAKE_ANY, FAKE_ANY,
                                            .unless_exclude_kernel = true, .err = EACCES});
    assert_int_equal(group_open(&g, &fake->sys, &group, &on_task), 0);
    assert_true(g.kernel_excluded);
    assert_int_equal(fake->fds[0].attr.exclude_kernel, 1);
}

static void refusal_hides_a_missing_pmu(void **state)
{
    (void)state;
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, FAKE_ANY, FAKE_ANY, FAKE_ANY,
                                            .unless_exclude_kernel = true, .err = EACCES});
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, FAKE_ANY, FAKE_ANY, FAKE_ANY, .err = ENOENT});
    assert_int_equal(group_open(&g, &fake->sys, &group, &on_task), -ENOENT);
    assert_int_equal(g.err[0], ENOENT);
}

static void kernel_only_events_do_not_read_zero(void **state)
{
    (void)state;
    enc[0] = fake_software(PERF_COUNT_SW_TASK_CLOCK);
    enc[1] = fake_software(PERF_COUNT_SW_CONTEXT_SWITCHES);
    group.n = 2;
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, FAKE_ANY, FAKE_ANY, FAKE_ANY,
                                            .unless_exclude_kernel = true, .err = EACCES});
    assert_int_equal(group_open(&g, &fake->sys, &group, &on_task), 0);
    assert_int_equal(g.err[0], 0);
    assert_int_equal(g.err[1], EXPLAIN_KERNEL_ONLY);
}

static void a_missing_member_spares_the_others(void **state)
{
    (void)state;
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

static void a_group_too_big_is_told_from_a_bad_event(void **state)
{
    (void)state;
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

static void out_of_descriptors_leaves_nothing_open(void **state)
{
    (void)state;
    fake->opens_max = 2;
    assert_int_equal(group_open(&g, &fake->sys, &group, &on_task), -EMFILE);
    assert_int_equal(fake_perf_open_count(fake), 0);
    assert_int_equal(g.err[0], EMFILE);
}

static void a_dead_thread_ends_the_attempt(void **state)
{
    (void)state;
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, FAKE_ANY, FAKE_ANY, 42, .err = ESRCH});
    assert_int_equal(group_open(&g, &fake->sys, &group, &on_task), -ESRCH);
    assert_int_equal(fake->opens, 1);
}

static void an_older_kernel_is_met_at_its_size(void **state)
{
    (void)state;
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

static void a_stolen_pmu_is_asked_for_again(void **state)
{
    (void)state;
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

static void only_the_leader_waits_for_exec(void **state)
{
    (void)state;
    const struct group_where w = {.pid = 42, .cpu = -1, .inherit = true, .on_exec = true};
    assert_int_equal(group_open(&g, &fake->sys, &group, &w), 0);
    assert_int_equal(fake->fds[0].attr.enable_on_exec, 1);
    assert_int_equal(fake->fds[0].attr.disabled, 1);
    assert_int_equal(fake->fds[1].attr.enable_on_exec, 0);
    assert_int_equal(fake->fds[1].attr.disabled, 0);
}

static void uncore_has_no_exclude_bits(void **state)
{
    (void)state;
    enc[0].scope = EVENT_UNCORE;
    enc[0].exclude_kernel = enc[0].exclude_hv = true;
    group.n = 1;
    assert_int_equal(group_open(&g, &fake->sys, &group, &(struct group_where){.pid = -1, .cpu = 0}),
                     0);
    assert_int_equal(fake->fds[0].attr.exclude_kernel, 0);
    assert_int_equal(fake->fds[0].attr.exclude_hv, 0);
}

static void topdown_without_slots_is_nothing(void **state)
{
    (void)state;
    group.metrics = true;
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, 0x10, FAKE_ANY, FAKE_ANY, .err = ENOENT});
    assert_int_equal(group_open(&g, &fake->sys, &group, &on_task), -ENOENT);
    assert_int_equal(g.err[2], ENOENT);
    assert_int_equal(fake_perf_open_count(fake), 0);
}

static void real_software_events_count_here(void **state)
{
    (void)state;
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

static void real_groups_on_a_cpu_count_all_members(void **state)
{
    (void)state;
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

static void a_group_is_tried_enabled_on_ourselves(void **state)
{
    (void)state;
    fake->counters = 2;
    assert_false(group_fits(&fake->sys, &group));
    fake->counters = 3;
    assert_true(group_fits(&fake->sys, &group));
    assert_int_equal(fake_perf_open_count(fake), 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(members_are_told_apart_by_id),
        T(refused_kernel_is_left_out),
        T(refusal_hides_a_missing_pmu),
        T(kernel_only_events_do_not_read_zero),
        T(a_missing_member_spares_the_others),
        T(a_group_too_big_is_told_from_a_bad_event),
        T(out_of_descriptors_leaves_nothing_open),
        T(a_dead_thread_ends_the_attempt),
        T(an_older_kernel_is_met_at_its_size),
        T(a_stolen_pmu_is_asked_for_again),
        T(only_the_leader_waits_for_exec),
        T(uncore_has_no_exclude_bits),
        T(topdown_without_slots_is_nothing),
        T(real_software_events_count_here),
        T(real_groups_on_a_cpu_count_all_members),
        T(a_group_is_tried_enabled_on_ourselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
