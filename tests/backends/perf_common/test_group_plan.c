#include <string.h>

#include "backends/perf_common/group_plan.h"
#include "support/fake_perf.h"
#include "support/test.h"

static struct perf_encoding enc[64];
static struct plan_event ev[64];

static void core_events(size_t from, size_t n, int set, uint64_t config)
{
    for (size_t i = from; i < from + n; i++) {
        enc[i] = fake_core(config + (i - from));
        ev[i] = (struct plan_event){&enc[i], set};
    }
}

static struct group_plan *plan(size_t n, int counters, int taken)
{
    return group_plan_new(ev, n, &(struct plan_limits){counters, taken, 4});
}

TEST(a_set_that_fits_stays_together)
{
    core_events(0, 6, 0, 0x10);
    struct group_plan *p = plan(6, 6, 0);
    assert_int_equal(p->ngroups, 1);
    assert_int_equal(p->groups[0].n, 6);
    assert_int_equal(p->sets_split, 0);
    group_plan_free(p);
}

TEST(the_watchdog_takes_one_counter)
{
    core_events(0, 6, 0, 0x10);
    struct group_plan *p = plan(6, 6, 1);
    assert_int_equal(p->ngroups, 2);
    assert_int_equal(p->groups[0].n, 5);
    assert_int_equal(p->sets_split, 1);
    assert_int_equal(p->where[5].group, 1);
    group_plan_free(p);
}

TEST(a_pair_takes_two)
{
    core_events(0, 3, 0, 0x10);
    enc[1].counters = 2;
    struct group_plan *p = plan(3, 3, 0);
    assert_int_equal(p->ngroups, 2);
    assert_int_equal(p->groups[0].cost, 3);
    group_plan_free(p);
}

TEST(fixed_counters_are_free)
{
    core_events(0, 6, 0, 0x10);
    enc[0].counters = enc[1].counters = 0;
    struct group_plan *p = plan(6, 4, 0);
    assert_int_equal(p->ngroups, 1);
    group_plan_free(p);
}

TEST(sets_that_share_events_merge)
{
    core_events(0, 2, 0, 0x10);
    core_events(2, 2, 1, 0x11); /* both metrics need 0x11 */
    core_events(4, 2, 2, 0x50); /* no metric connects them */
    struct group_plan *p = plan(6, 4, 0);
    assert_int_equal(p->ngroups, 2);
    assert_int_equal(p->groups[0].n, 3);
    assert_int_equal(p->where[1].member, p->where[2].member);
    assert_int_equal(p->where[4].group, 1);
    group_plan_free(p);
}

TEST(software_rides_along_but_its_own_set_is_apart)
{
    enc[0] = fake_software(1);
    enc[1] = fake_core(0x76);
    enc[2] = fake_software(1);
    enc[3] = fake_software(2);
    for (int i = 0; i < 4; i++)
        ev[i] = (struct plan_event){&enc[i], i / 2};
    struct group_plan *p = plan(4, 4, 0);
    assert_int_equal(p->ngroups, 2);
    assert_int_equal(p->groups[0].domain, PLAN_CORE);
    assert_int_equal(p->groups[0].members[0].config, 0x76); /* a core event leads */
    assert_int_equal(p->where[0].member, 1);
    assert_int_equal(p->groups[1].domain, PLAN_SOFTWARE);
    assert_int_equal(p->where[2].group, 1);
    group_plan_free(p);
}

TEST(slots_lead_their_metrics)
{
    const uint64_t configs[] = {0x8000, 0x8100, 0x3c, 0x8200, 0x0400, 0x8300};
    for (size_t i = 0; i < 6; i++) {
        enc[i] = fake_core(configs[i]);
        enc[i].counters = configs[i] == 0x3c;
        ev[i] = (struct plan_event){&enc[i], 0};
    }
    struct group_plan *p = plan(6, 8, 0);
    assert_int_equal(p->ngroups, 1);
    assert_int_equal(p->groups[0].members[0].config, 0x0400);
    assert_int_equal(p->groups[0].members[5].config, 0x3c);
    /* the group is split: slots stays with the events of its metrics, the others leave */
    struct group_plan *q = group_plan_split(p, 0);
    assert_non_null(q);
    assert_int_equal(q->groups[0].n, 5);
    assert_int_equal(q->where[2].group, 1);
    assert_null(group_plan_split(q, 0));
    group_plan_free(q);
    group_plan_free(p);
}

TEST(groups_never_span_pmus)
{
    core_events(0, 2, 0, 0x3c);
    core_events(2, 2, 0, 0x3c);
    for (int i = 0; i < 4; i++)
        strcpy(enc[i].pmu, i < 2 ? "cpu_core" : "cpu_atom");
    struct group_plan *p = plan(4, 6, 0);
    assert_int_equal(p->ngroups, 2);
    assert_int_equal(p->sets_split, 0);
    assert_int_equal(p->where[2].group, 1);
    group_plan_free(p);
}

TEST(split_keeps_every_event_reachable)
{
    core_events(0, 5, 0, 0x10);
    struct group_plan *p = plan(5, 0, 0); /* unknown number of counters: all in one group */
    assert_int_equal(p->ngroups, 1);
    for (int round = 0; round < 4; round++) {
        size_t g = 0;
        while (p->groups[g].n < 2)
            g++;
        struct group_plan *q = group_plan_split(p, g);
        assert_non_null(q);
        group_plan_free(p);
        p = q;
        for (size_t i = 0; i < 5; i++) {
            const struct plan_group *pg = &p->groups[p->where[i].group];
            assert_int_equal(pg->members[p->where[i].member].config, enc[i].config);
        }
        assert_int_equal(p->nmembers, 5);
    }
    assert_int_equal(p->ngroups, 5);
    assert_null(group_plan_split(p, 0));
    group_plan_free(p);
}

TEST(ungrouped_events_stay_alone)
{
    core_events(0, 3, -1, 0x10);
    struct group_plan *p = plan(3, 6, 0);
    assert_int_equal(p->ngroups, 3);
    group_plan_free(p);
}

TEST(nothing_to_plan)
{
    struct group_plan *p = plan(0, 6, 0);
    assert_int_equal(p->ngroups, 0);
    assert_null(group_plan_split(p, 0));
    group_plan_free(p);
}
