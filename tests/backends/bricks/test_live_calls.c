/* System calls inside the bricks of a program that runs: they wait for their spans, what is counted
 * stays, and nothing gets lost. (Forks: not for TSan.) */
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/bricks/brick_impl.h"
#include "base/env.h"
#include "rooftop/brick.h"
#include "support/brick_file.h"
#include "support/test.h"

enum { CALL_WRITE = 1 };

static struct {
    pid_t pid;
    int to[2], from[2];
} child;

static struct programs programs;
static struct call_feed *feed;
static struct live_calls live;

/* A brick with another one inside, which takes so long. */
static void work(uint64_t ns)
{
    rooftop_timer outer = rooftop_start(rooftop_brick("Outer"));
    rooftop_timer inner = rooftop_start(rooftop_brick("Inner"));
    const uint64_t until = env_now_ns() + ns;
    while (env_now_ns() < until)
        ;
    rooftop_stop(inner, 0);
    rooftop_stop(outer, 0);
}

/* The program does its work at each byte, for long at 'l', and ends at 'q'. */
static void run_child(void)
{
    char key;
    close(child.to[1]); /* so that it ends when the test does */
    while (read(child.to[0], &key, 1) == 1 && key != 'q') {
        work(key == 'l' ? 5000000 : 20000);
        if (write(child.from[1], "", 1) != 1)
            _exit(1);
    }
    exit(0);
}

static void tell(char key)
{
    char done;
    assert_int_equal(write(child.to[1], &key, 1), 1);
    if (key == 'q')
        assert_int_equal(waitpid(child.pid, NULL, 0), child.pid);
    else
        assert_int_equal(read(child.from[0], &done, 1), 1);
    const struct target host = {.kind = TARGET_HOST};
    programs_find(&programs, &host, getenv("ROOFTOP_BRICKS"));
    programs_poll(&programs);
}

static void begin_child(void)
{
    child.pid = fork();
    assert_true(child.pid >= 0);
    if (child.pid == 0)
        run_child();
}

static int begin(bool traced)
{
    brick_folder_begin();
    assert_int_equal(pipe(child.to), 0);
    assert_int_equal(pipe(child.from), 0);
    programs = (struct programs){0};
    live = (struct live_calls){0};
    feed = call_feed_new(1 << 24);
    if (traced)
        call_feed_begin(feed);
    begin_child();
    return 0;
}

FIXTURE_STATUS(begin_untraced)
{
    return begin(false);
}

FIXTURE_STATUS(begin_traced)
{
    return begin(true);
}

FIXTURE(end)
{
    for (int i = 0; i < 2; i++) {
        close(child.to[i]);
        close(child.from[i]);
    }
    live_calls_free(&live);
    programs_close(&programs);
    call_feed_free(feed);
    brick_folder_end();
}

/* The last span of a place. */
static struct brick_record last_span_of(const struct brick_reader *r, const char *path)
{
    size_t n;
    uint32_t nnodes;
    const struct brick_event *e = brick_reader_events(r, &n);
    const struct brick_node *nodes = brick_reader_nodes(r, &nnodes);
    for (size_t i = n; i-- > 0;)
        if ((e[i].record.type & 15) == BRICK_SPAN &&
            &nodes[e[i].record.node] == brick_file_node(r, path))
            return e[i].record;
    fail_msg("no span %s", path);
    return (struct brick_record){0};
}

static struct brick_record last_span(const char *path)
{
    return last_span_of(programs.list[0].reader, path);
}

static void make_call(int32_t pid, uint64_t at, uint64_t ns)
{
    const struct syscall_event e = {.kind = SYSCALL_CALL,
                                    .abi = SYSCALL_X86_64,
                                    .pid = pid,
                                    .tid = pid,
                                    .number = CALL_WRITE,
                                    .begin_ns = at,
                                    .end_ns = at + ns,
                                    .result = 10};
    call_feed_add(feed, &e);
}

/* Gives the tree its calls, each program at its node. */
static void give_calls(const struct bricks *b)
{
    uint32_t nodes[PROGRAMS_MAX];
    for (size_t i = 0; i < programs.n; i++)
        nodes[i] = b->programs[i].node;
    live_calls_give(&live, &programs, nodes, (struct graph *)b->tree);
}

/* What the tree shows now. outer, inner, program: the calls inside. */
struct shown {
    uint64_t outer, inner, program, elsewhere, total, waiting, ns;
    bool traced, partial;
};

static struct shown look(void)
{
    struct arena memory = {0};
    struct bricks b;
    struct shown s = {0};
    bricks_fill(&b, &memory, &programs, 1, NULL);
    const uint32_t root = b.programs[0].node;
    live_calls_poll(&live, feed, &programs);
    give_calls(&b);
    if (b.tree->syscalls) {
        s = (struct shown){.program = graph_syscalls_of(b.tree, root)->n.calls,
                           .elsewhere = b.tree->syscalls->elsewhere.calls,
                           .total = b.tree->syscalls->total.calls,
                           .waiting = b.tree->syscalls->waiting,
                           .traced = true,
                           .partial = b.tree->syscalls->partial};
        for (uint32_t i = root + 1; i < b.tree->nnodes; i++) {
            const struct call_sum *sum = graph_syscalls_of(b.tree, i);
            *(graph_name(b.tree, i)[0] == 'O' ? &s.outer : &s.inner) = sum->n.calls;
            s.ns += graph_name(b.tree, i)[0] == 'O' ? sum->n.ns : 0;
        }
    }
    graph_unref(b.tree);
    arena_free(&memory);
    return s;
}

TEST_WITH(calls_wait_for_their_spans, begin_untraced, end)
{
    tell('w');
    assert_false(look().traced);
    call_feed_begin(feed);
    struct shown s = look();
    assert_true(s.traced && s.partial); /* it ran before */
    assert_int_equal(s.total, 0);
    const struct brick_record inner = last_span("Outer/Inner"), outer = last_span("Outer");
    make_call(child.pid, inner.start, 5);
    make_call(child.pid, inner.start + 1, UINT32_MAX); /* is cut at the end of the span */
    if (outer.start < inner.start)
        make_call(child.pid, outer.start, 0);
    make_call(1, inner.start, 7);
    make_call(child.pid, env_now_ns() + UINT64_C(1000000000000), 1);
    s = look();
    assert_int_equal(s.inner, 2);
    assert_int_equal(s.outer, outer.start < inner.start ? 3 : 2);
    assert_int_equal(s.ns, 5 + inner.end - inner.start - 1);
    assert_int_equal(s.program, s.outer);
    assert_int_equal(s.elsewhere, 1);
    assert_int_equal(s.waiting, 1);
    assert_int_equal(s.total, s.outer + 1);
    const struct shown again = look();
    assert_memory_equal(&again, &s, sizeof s); /* nothing is counted twice */
    /* the call comes before its span is known */
    const uint64_t now = env_now_ns();
    tell('w');
    const struct brick_record next = last_span("Outer/Inner");
    assert_true(next.start >= now);
    make_call(child.pid, next.start, 1);
    assert_int_equal(look().inner, 3);
    tell('q');
    s = look();
    assert_int_equal(s.waiting, 0); /* no span can come any more */
    assert_int_equal(s.program, s.outer + 1);
    assert_int_equal(s.total, s.program + s.elsewhere);
}

TEST_WITH(what_cannot_wait_is_outside, begin_traced, end)
{
    enum { MORE = 17 };
    tell('w');
    for (int i = 0; i < LIVE_CALLS_WAITING + MORE; i++)
        make_call(child.pid, 1 + (uint64_t)i, 0);
    struct shown s = look();
    assert_false(s.partial);
    assert_int_equal(s.waiting, LIVE_CALLS_WAITING);
    assert_int_equal(s.program, MORE);
    assert_int_equal(s.total, MORE);
    call_feed_begin(feed); /* another trace begins anew */
    make_call(child.pid, last_span("Outer/Inner").start, 1);
    s = look();
    assert_int_equal(s.total, 1);
    assert_int_equal(s.inner, 1);
    assert_int_equal(s.waiting, 0);
    assert_true(s.partial);
    tell('q');
}

/* Sums of a program that leaves the full list go with it; those of the others stay where they are.
 * The call of program i has i + 1 ns. */
TEST_WITH(more_programs_than_the_list_holds, begin_traced, end)
{
    enum { PROGRAMS = PROGRAMS_MAX + 6 };
    static int32_t pids[PROGRAMS];
    struct shown s = {0};
    for (int i = 0; i < PROGRAMS; i++) {
        tell('w');
        pids[i] = child.pid;
        const struct watched_program *last = &programs.list[programs.n - 1];
        assert_int_equal(last->pid, child.pid);
        make_call(child.pid, last_span_of(last->reader, "Outer/Inner").start, 1 + (uint64_t)i);
        tell('q');
        s = look();
        assert_int_equal(s.total, i + 1);
        if (i + 1 < PROGRAMS)
            begin_child();
    }
    assert_int_equal(programs.n, PROGRAMS_MAX);
    assert_int_equal(programs.opened, PROGRAMS); /* no file is opened again, to push others out */
    assert_int_equal(s.elsewhere, PROGRAMS - PROGRAMS_MAX);
    struct arena memory = {0};
    struct bricks b;
    bricks_fill(&b, &memory, &programs, 1, NULL);
    give_calls(&b);
    for (uint32_t i = 0; i < PROGRAMS_MAX; i++) {
        const uint32_t at = i + PROGRAMS - PROGRAMS_MAX;
        assert_int_equal(programs.list[i].pid, pids[at]);
        assert_int_equal(graph_syscalls_of(b.tree, b.programs[i].node)->n.calls, 1);
        assert_int_equal(graph_syscalls_of(b.tree, b.programs[i].node)->n.ns, at + 1);
    }
    graph_unref(b.tree);
    arena_free(&memory);
}

/* The place of the innermost span around a time, looked for among all; BRICK_NONE: none. */
static uint32_t innermost(uint64_t at)
{
    size_t n;
    const struct brick_event *e = brick_reader_events(programs.list[0].reader, &n), *best = NULL;
    for (size_t i = 0; i < n; i++) {
        const struct brick_record *s = &e[i].record;
        if ((s->type & 15) == BRICK_SPAN && s->start <= at && s->end > at &&
            (!best || s->end - s->start < best->record.end - best->record.start))
            best = &e[i];
    }
    return best ? best->record.node : BRICK_NONE;
}

/* A time of what is done next, or in or around a span that is known. */
static uint64_t any_time(uint32_t random, bool next)
{
    size_t n;
    const uint64_t near = random >> 8 & 0x3fff;
    if (next || random % 3 == 0)
        return env_now_ns() + near * 256;
    const struct brick_event *e = brick_reader_events(programs.list[0].reader, &n);
    const struct brick_record *s = &e[(random >> 16) % n].record;
    return random % 3 == 1 ? s->start + near : s->end - near;
}

/* However calls and spans come one after the other, each call is counted where a look at all spans
 * finds it in the end. */
TEST_WITH(each_call_is_where_all_spans_say, begin_traced, end)
{
    enum { STEPS = 120, CALLS = 20 };
    static uint64_t times[STEPS * CALLS];
    uint32_t random = 7;
    size_t n = 0;
    uint64_t outer = 0, inner = 0;
    struct shown s;
    tell('w');
    for (int i = 0; i < STEPS; i++) {
        for (int k = 0; k < CALLS; k++) {
            random = random * 1664525 + 1013904223;
            times[n] = any_time(random, i >= STEPS / 2);
            make_call(child.pid, times[n++], 1);
        }
        if (random >> 20 & 1)
            look(); /* spans may come without new calls */
        if (random >> 21 & 1)
            tell(random >> 23 & 1 ? 'l' : 'w');
        if (random >> 22 & 1)
            look();
    }
    tell('q');
    s = look();
    for (size_t i = 0; i < n; i++) {
        const uint32_t node = innermost(times[i]);
        const struct brick_reader *r = programs.list[0].reader;
        uint32_t nodes;
        const bool in = node != BRICK_NONE &&
                        &brick_reader_nodes(r, &nodes)[node] == brick_file_node(r, "Outer/Inner");
        outer += node != BRICK_NONE;
        inner += in;
    }
    assert_true(inner > n / 8 && outer < n);
    assert_int_equal(s.inner, inner);
    assert_int_equal(s.outer, outer);
    assert_int_equal(s.program, n);
    assert_int_equal(s.waiting, 0);
}
