/* The last pass of a program and its critical path, as the live view 4 shows them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/bricks/brick_impl.h"
#include "engine/path/critical_path.h"
#include "engine/trace/trace.h"
#include "rooftop/brick.h"
#include "support/brick_file.h"
#include "support/test.h"

/* Runs a function in a child that ends like a program. Returns its PID. */
static pid_t run(void (*what)(void))
{
    int status;
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        what();
        exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return pid;
}

static struct brick_reader *last_pass(pid_t pid, struct arena *memory, struct brick_window *w)
{
    struct brick_reader *r = brick_file_open(pid);
    struct brick_pass pass;
    assert_int_equal(brick_reader_poll(r, NULL), 0);
    assert_true(brick_pass_find(r, &pass));
    brick_window_fill(w, memory, r, &pass, "test", pid, 0);
    return r;
}

static void write_passes(void)
{
    rooftop_id backend = rooftop_backend("avx2", 1e9, 1e9, "test"),
               forward = rooftop_function("forward", "f.c", 1);
    rooftop_timer whole = rooftop_start(backend);
    for (int i = 0; i < 3; i++) {
        rooftop_timer pass = rooftop_start(forward);
        for (uint32_t l = 0; l < 2; l++) {
            rooftop_timer layer = rooftop_start(rooftop_layer(l));
            rooftop_stop(rooftop_start(ROOFTOP_RMS_NORM), 1);
            rooftop_stop(layer, 0);
        }
        rooftop_stop(pass, 0);
    }
    rooftop_stop(whole, 0);
}

TEST(the_last_pass_is_the_last_whole_one)
{
    struct arena memory = {0};
    struct brick_window w;
    struct brick_reader *r = last_pass(run(write_passes), &memory, &w);
    assert_string_equal(w.what, "forward");
    assert_int_equal(w.nspans, 5);
    assert_int_equal(w.nlanes, 1);
    assert_int_equal(w.wall, w.spans[0].duration);
    assert_int_equal(w.path, w.wall); /* one thread: all of it is the path */
    uint64_t sum = 0;
    for (uint32_t i = 0; i < w.nsteps; i++)
        sum += w.lengths[i];
    assert_int_equal(sum, w.path);
    arena_free(&memory);
    brick_reader_close(r);
}

/* A ends, then B begins on another thread, which the first waits for. */
static uint64_t span_a, span_b;
static sem_t waited_for; /* the first thread waits already: B is not over before it does */

static void *write_b(void *arg)
{
    while (sem_wait(&waited_for) != 0)
        ;
    rooftop_timer b = rooftop_start(rooftop_brick("B"));
    rooftop_depends(span_a, b.span);
    span_b = b.span;
    rooftop_stop(b, 0);
    return arg;
}

static void write_gap(void)
{
    pthread_t thread;
    sem_init(&waited_for, 0, 0);
    rooftop_timer layer = rooftop_start(rooftop_layer(0)), a = rooftop_start(rooftop_brick("A"));
    span_a = a.span;
    rooftop_stop(a, 0);
    pthread_create(&thread, NULL, write_b, NULL);
    rooftop_timer waits = rooftop_start(rooftop_brick("Wait"));
    sem_post(&waited_for);
    pthread_join(thread, NULL);
    rooftop_joins(span_b, waits.span);
    rooftop_stop(waits, 0);
    rooftop_stop(layer, 0);
}

TEST(its_rows_are_those_of_the_file)
{
    char path[256];
    struct arena memory = {0};
    struct brick_window w;
    struct trace t = {0};
    struct critical_path p;
    const pid_t pid = run(write_gap);
    struct brick_reader *r = last_pass(pid, &memory, &w);
    snprintf(path, sizeof path, "%s/rooftop-%d-0.bricks", getenv("ROOFTOP_BRICKS"), (int)pid);
    const char *paths[] = {path};
    assert_int_equal(trace_open(&t, paths, 1, NULL), 0);
    assert_int_equal(critical_path_find(t.calls, &p, NULL), 0);
    assert_int_equal(w.nsteps, p.nsteps);
    uint64_t sum = 0, waiting = 0;
    for (uint32_t i = 0; i < w.nsteps; i++) {
        const struct critical_step *s = &p.steps[i];
        assert_string_equal(w.spans[w.steps[i]].name, graph_name(t.calls, s->node));
        assert_int_equal(w.starts[i], s->start);
        assert_int_equal(w.lengths[i], s->length);
        assert_int_equal(w.marks[i], s->part == PATH_WAIT ? STEP_WAIT : 0);
        sum += w.lengths[i];
        waiting += w.marks[i] ? w.lengths[i] : 0;
    }
    assert_int_equal(sum, w.wall);
    /* the path leaves the first thread at the end of A, and is in B from its begin */
    uint64_t end_a = 0, begin_b = 0;
    for (uint32_t i = 0; i < w.nspans; i++) {
        if (strcmp(w.spans[i].name, "A") == 0)
            end_a = w.spans[i].start + w.spans[i].duration;
        if (strcmp(w.spans[i].name, "B") == 0)
            begin_b = w.spans[i].start;
    }
    assert_int_equal(waiting, begin_b - end_a);
    critical_path_free(&p);
    trace_free(&t);
    arena_free(&memory);
    brick_reader_close(r);
}

BRICK_FOLDER_MAIN
