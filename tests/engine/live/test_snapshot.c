#include <stdio.h>
#include <string.h>

#include "engine/live/snapshot.h"
#include "support/test.h"

TEST(a_snapshot_outlives_its_maker)
{
    struct host *host = host_new();
    host->ncpus = 3;
    struct snapshot *s = snapshot_new(host);
    host_unref(host); /* as when the engine has ended */
    s->cpus[2].id = 2;
    snapshot_add_counter(s)->name = snapshot_strdup(s, "cycles");
    struct snapshot *other = snapshot_ref(s);
    snapshot_unref(s);
    assert_int_equal(other->host->ncpus, 3);
    assert_non_null(snapshot_counter(other, NULL, "cycles"));
    assert_null(snapshot_counter(other, "core", "cycles"));
    assert_null(snapshot_counter(other, NULL, "cycle"));
    snapshot_unref(other);
    snapshot_unref(NULL);
}

TEST(rows_survive_growth)
{
    struct snapshot *s = snapshot_new(NULL);
    for (int i = 0; i < 1000; i++)
        snapshot_add_counter(s)->raw = (uint64_t)i;
    assert_int_equal(s->ncounters, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(s->counters[i].raw, i);
    snapshot_unref(s);
}

TEST(a_notice_is_said_once)
{
    struct snapshot *s = snapshot_new(NULL);
    char text[32] = "first";
    snapshot_add_notice(s, NOTICE_WARN, "a", text, NULL);
    strcpy(text, "changed");
    snapshot_add_notice(s, NOTICE_WARN, "a", "second", "help");
    snapshot_add_notice(s, NOTICE_INFO, "b", "other", "help");
    assert_int_equal(s->nnotices, 2);
    assert_string_equal(s->notices[0].text, "first");
    assert_null(s->notices[0].help);
    assert_string_equal(s->notices[1].help, "help");
    snapshot_unref(s);
}

TEST(reuse_leaves_nothing_behind)
{
    struct snapshot *s = snapshot_new(NULL);
    s->nprocs = 5;
    s->target_gone = true;
    snapshot_add_counter(s);
    memset(snapshot_alloc(s, 4096), 0xff, 4096);
    snapshot_unref(s);
    s = snapshot_new(NULL); /* reuses one from the pool */
    assert_int_equal(s->nprocs, 0);
    assert_int_equal(s->ncounters, 0);
    assert_false(s->target_gone);
    unsigned char *p = snapshot_alloc(s, 4096);
    for (int i = 0; i < 4096; i++)
        assert_int_equal(p[i], 0);
    snapshot_unref(s);
    snapshot_pool_drain();
}

TEST(printf_text_is_bounded)
{
    struct snapshot *s = snapshot_new(NULL);
    assert_true(strlen(snapshot_printf(s, "%5000d", 1)) < 5000);
    assert_string_equal(snapshot_printf(s, "%d-%s", 7, "x"), "7-x");
    snapshot_unref(s);
    snapshot_pool_drain();
}
