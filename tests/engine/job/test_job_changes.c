/* Two runs of a job, rank by rank: made ranks whose changes are known. */
#include "engine/job/job_changes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

enum { RANKS = 8 };

static struct job_member before[RANKS], after[RANKS];
static struct job_folder a, b;
static struct job_changes c;

FIXTURE(begin)
{
    for (uint32_t i = 0; i < RANKS; i++) {
        rank_summary_begin(&before[i].s);
        before[i].s.rank = i;
        before[i].s.wall = 10 + 0.01 * i;
        before[i].s.user = 9;
        before[i].s.system = 0.5;
        before[i].s.minor_faults = 1000;
        before[i].s.major_faults = 0;
        after[i] = before[i];
    }
    a = (struct job_folder){.path = (char *)"a", .ranks = before, .n = RANKS};
    b = (struct job_folder){.path = (char *)"b", .ranks = after, .n = RANKS};
}

static void find(void)
{
    struct error err = ERROR_INIT;
    assert_int_equal(job_changes_find(&c, &a, &b, &err), 0);
}

static const struct job_change *change(const char *name)
{
    for (int i = 0; i < JOB_CHANGES; i++)
        if (strcmp(c.list[i].field->name, name) == 0)
            return &c.list[i];
    fail_msg("%s is not compared", name);
    return NULL;
}

TEST_WITH(equal_runs_are_as_before, begin, NULL)
{
    find();
    assert_int_equal(c.matched, RANKS);
    for (int i = 0; i < JOB_CHANGES; i++) {
        assert_false(c.list[i].changed);
        assert_int_equal(c.list[i].apart, JOB_NONE);
    }
    assert_int_equal(change("memory")->n, 0); /* no rank knows it */
}

TEST_WITH(what_changes_by_more_than_the_spread_is_told, begin, NULL)
{
    for (uint32_t i = 0; i < RANKS; i++) {
        after[i].s.wall += 0.5;
        after[i].s.system = 0.504; /* less than 1 % */
    }
    find();
    assert_true(change("wall")->changed);
    assert_true(fabs(change("wall")->change - 0.5) < 1e-9);
    assert_false(change("system")->changed);
    assert_false(change("user")->changed);
}

/* Ranks that differ much from each other anyway: a change within that is none. */
TEST_WITH(a_change_within_the_spread_is_none, begin, NULL)
{
    for (uint32_t i = 0; i < RANKS; i++) {
        before[i].s.wall = 10 + i;
        after[i].s.wall = 10.5 + i;
    }
    find();
    assert_false(change("wall")->changed);
}

TEST_WITH(one_rank_has_no_spread, begin, NULL)
{
    a.n = b.n = 1;
    after[0].s.wall += 0.5;
    find();
    assert_true(isnan(change("wall")->spread));
    assert_true(change("wall")->changed);
    after[0].s.wall = before[0].s.wall * 1.009;
    find();
    assert_false(change("wall")->changed);
}

TEST_WITH(a_rank_that_changes_alone_is_named, begin, NULL)
{
    after[5].s.wall += 3;
    find();
    assert_false(change("wall")->changed);
    assert_int_equal(change("wall")->apart, 5);
    assert_true(fabs(change("wall")->apart_by - 3) < 1e-9);
}

TEST_WITH(ranks_without_a_match_and_other_hosts_are_counted, begin, NULL)
{
    b.ranks = after + 2; /* without 0 and 1, */
    b.n = RANKS - 3;     /* and without 7 */
    strcpy(after[3].s.host, "elsewhere");
    strcpy(after[4].s.build_id, "ab");
    find();
    assert_int_equal(c.matched, RANKS - 3);
    assert_int_equal(c.alone[0], 3);
    assert_int_equal(c.alone[1], 0);
    assert_int_equal(c.moved, 1);
    assert_int_equal(c.other_program, 1);
}

TEST_WITH(runs_without_a_common_rank_are_refused, begin, NULL)
{
    struct error err = ERROR_INIT;
    a.n = 4;
    b.ranks = after + 4;
    b.n = 4;
    assert_int_not_equal(job_changes_find(&c, &a, &b, &err), 0);
}
