/* The catalog of events: which events a pattern selects, their order, and what is not kept. */
#include <stdio.h>
#include <string.h>

#include "engine/counters/event_catalog.h"
#include "support/test.h"

static void give_event(struct event_catalog *out, enum event_kind kind, const char *name,
                       const char *description)
{
    event_catalog_add(out, &(struct event_about){kind, name, "cpu", description, "u"});
}

static void list_some(struct event_catalog *out)
{
    give_event(out, EVENT_KIND_TRACEPOINT, "sched:sched_switch", "prev_comm, next_comm");
    give_event(out, EVENT_KIND_GENERIC, "cycles", "core clock cycles");
    give_event(out, EVENT_KIND_LIBPFM, "L2_RQSTS:MISS", "requests that miss the cache");
    give_event(out, EVENT_KIND_GENERIC, "cache-misses", "misses");
    event_catalog_note(out, "probes", "the moon is full", "wait");
}

static const struct event_ops some = {.list = list_some};
static const struct event_ops *const ops[] = {&some, NULL};

static void expect_names(const char *pattern, const char *want)
{
    struct event_catalog c;
    char names[256] = "";
    event_catalog_make(&c, ops, &pattern, pattern != NULL);
    for (size_t i = 0; i < c.n; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? " " : "",
                 c.rows[i].name);
    event_catalog_free(&c);
    if (strcmp(names, want) != 0)
        fail_msg("'%s' selects '%s', not '%s'", pattern ? pattern : "", names, want);
}

TEST(patterns_select)
{
    expect_names(NULL, "cache-misses cycles L2_RQSTS:MISS sched:sched_switch");
    expect_names("CYCLE", "cycles");
    expect_names("cache", "cache-misses L2_RQSTS:MISS"); /* in the description too */
    expect_names("c*", "cache-misses cycles");           /* a glob is for the whole name */
    expect_names("sched:*", "sched:sched_switch");
    expect_names("[", "");
    expect_names("none of them", "");
}

TEST(what_is_not_listed_is_told)
{
    struct event_catalog c;
    event_catalog_make(&c, ops, NULL, 0);
    assert_int_equal(c.nnotes, 1);
    assert_string_equal(c.notes[0].why, "the moon is full");
    assert_int_equal(c.rows[0].state, EVENT_UNTRIED);
    event_catalog_free(&c);
}

static void list_too_many(struct event_catalog *out)
{
    char name[32];
    for (int i = 0; i < EVENTS_MAX + 3; i++) {
        snprintf(name, sizeof name, "event%d", i);
        give_event(out, EVENT_KIND_PMU, name, "");
    }
}

TEST(memory_is_bounded_and_the_rest_is_counted)
{
    static const struct event_ops many = {.list = list_too_many};
    struct event_catalog c;
    event_catalog_make(&c, (const struct event_ops *const[]){&many, NULL}, NULL, 0);
    assert_int_equal(c.n, EVENTS_MAX);
    assert_int_equal(c.left_out, 3);
    assert_string_equal(c.rows[2].name, "event2"); /* numbers are ordered as numbers */
    event_catalog_free(&c);
}
