/* Pairs of probes become spans in files that the reader of librooftop's files reads. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/bricks/brick_impl.h"
#include "backends/usdt/usdt_impl.h"
#include "support/brick_file.h"
#include "support/test.h"

enum { PID = 5000001, TID = 5000002 }; /* above any pid_max */
enum { OUTER, INNER };

static char folder[] = "/tmp/rooftop-spans-XXXXXX";

static struct usdt_spans *fresh(void)
{
    struct usdt_spans *s = spans_new(folder);
    spans_name(s, OUTER, "p:outer");
    spans_name(s, INNER, "p:inner");
    spans_watch(s, PID);
    return s;
}

static void find(struct programs *p)
{
    struct target t = {.kind = TARGET_PIDS, .npids = 1, .pids = (pid_t[]){PID}};
    programs_find(p, &t, folder);
    programs_poll(p);
}

static const struct brick_node *node(const struct programs *p, const char *path)
{
    size_t i = 0;
    while (i < p->n && p->list[i].pid != PID)
        i++;
    assert_true(i < p->n);
    return brick_file_node(p->list[i].reader, path);
}

static size_t files(void)
{
    size_t n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e; e = readdir(d))
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

TEST(pairs_nest_by_thread)
{
    struct usdt_spans *s = fresh();
    struct programs p = {0};
    for (uint64_t i = 0; i < 3; i++) {
        uint64_t at = 1000 * i;
        spans_begin(s, PID, PID, OUTER, at);
        spans_begin(s, PID, TID, INNER, at + 1); /* of another thread, so it is not nested */
        spans_begin(s, PID, PID, INNER, at + 10);
        spans_end(s, PID, PID, INNER, at + 15);
        spans_end(s, PID, TID, INNER, at + 101);
        spans_end(s, PID, PID, OUTER, at + 50);
    }
    find(&p);
    assert_int_equal(p.n, 1);
    assert_int_equal(p.list[0].pid, PID);
    const struct brick_node *outer = node(&p, "p:outer"), *inner = node(&p, "p:outer/p:inner");
    assert_int_equal(outer->count, 3);
    assert_int_equal(outer->total, 150);
    assert_int_equal(inner->count, 3);
    assert_int_equal(inner->total, 15);
    assert_int_equal(inner->min, 5);
    assert_int_equal(node(&p, "p:inner")->total, 300);
    assert_int_equal(inner->histogram.total, 3);
    size_t nevents, spans = 0;
    const struct brick_event *e = brick_reader_events(p.list[0].reader, &nevents);
    for (size_t i = 0; i < nevents; i++) {
        if ((e[i].record.type & 15) != BRICK_SPAN)
            continue;
        spans++;
        if (e[i].record.end - e[i].record.start == 5) /* the inner span knows the outer one */
            assert_int_equal(e[i].record.parent >> 32, e[i + 1].record.span >> 32);
    }
    assert_int_equal(spans, 9);
    assert_int_equal(spans_totals(s).spans, 9);
    assert_int_equal(spans_totals(s).lone_begins + spans_totals(s).lone_ends, 0);
    programs_close(&p);
    spans_free(s);
    assert_int_equal(files(), 0);
}

TEST(unmatched_ends_are_counted)
{
    struct usdt_spans *s = fresh();
    struct programs p = {0};
    spans_end(s, PID, PID, OUTER, 5); /* it began before watching */
    spans_begin(s, PID, PID, OUTER, 10);
    spans_begin(s, PID, PID, INNER, 11);
    spans_begin(s, PID, PID, INNER, 12);
    spans_end(s, PID, PID, OUTER, 20); /* ends both */
    spans_end(s, PID, PID, INNER, 21);
    spans_begin(s, PID, PID, OUTER, 30);
    spans_exit(s, PID, PID);                     /* they never ended */
    spans_begin(s, PID + 5, PID + 5, OUTER, 40); /* another process */
    spans_begin(s, PID, TID, 17, 50);            /* no such pair */
    struct spans_totals t = spans_totals(s);
    assert_int_equal(t.spans, 1);
    assert_int_equal(t.lone_begins, 3);
    assert_int_equal(t.lone_ends, 2);
    assert_int_equal(t.dropped, 0);
    find(&p);
    assert_int_equal(node(&p, "p:outer")->total, 10);
    assert_int_equal(node(&p, "p:outer/p:inner")->count, 0);
    programs_close(&p);
    spans_free(s);
}

TEST(depth_is_bounded)
{
    struct usdt_spans *s = fresh();
    for (uint64_t i = 0; i < SPANS_DEPTH + 10; i++)
        spans_begin(s, PID, PID, INNER, i);
    assert_int_equal(spans_totals(s).dropped, 10);
    for (uint64_t i = 0; i < SPANS_DEPTH + 10; i++)
        spans_end(s, PID, PID, INNER, 1000 + i);
    assert_int_equal(spans_totals(s).spans, SPANS_DEPTH);
    spans_free(s);
}

/* If time runs backwards, the length is 0 and not 584 years. */
TEST(time_never_runs_backwards)
{
    struct usdt_spans *s = fresh();
    struct programs p = {0};
    spans_begin(s, PID, PID, OUTER, 100);
    spans_end(s, PID, PID, OUTER, 90);
    find(&p);
    assert_int_equal(node(&p, "p:outer")->total, 0);
    programs_close(&p);
    spans_free(s);
}

TEST(children_are_followed_and_execs_told_apart)
{
    struct usdt_spans *s = fresh();
    struct programs p = {0};
    spans_comm(s, PID, PID, "parent", false);
    spans_begin(s, PID, PID, OUTER, 1);
    spans_end(s, PID, PID, OUTER, 2);
    spans_fork(s, PID, PID + 10);
    spans_fork(s, 99999999, PID + 11); /* not one of our processes */
    assert_true(spans_watched(s, PID + 10));
    assert_false(spans_watched(s, PID + 11));
    spans_begin(s, PID + 10, PID + 10, INNER, 4);
    spans_end(s, PID + 10, PID + 10, INNER, 9);
    spans_comm(s, PID + 10, PID + 10, "other", true); /* another program */
    spans_begin(s, PID + 10, PID + 10, INNER, 11);
    spans_end(s, PID + 10, PID + 10, INNER, 21);
    find(&p);
    assert_int_equal(p.n, 3);
    uint64_t total = 0;
    for (size_t i = 0; i < p.n; i++) {
        const struct brick_node *n = brick_file_node(p.list[i].reader, "p:inner");
        const char *name = p.list[i].name;
        total += n ? n->total : 0;
        if (n && n->total == 10)
            assert_string_equal(name, "other");
        else
            assert_string_equal(name, "parent");
    }
    assert_int_equal(total, 15);
    pid_t pids[8];
    assert_int_equal(spans_processes(s, pids, 8), 2);
    spans_exit(s, PID + 10, PID + 10);
    spans_sweep(s, false, UINT64_MAX);
    assert_int_equal(spans_processes(s, pids, 8), 1);
    assert_int_equal(pids[0], PID);
    /* the kernel did not report its end, but the process does not exist */
    spans_sweep(s, true, 1000);
    assert_int_equal(spans_processes(s, pids, 8), 1); /* its last spans may still come */
    spans_begin(s, PID, PID, OUTER, 1001);
    spans_end(s, PID, PID, OUTER, 1002);
    assert_int_equal(spans_totals(s).spans, 4);
    spans_sweep(s, true, UINT64_MAX);
    assert_int_equal(spans_processes(s, pids, 8), 0);
    programs_poll(&p);
    for (size_t i = 0; i < p.n; i++)
        assert_int_equal(p.list[i].state, PROGRAM_ENDED);
    programs_close(&p);
    spans_free(s);
    assert_int_equal(files(), 0);
}

/* A new thread continues the region of one that has ended, as in librooftop. */
TEST(many_short_threads)
{
    enum { THREADS = 6000 };
    struct usdt_spans *s = fresh();
    struct programs p = {0};
    for (int i = 0; i < THREADS; i++) {
        spans_begin(s, PID, TID + i, INNER, (uint64_t)i * 10);
        spans_end(s, PID, TID + i, INNER, (uint64_t)i * 10 + 1);
        spans_exit(s, PID, TID + i);
    }
    find(&p);
    uint32_t threads;
    brick_reader_threads(p.list[0].reader, &threads);
    assert_int_equal(threads, 1);
    assert_int_equal(node(&p, "p:inner")->count, THREADS);
    assert_int_equal(node(&p, "p:inner")->total, THREADS);
    assert_int_equal(spans_totals(s).dropped, 0);
    programs_close(&p);
    spans_free(s);
}

/* Threads that run at the same time, many of them with equal low digits in their TIDs. */
TEST(threads_are_told_apart)
{
    enum { THREADS = 60, STEP = 4096 };
    struct usdt_spans *s = fresh();
    struct programs p = {0};
    pid_t other = PID + STEP;
    spans_watch(s, other);
    for (int i = 0; i < THREADS; i++)
        spans_begin(s, PID, TID + i * STEP, OUTER, (uint64_t)i);
    spans_begin(s, other, TID, OUTER, 0); /* as if the TID was reused */
    for (int i = 0; i < THREADS; i++)
        spans_end(s, PID, TID + i * STEP, OUTER, 1000);
    spans_end(s, other, TID, OUTER, 7);
    struct spans_totals t = spans_totals(s);
    assert_int_equal(t.spans, THREADS + 1);
    assert_int_equal(t.lone_begins + t.lone_ends + t.dropped, 0);
    find(&p);
    assert_int_equal(node(&p, "p:outer")->count, THREADS);
    assert_int_equal(node(&p, "p:outer")->total, THREADS * 1000 - THREADS * (THREADS - 1) / 2);
    programs_close(&p);
    spans_free(s);
}

TEST(a_place_takes_room_once)
{
    enum { SPANS = 200000 };
    struct usdt_spans *s = fresh();
    struct programs p = {0};
    for (uint64_t i = 0; i < SPANS; i++) {
        spans_begin(s, PID, PID, OUTER, 10 * i);
        spans_begin(s, PID, PID, INNER, 10 * i + 1);
        spans_end(s, PID, PID, INNER, 10 * i + 3);
        spans_end(s, PID, PID, OUTER, 10 * i + 5);
    }
    assert_int_equal(spans_totals(s).dropped, 0);
    find(&p);
    assert_int_equal(node(&p, "p:outer")->count, SPANS);
    assert_int_equal(node(&p, "p:outer/p:inner")->total, 2 * SPANS);
    programs_close(&p);
    spans_free(s);
}

TEST(ended_processes_are_not_checked_again)
{
    struct usdt_spans *s = fresh();
    pid_t pids[4];
    spans_fork(s, PID, PID + 1);
    spans_begin(s, PID, PID, OUTER, 1);
    assert_int_equal(spans_processes(s, pids, 4), 2);
    assert_int_equal(spans_processes(s, pids, 1), 1);
    spans_exit(s, PID, PID);
    spans_sweep(s, false, UINT64_MAX);
    assert_int_equal(spans_processes(s, pids, 4), 1);
    assert_int_equal(pids[0], PID + 1);
    spans_free(s);
}

TEST(many_processes_make_room_for_each_other)
{
    enum { PROCESSES = 200 };
    struct usdt_spans *s = fresh();
    for (int i = 1; i <= PROCESSES; i++) {
        spans_fork(s, PID, PID + i);
        spans_begin(s, PID + i, PID + i, INNER, 10);
        spans_end(s, PID + i, PID + i, INNER, 11);
        if (i < PROCESSES / 2) { /* the later ones stay */
            spans_exit(s, PID + i, PID + i);
            spans_sweep(s, false, UINT64_MAX);
        }
    }
    assert_true(files() <= SPANS_FILES);
    assert_int_equal(spans_totals(s).spans, PROCESSES / 2 - 1 + SPANS_FILES);
    assert_true(spans_totals(s).dropped > 0);
    spans_free(s);
    assert_int_equal(files(), 0);
}

/* More names than a file can describe, and more places than a region can hold. */
TEST(a_full_file_drops_and_counts)
{
    struct brick_writer *w;
    char path[64], name[16];
    struct error err = ERROR_INIT;
    snprintf(path, sizeof path, "%s/a.bricks", folder);
    struct brick_writer_program program = {.pid = PID, .program = "x", .exe = ""};
    assert_int_equal(brick_writer_open(&w, path, &program, 1, &err), 0);
    for (uint32_t i = 0; i < BRICK_DESCS; i++) {
        snprintf(name, sizeof name, "n%u", i);
        assert_int_equal(brick_writer_describe(w, name), i);
    }
    assert_int_equal(brick_writer_describe(w, "one more"), BRICK_NONE);
    uint32_t thread = brick_writer_thread(w, TID, "t", 1), made = 0;
    for (uint32_t k = 0; k < 17; k++) {
        uint64_t parent = brick_writer_begin(w, thread, 0, k);
        for (uint32_t i = 0; i < BRICK_DESCS; i++)
            made += brick_writer_begin(w, thread, parent, i) != 0;
    }
    assert_true(made > 0 && made < 17 * BRICK_DESCS);
    struct brick_reader *r;
    assert_int_equal(brick_reader_open(&r, path, &err), 0);
    assert_int_equal(brick_reader_poll(r, &err), 0);
    assert_int_equal(brick_reader_header(r)->dropped_names, 1);
    assert_true(brick_reader_header(r)->dropped_nodes > 0);
    brick_reader_close(r);
    struct brick_writer *second; /* an existing file is never overwritten */
    assert_true(brick_writer_open(&second, path, &program, 1, &err) < 0);
    assert_int_equal(err.kind, ERROR_OUTPUT);
    brick_writer_close(w);
    assert_int_equal(files(), 0);
}

FIXTURE_STATUS(begin)
{
    return mkdtemp(folder) ? 0 : -1;
}

FIXTURE_STATUS(end)
{
    return rmdir(folder);
}

TEST_MAIN(begin, end)
