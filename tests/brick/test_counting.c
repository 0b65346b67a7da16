/*
 * Bricks with counters, ROOFTOP_BRICK_COUNTERS: counted by software events, which work everywhere,
 * and compared with what the program did. tests/platform/pmu counts instructions.
 * (Forks, and counts page faults, of which its shadow has more: not for TSan.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rooftop/brick.h"
#include "rooftop/counters.h"
#include "support/brick_file.h"
#include "support/skip.h"
#include "support/test.h"

#define ASKED "page-faults,instructions,no-such-event"

/* NEAR: pages of stacks, of tables and of a sanitizer's shadow that may be touched beside them. */
enum { FEW = 500, MANY = 3000, CALLS = 5, NEAR = 400 };

static const char *no_events; /* why software events cannot be counted here */

FIXTURE(begin)
{
    static char why[256];
    rooftop_counters *g = rooftop_counters_open("page-faults");
    snprintf(why, sizeof why, "%s", rooftop_counters_why(g, 0));
    rooftop_counters_close(g);
    no_events = *why ? why : NULL;
    setenv("ROOFTOP_BRICK_COUNTERS", ASKED, 1);
    brick_folder_begin();
}

FIXTURE(end)
{
    brick_folder_end();
}

static struct brick_reader *read_file(int pid)
{
    if (no_events)
        skip_because("page-faults: %s", no_events);
    struct brick_reader *r = brick_file_open(pid);
    struct error err = ERROR_INIT;
    assert_int_equal(brick_reader_poll(r, &err), 0);
    return r;
}

static const struct brick_counts *counts_at(const struct brick_reader *r, const char *path)
{
    uint32_t n;
    const struct brick_node *node = brick_file_node(r, path);
    assert_non_null(node);
    return brick_reader_counts(r, (uint32_t)(node - brick_reader_nodes(r, &n)));
}

/* Touches n pages for the first time: a fault each. */
static void touch_pages(size_t n)
{
    const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    char *at = mmap(NULL, n * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(at, MAP_FAILED);
    madvise(at, n * size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < n; i++)
        ((volatile char *)at)[i * size] = 1;
    munmap(at, n * size);
}

static void touch_in(const char *brick, size_t n)
{
    rooftop_timer t = rooftop_start(rooftop_brick(brick));
    touch_pages(n);
    rooftop_stop(t, n);
}

TEST(counts_are_of_each_brick)
{
    touch_in("Warm", 1);
    for (int i = 0; i < CALLS; i++) {
        rooftop_timer outer = rooftop_start(rooftop_layer(0));
        touch_in("Few", FEW);
        touch_in("Many", MANY);
        rooftop_stop(outer, 0);
    }
    struct brick_reader *r = read_file((int)getpid());
    const struct brick_counter *counters;
    assert_int_equal(brick_reader_counters(r, &counters), 3);
    assert_string_equal(counters[0].name, "page-faults");
    assert_string_equal(counters[0].why, "");
    assert_string_equal(counters[2].name, "no-such-event");
    assert_string_equal(counters[2].why, "no event has this name here");
    const struct brick_counts *few = counts_at(r, "Layer 0/Few"),
                              *many = counts_at(r, "Layer 0/Many"),
                              *layer = counts_at(r, "Layer 0");
    assert_int_equal(few->spans, CALLS);
    assert_in_range(few->value[0], CALLS * FEW, CALLS * FEW + NEAR);
    assert_in_range(many->value[0], CALLS * MANY, CALLS * MANY + NEAR);
    assert_in_range(layer->value[0], few->value[0] + many->value[0],
                    few->value[0] + many->value[0] + NEAR);
    assert_int_equal(few->value[2], 0);
    assert_true(few->enabled > 0 && few->enabled == few->running);
    assert_true(layer->enabled >= few->enabled + many->enabled);
    brick_reader_close(r);
}

/* The program asks itself, as another process would read it. */
TEST(the_program_can_ask)
{
    if (no_events)
        skip_because("page-faults: %s", no_events);
    static char text[1 << 14];
    rooftop_counts c;
    touch_in("Asked", FEW);
    touch_in("Asked", FEW);
    assert_int_equal(rooftop_brick_counts(rooftop_brick("Asked"), &c), 2);
    assert_in_range(c.value[0], 2 * FEW, 2 * FEW + NEAR);
    assert_int_equal(c.value[2], 0);
    assert_int_equal(rooftop_brick_counts(rooftop_brick("Never"), &c), 0);
    assert_int_equal(c.enabled_ns, 0);
    assert_true(rooftop_report(text, sizeof text) < sizeof text);
    assert_non_null(strstr(text, "\nCounted in a call of      Count  Share    page-faults"));
    assert_non_null(strstr(text, "\nno-such-event: n/a: no event has this name here\n"));
}

static const int few = FEW, many = MANY;

static void *touch_on_a_thread(void *arg)
{
    touch_in("Threaded", (size_t) * (const int *)arg);
    return NULL;
}

TEST(each_thread_has_its_own)
{
    pthread_t a, b;
    /* the second takes the place of the first one in the file */
    assert_int_equal(pthread_create(&a, NULL, touch_on_a_thread, (void *)&few), 0);
    pthread_join(a, NULL);
    assert_int_equal(pthread_create(&b, NULL, touch_on_a_thread, (void *)&many), 0);
    pthread_join(b, NULL);
    struct brick_reader *r = read_file((int)getpid());
    const struct brick_counts *c = counts_at(r, "Threaded");
    assert_int_equal(c->spans, 2);
    assert_in_range(c->value[0], FEW + MANY, FEW + MANY + NEAR);
    brick_reader_close(r);
}

static void *stop_it(void *timer)
{
    rooftop_stop(*(rooftop_timer *)timer, 0);
    return NULL;
}

TEST(what_ends_on_another_thread_is_not_counted)
{
    pthread_t other;
    touch_in("Handed", FEW);
    rooftop_timer t = rooftop_start(rooftop_brick("Handed"));
    assert_int_equal(pthread_create(&other, NULL, stop_it, &t), 0);
    pthread_join(other, NULL);
    touch_in("Handed", FEW); /* the slots turned once without a count */
    uint64_t at = rooftop_elapsed_ns();
    rooftop_span(rooftop_brick("Handed"), at, at + 10, 0, 0, 0);
    struct brick_reader *r = read_file((int)getpid());
    const struct brick_counts *c = counts_at(r, "Handed");
    assert_int_equal(brick_file_node(r, "Handed")->count, 4);
    assert_int_equal(c->spans, 2);
    assert_in_range(c->value[0], 2 * FEW, 2 * FEW + NEAR);
    brick_reader_close(r);
}

TEST(what_was_counted_is_added_once)
{
    struct brick_reader *r = NULL;
    struct error err = ERROR_INIT;
    for (int i = 1; i <= 3; i++) {
        touch_in("Followed", FEW);
        if (!r)
            r = read_file((int)getpid());
        assert_int_equal(brick_reader_poll(r, &err), 0);
        const struct brick_counts *c = counts_at(r, "Followed");
        assert_int_equal(c->spans, i);
        assert_in_range(c->value[0], FEW * (uint64_t)i, FEW * (uint64_t)i + NEAR);
    }
    brick_reader_close(r);
}

TEST(a_child_counts_its_own)
{
    touch_in("Forked", MANY);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        touch_in("Forked", FEW);
        _exit(0);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    touch_in("Forked", MANY);
    struct brick_reader *r = read_file((int)pid), *ours = read_file((int)getpid());
    assert_in_range(counts_at(r, "Forked")->value[0], FEW, FEW + NEAR);
    assert_in_range(counts_at(ours, "Forked")->value[0], 2 * MANY, 2 * MANY + NEAR);
    brick_reader_close(r);
    brick_reader_close(ours);
}

/* A program that does not ask has no counters in its file, and no descriptors of them. */
TEST(nobody_counts_unasked)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        unsetenv("ROOFTOP_BRICK_COUNTERS");
        touch_in("Unasked", FEW);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    struct brick_reader *r = read_file((int)pid);
    const struct brick_counter *counters;
    assert_int_equal(brick_reader_counters(r, &counters), 0);
    assert_int_equal(brick_file_node(r, "Unasked")->count, 1);
    assert_null(counts_at(r, "Unasked"));
    brick_reader_close(r);
}

/* A program may change its environment while another thread begins: nobody may look at it then. */
TEST(the_environment_is_read_once)
{
    pthread_t thread;
    touch_in("Before", 1);
    unsetenv("ROOFTOP_BRICK_COUNTERS");
    assert_int_equal(pthread_create(&thread, NULL, touch_on_a_thread, (void *)&few), 0);
    pthread_join(thread, NULL);
    setenv("ROOFTOP_BRICK_COUNTERS", ASKED, 1);
    struct brick_reader *r = read_file((int)getpid());
    assert_int_equal(counts_at(r, "Threaded")->spans, brick_file_node(r, "Threaded")->count);
    brick_reader_close(r);
}

TEST_MAIN(begin, end)
