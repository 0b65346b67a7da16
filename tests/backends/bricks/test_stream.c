/*
 * Spans are told as they end, each once: also where the source is opened again, and to who came
 * late only what ended since. (Forks: not for TSan.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/wait.h>
#include <unistd.h>

#include "backends/bricks/brick_impl.h"
#include "base/env.h"
#include "rooftop/brick.h"
#include "support/brick_file.h"
#include "support/test.h"

/* --- a program that records a number of spans each time that it is told to --- */

static struct {
    pid_t pid;
    int to_child[2], to_parent[2];
    char path[256];
} child;

static void record(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        rooftop_timer outer = rooftop_start(rooftop_register("outer", ROOFTOP_FFN));
        rooftop_stop(rooftop_start(rooftop_register("inner", ROOFTOP_NORM)), 1);
        rooftop_stop(outer, 2);
    }
}

static void child_runs(void)
{
    uint32_t n;
    while (read(child.to_child[0], &n, sizeof n) == sizeof n) {
        record(n);
        if (write(child.to_parent[1], "", 1) != 1)
            _exit(1);
    }
    exit(0);
}

static void tell(uint32_t n)
{
    char done;
    assert_int_equal(write(child.to_child[1], &n, sizeof n), sizeof n);
    assert_int_equal(read(child.to_parent[0], &done, 1), 1);
}

static void start_child(void)
{
    assert_int_equal(pipe(child.to_child) | pipe(child.to_parent), 0);
    child.pid = fork();
    assert_true(child.pid >= 0);
    if (child.pid == 0) {
        close(child.to_child[1]);
        child_runs();
    }
    snprintf(child.path, sizeof child.path, "%s/rooftop-%d-0.bricks", getenv("ROOFTOP_BRICKS"),
             (int)child.pid);
    tell(1);
}

static void end_child(void)
{
    close(child.to_child[1]);
    assert_int_equal(waitpid(child.pid, NULL, 0), child.pid);
    close(child.to_child[0]);
    close(child.to_parent[0]);
    close(child.to_parent[1]);
}

/* --- who is told --- */

enum { MOST = 100000 };
static struct {
    uint64_t span[MOST], parent[MOST];
    bool inner[MOST];
    size_t n, missed, over, ticks;
    bool command;
} heard;

static void take_spans(void *ctx, const struct brick_spans *s)
{
    (void)ctx;
    for (uint32_t i = 0; i < s->n; i++) {
        assert_true(heard.n < MOST);
        heard.span[heard.n] = s->span[i];
        heard.parent[heard.n] = s->parent[i];
        heard.inner[heard.n++] = strcmp(graph_name(s->graph, s->first + i), "inner") == 0;
        assert_int_equal(s->graph->kind[s->graph->parent[s->first + i]], NODE_THREAD);
    }
    assert_int_equal(s->pid, child.pid);
    heard.missed += s->missed;
    heard.over += s->over;
    heard.command = s->command;
}

static void take_tick(void *ctx)
{
    (void)ctx;
    heard.ticks++;
}

/* A source that has just been opened. */
static struct programs open_programs(void)
{
    struct programs p = {0};
    assert_int_equal(programs_add_file(&p, child.path, NULL), 0);
    return p;
}

static void look(struct programs *p, struct brick_stream *s)
{
    programs_follow(p);
    programs_tell(p, s, 0);
}

/* Each once; inner ones are below one that came, or that has not ended. */
static void check(size_t spans)
{
    size_t below = 0, inner = 0;
    assert_int_equal(heard.n, spans);
    for (size_t i = 0; i < heard.n; i++) {
        inner += heard.inner[i];
        assert_true(heard.span[i] != 0);
        assert_true(heard.inner[i] == (heard.parent[i] != 0));
        for (size_t k = 0; k < heard.n; k++) {
            assert_true(k == i || heard.span[k] != heard.span[i]);
            below += heard.inner[i] && heard.span[k] == heard.parent[i];
        }
    }
    assert_int_equal(inner, spans / 2);
    assert_int_equal(below, inner);
}

static struct brick_stream begin(uint64_t since_ns)
{
    memset(&heard, 0, sizeof heard);
    start_child();
    return (struct brick_stream){.take = take_spans, .tick = take_tick, .since_ns = since_ns};
}

TEST(each_is_told_once)
{
    struct brick_stream s = begin(0);
    struct programs p = open_programs();
    look(&p, &s);
    check(2);
    tell(10);
    look(&p, &s);
    look(&p, &s);
    check(22);
    programs_close(&p);
    tell(5);
    p = open_programs(); /* another target was watched, and then this one again */
    look(&p, &s);
    check(32);
    tell(3);
    end_child();
    programs_poll(&p);
    programs_tell(&p, &s, child.pid);
    assert_true(heard.command);
    look(&p, &s);
    check(38);
    assert_int_equal(heard.over, 1);
    assert_int_equal(heard.missed, 0);
    assert_int_equal(heard.ticks, 6);
    programs_close(&p);
    p = open_programs(); /* its file is still there */
    look(&p, &s);
    check(38);
    assert_int_equal(heard.over, 1);
    programs_close(&p);
    brick_stream_free(&s);
}

TEST(who_comes_late_hears_what_ends_since)
{
    memset(&heard, 0, sizeof heard);
    start_child();
    tell(2 * BRICK_RING_LARGE); /* much is overwritten, but nobody had asked for it */
    struct brick_stream s = {.take = take_spans, .tick = take_tick, .since_ns = env_now_ns()};
    struct programs p = open_programs();
    look(&p, &s);
    assert_int_equal(heard.n, 0);
    tell(4);
    look(&p, &s);
    check(8);
    assert_int_equal(heard.missed, 0);
    end_child();
    programs_close(&p);
    brick_stream_free(&s);
}

/* What is overwritten between two looks is counted: each record is told or missed. */
TEST(what_is_overwritten_is_counted)
{
    enum { MANY = 3 * BRICK_RING_LARGE };
    struct brick_stream s = begin(0);
    struct programs p = open_programs();
    look(&p, &s);
    assert_int_equal(heard.n, 2);
    tell(MANY);
    look(&p, &s);
    assert_int_equal(heard.n + heard.missed, 2 + 2 * MANY);
    assert_int_equal(heard.n, 2 + BRICK_RING_LARGE);
    end_child();
    programs_close(&p);
    brick_stream_free(&s);
}

BRICK_FOLDER_MAIN
