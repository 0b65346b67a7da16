/*
 * Which records of a task are taken while rooftop attaches to a program that makes threads: those
 * of one watch, and of one that has everything. No event is opened: there are no CPUs here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backends/perf_calls/events.h"
#include "base/env.h"

enum { MAKER = 10, CHILD = 11, GRANDCHILD = 12, OTHER = 13 };
/* Identifiers of an event of each watch. */
enum { OF_MAKER = 100, OF_CHILD = 200 };

static uint64_t now = 1000;

static uint64_t clock_of(void *ctx)
{
    return *(uint64_t *)ctx;
}

static int begin(void **state)
{
    static struct call_events e;
    e = (struct call_events){.attaching = true};
    env_set_clock(clock_of, &now);
    *state = &e;
    return 0;
}

static int end(void **state)
{
    call_events_close(*state);
    env_set_clock(NULL, NULL);
    return 0;
}

static void watch(struct call_events *e, pid_t tid, uint64_t event)
{
    ids_set(&e->by_event, event, e->nwatches);
    assert_int_equal(call_events_watch(e, tid), 0);
    assert_true(call_events_whole(e, tid));
}

/* The maker was within the making of it when its events were opened: a part may be inherited. */
static void a_child_of_that_time_needs_its_own_watch(void **state)
{
    struct call_events *e = *state;
    watch(e, MAKER, OF_MAKER);
    assert_false(call_events_takes(e, OF_MAKER, CHILD)); /* before anything is known of it */
    call_events_entered(e, MAKER, now - 1); /* its record is older than the last event */
    assert_false(call_events_born(e, CHILD, MAKER));
    assert_false(call_events_whole(e, CHILD));
    watch(e, CHILD, OF_CHILD);
    assert_true(call_events_takes(e, OF_CHILD, CHILD));
    assert_false(call_events_takes(e, OF_MAKER, CHILD)); /* that part is there twice */
    /* so are the births of its children: told by its own watch */
    assert_true(call_events_takes(e, OF_CHILD, CHILD));
    call_events_entered(e, CHILD, now);
    assert_true(call_events_born(e, GRANDCHILD, CHILD));
    assert_true(call_events_takes(e, OF_CHILD, GRANDCHILD));
    assert_false(call_events_takes(e, OF_MAKER, GRANDCHILD));
}

/* It was found in /proc and watched before the record of its birth was read, which says too little:
 * its own watch stays. */
static void a_watch_is_not_given_up_for_a_part(void **state)
{
    struct call_events *e = *state;
    watch(e, MAKER, OF_MAKER);
    watch(e, CHILD, OF_CHILD);
    assert_true(call_events_born(e, CHILD, MAKER));
    assert_true(call_events_takes(e, OF_CHILD, CHILD));
    assert_false(call_events_takes(e, OF_MAKER, CHILD));
}

/* The maker began a call when all was open: what it makes has all, and its calls from the first one
 * on, so another watch is not needed. */
static void a_later_child_inherits_everything(void **state)
{
    struct call_events *e = *state;
    watch(e, MAKER, OF_MAKER);
    call_events_entered(e, MAKER, now);
    watch(e, CHILD, OF_CHILD);
    assert_true(call_events_born(e, CHILD, MAKER));
    assert_true(call_events_takes(e, OF_MAKER, CHILD));
    assert_false(call_events_takes(e, OF_CHILD, CHILD));
    assert_true(call_events_born(e, GRANDCHILD, CHILD));
    assert_true(call_events_takes(e, OF_MAKER, GRANDCHILD));
    assert_false(call_events_takes(e, OF_CHILD, GRANDCHILD));
}

/* Numbers of tasks come again, and move to the thread that executes a program. */
static void numbers_change(void **state)
{
    struct call_events *e = *state;
    watch(e, MAKER, OF_MAKER);
    watch(e, CHILD, OF_CHILD);
    call_events_ended(e, MAKER);
    assert_false(call_events_takes(e, OF_MAKER, MAKER));
    call_events_moved(e, CHILD, MAKER);
    assert_true(call_events_takes(e, OF_CHILD, MAKER));
    assert_false(call_events_whole(e, CHILD));
    call_events_entered(e, MAKER, now);
    assert_true(call_events_born(e, CHILD, MAKER));
    assert_true(call_events_takes(e, OF_CHILD, CHILD));
}

/* Records of births may be lost when a ring is full. */
static void an_unknown_task_is_taken_later(void **state)
{
    struct call_events *e = *state;
    watch(e, MAKER, OF_MAKER);
    watch(e, CHILD, OF_CHILD);
    e->attaching = false;
    assert_true(call_events_takes(e, OF_CHILD, OTHER));
    assert_false(call_events_takes(e, OF_MAKER, OTHER));
    assert_false(call_events_whole(e, OTHER)); /* a look would watch it */
    assert_false(call_events_born(e, GRANDCHILD, OTHER));
    call_events_partial(e, GRANDCHILD, OTHER);
    assert_true(call_events_takes(e, OF_CHILD, GRANDCHILD));
    assert_false(call_events_takes(e, OF_MAKER, GRANDCHILD));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_child_of_that_time_needs_its_own_watch), CASE(a_watch_is_not_given_up_for_a_part),
        CASE(a_later_child_inherits_everything),        CASE(numbers_change),
        CASE(an_unknown_task_is_taken_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
