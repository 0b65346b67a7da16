/* How much time threads spent on the same work, from what a program really records. (Forks:
 * not for TSan.) */
#include <stdlib.h>
#include <string.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/bricks/brick_impl.h"
#include "engine/roofline/roofline.h"
#include "rooftop/brick.h"
#include "support/brick_file.h"
#include "support/test.h"

static struct brick_reader *recorded(void (*run)(void *), void *arg)
{
    struct error err = ERROR_INIT;
    int status;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        run(arg);
        exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    struct brick_reader *r = brick_file_open(pid);
    assert_int_equal(brick_reader_poll(r, &err), 0);
    return r;
}

static void write_many(void *arg)
{
    rooftop_id id = rooftop_register("wrap", ROOFTOP_OTHER);
    for (uint64_t i = 0; i < *(uint64_t *)arg; i++)
        rooftop_span(id, 1000 + i * 200, 1100 + i * 200, 3, 5, 7);
}

/* Two threads take turns with the same kernel under one backend. */
static void *second_half(void *backend)
{
    rooftop_id kernel = rooftop_kernel("turns", 0, NULL, NULL, 0);
    rooftop_timer t = rooftop_start(*(rooftop_id *)backend);
    for (uint64_t i = 0; i < 10; i++)
        rooftop_span(kernel, 2000 * i + 1000, 2000 * i + 2000, 0, 1000, 5000);
    rooftop_stop(t, 0);
    return NULL;
}

static void write_turns(void *arg)
{
    (void)arg;
    pthread_t thread;
    rooftop_id backend =
        rooftop_backend_measured("turns", 10e9, 10e9, 0.021, 0.0001, "measured at start");
    rooftop_id kernel = rooftop_kernel("turns", 0, NULL, NULL, 0);
    rooftop_timer t = rooftop_start(backend);
    for (uint64_t i = 0; i < 10; i++)
        rooftop_span(kernel, 2000 * i, 2000 * i + 1000, 0, 1000, 5000);
    rooftop_stop(t, 0);
    pthread_create(&thread, NULL, second_half, &backend);
    pthread_join(thread, NULL);
}

TEST(work_of_threads_is_over_the_time_in_which_any_ran)
{
    struct brick_reader *r = recorded(write_turns, NULL);
    assert_int_equal(brick_reader_known_since(r), 0);
    struct graph *g = graph_new();
    struct brick_share_of of = {r, brick_graph_sums(g, r, "turns", 1)};
    struct arena memory = {0};
    struct roofline roofs;
    graph_finish(g);
    brick_share(g, &of, 1, SIZE_MAX);
    roofline_fill(&roofs, &memory, g, NULL);
    assert_int_equal(roofs.npoints, 1);
    assert_int_equal(roofs.points[0].elapsed, 20000); /* the busier thread has 10000 */
    assert_float_equal(roofs.points[0].flops, 5e9, 1);
    assert_float_equal(roofs.roofs[0].flops_spread, 0.021, 1e-9);
    /* shown if it is less than the ring holds */
    assert_float_equal(roofs.roofs[0].bytes_spread, 0.001, 1e-9);
    brick_share(g, &of, 1, 8); /* reads only what is new, and adds it */
    assert_in_range(graph_extra_of(g, roofs.points[0].node)->any_total, 20001, 28000);
    arena_free(&memory);
    graph_unref(g);
    brick_reader_close(r);
}

/* Overwritten spans are unknown, and it is known until when. */
TEST(overwritten_spans_say_until_when)
{
    uint64_t n = 3 * BRICK_RING_LARGE;
    struct brick_reader *r = recorded(write_many, &n);
    size_t events;
    const struct brick_event *e = brick_reader_events(r, &events);
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < events; i++)
        if ((e[i].record.type & 15) == BRICK_SPAN && e[i].record.end < first)
            first = e[i].record.end;
    assert_int_equal(brick_reader_known_since(r), first);
    brick_reader_close(r);
}

BRICK_FOLDER_MAIN
