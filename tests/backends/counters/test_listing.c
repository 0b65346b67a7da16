/* The events that are listed: each can be counted by the name it is listed with. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backends/counters/perf_impl.h"
#include "backends/perf_event/encoding.h"
#include "base/env.h"
#include "support/skip.h"
#include "support/procfs.h"
#include "support/test.h"

static const struct event_ops *const ops[] = {&perf_event_ops, NULL};

static const struct catalog_event *find_event(const struct event_catalog *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->rows[i].name, name) == 0)
            return &c->rows[i];
    return NULL;
}

TEST(every_listed_name_is_understood)
{
    struct event_catalog c;
    event_catalog_make(&c, ops, NULL, 0);
    assert_true(c.n > 50);
    for (size_t i = 0; i < c.n; i++) {
        struct perf_encoding e;
        struct error err = ERROR_INIT;
        if (event_resolve(c.rows[i].name, &e, &err) != 0)
            fail_msg("%s (%s): %s", c.rows[i].name, event_kind_name(c.rows[i].kind), err.why);
    }
    event_catalog_free(&c);
}

TEST(no_name_is_listed_twice)
{
    struct event_catalog c;
    event_catalog_make(&c, ops, NULL, 0);
    for (size_t i = 1; i < c.n; i++)
        if (c.rows[i].kind == c.rows[i - 1].kind && strcmp(c.rows[i].name, c.rows[i - 1].name) == 0)
            fail_msg("%s is there twice", c.rows[i].name);
    event_catalog_free(&c);
}

TEST(events_of_sysfs_are_listed)
{
    static const char *const names[] = {"uncore_imc_0/cas_count_read/", "msr/tsc/", "msr/smi/"};
    struct event_catalog c;
    env_set_root(procfs_tree("tests/data/sysfs/spr"));
    event_catalog_make(&c, ops, NULL, 0);
    env_set_root(NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!find_event(&c, names[i]))
            fail_msg("%s is not listed", names[i]);
    const struct catalog_event *e = find_event(&c, names[0]);
    assert_string_equal(e->pmu, "uncore_imc_0");
    assert_string_equal(e->modifiers, ""); /* it counts for everything at once */
    assert_non_null(strstr(e->description, "in MiB"));
    assert_null(find_event(&c, "uncore_imc_0/cas_count_read.scale/"));
    event_catalog_free(&c);
}

/* As many as tracefs has folders with an id. */
TEST(all_tracepoints_are_listed)
{
    struct event_catalog c;
    size_t folders = 0, listed = 0;
    DIR *d = opendir("/sys/kernel/tracing/events/sched");
    if (!d)
        skip_because("tracefs cannot be read here");
    for (struct dirent *e; (e = readdir(d));) {
        char path[512];
        snprintf(path, sizeof path, "/sys/kernel/tracing/events/sched/%s/id", e->d_name);
        folders += access(path, F_OK) == 0;
    }
    closedir(d);
    const char *pattern = "sched:*";
    event_catalog_make(&c, ops, &pattern, 1);
    for (size_t i = 0; i < c.n; i++)
        listed += c.rows[i].kind == EVENT_KIND_TRACEPOINT;
    assert_int_equal(listed, folders);
    const struct catalog_event *e = find_event(&c, "sched:sched_switch");
    assert_non_null(e);
    assert_non_null(strstr(e->description, "prev_pid"));
    assert_null(strstr(e->description, "common_"));
    event_catalog_free(&c);
}

/* What opens can be counted; what does not says why. */
TEST(each_says_whether_it_opens)
{
    struct event_catalog c;
    const char *patterns[] = {"task-clock", "cycles", "LLC-loads"};
    event_catalog_make(&c, ops, patterns, 3);
    perf_event_ops.try_open(&c);
    for (size_t i = 0; i < c.n; i++) {
        const struct catalog_event *e = &c.rows[i];
        assert_int_not_equal(e->state, EVENT_UNTRIED);
        if ((e->state == EVENT_REFUSED) != (*e->why != '\0'))
            fail_msg("%s: '%s'", e->name, e->why);
    }
    assert_string_equal(find_event(&c, "task-clock")->code, "1:0x1"); /* PERF_COUNT_SW_TASK_CLOCK */
    event_catalog_free(&c);
}
