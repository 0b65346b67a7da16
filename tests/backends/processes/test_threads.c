/* The threads of processes, with made-up trees of /proc. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backends/processes/procs.h"
#include "base/env.h"
#include "support/procfs.h"
#include "support/test.h"

#define MS UINT64_C(1000000)

static struct host *host;
static struct procs *procs;
static struct target target;
static struct system_tick tick;
static struct thread_wish wish;
static uint64_t now_ns;

FIXTURE(setup)
{
    procfs_new();
    target = (struct target){.kind = TARGET_HOST};
    tick = (struct system_tick){.uptime_s = 1000, .have_forks = true, .forks = 1};
    wish = (struct thread_wish){0};
    now_ns = 1000 * 1000 * MS;
    host = host_new();
}

FIXTURE(teardown)
{
    procs_close(procs);
    host_unref(host);
    procfs_free();
    snapshot_pool_drain();
}

static struct snapshot *poll_after(uint64_t ms)
{
    now_ns += ms * MS;
    struct snapshot *s = snapshot_new(host);
    s->thread_wish = wish;
    procs_poll(procs, s, now_ns, &tick);
    return s;
}

static void want(pid_t pid)
{
    wish.on = true;
    wish.pids[wish.n++] = pid;
}

static void process(pid_t pid, uint64_t ticks)
{
    procfs_process(&(struct procfs_process){
        .pid = pid, .ppid = 1, .comm = "work", .cmdline = "work", .utime = ticks, .start = 500});
}

static void thread(pid_t pid, pid_t tid, const char *name, uint64_t ticks, uint64_t start)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)tid);
    procfs_write(
        path,
        "%d (%s) R 1 1 1 0 -1 0 0 0 0 0 %lu 0 0 0 20 -3 3 0 %lu 8192000 25 1 1 1 0 0 0 0 0 0 "
        "0 0 0 0 17 1 0 0 0 0 0\n",
        (int)tid, name, (unsigned long)ticks, (unsigned long)start);
}

static const struct proc_thread *find(const struct snapshot *s, pid_t tid)
{
    for (size_t i = 0; i < s->nthread_rows; i++)
        if (s->threads[i].tid == tid)
            return &s->threads[i];
    return NULL;
}

static void share_is(const struct snapshot *s, pid_t tid, double percent)
{
    const struct proc_thread *t = find(s, tid);
    assert_non_null(t);
    assert_int_equal(t->cpu_percent.validity, VALUE_OK);
    assert_float_equal(t->cpu_percent.v, percent, 0.01);
}

TEST_WITH(only_those_asked_for_are_read, setup, teardown)
{
    process(20, 100);
    process(30, 100);
    thread(20, 20, "main", 10, 500);
    thread(20, 21, "io) S (x", 90, 501);
    thread(30, 30, "other", 100, 500);
    procs = procs_open(&target, 0);
    struct snapshot *s = poll_after(0);
    assert_int_equal(s->nthread_rows, 0);
    snapshot_unref(s);
    want(20);
    s = poll_after(1000);
    assert_int_equal(s->nthread_rows, 2);
    assert_int_equal(s->threads[0].tid, 20); /* sorted by TID */
    assert_int_equal(s->threads[1].pid, 20);
    assert_string_equal(s->threads[1].name, "io) S (x");
    assert_int_equal(s->threads[1].nice, -3);
    assert_int_equal(s->threads[1].state, 'R');
    assert_int_equal(s->threads[1].cpu, 1);
    assert_float_equal(s->threads[1].cpu_seconds * (double)sysconf(_SC_CLK_TCK), 90, 1e-9);
    assert_int_equal(s->threads[1].cpu_percent.validity, VALUE_PENDING);
    snapshot_unref(s);
}

TEST_WITH(shares_are_of_the_time_since_the_last_reading, setup, teardown)
{
    double hz = (double)sysconf(_SC_CLK_TCK);
    process(20, 100);
    thread(20, 20, "main", 10, 500);
    thread(20, 21, "io", 90, 501);
    procs = procs_open(&target, 0);
    want(20);
    snapshot_unref(poll_after(0));
    thread(20, 20, "main", 10, 500);
    thread(20, 21, "io", 140, 501);
    thread(20, 22, "new", 30, 100050);
    struct snapshot *s = poll_after(2000);
    share_is(s, 20, 0);
    share_is(s, 21, 100 * 50 / hz / 2);
    share_is(s, 22, 100 * 30 / hz / 2); /* its share since it began */
    snapshot_unref(s);
    procfs_remove("/proc/20/task/21");
    thread(20, 22, "again", 5, 200000); /* its TID was reused */
    s = poll_after(1000);
    assert_null(find(s, 21));
    share_is(s, 22, 100 * 5 / hz);
    snapshot_unref(s);
}

/* At ten polls a second, threads are read once a second. */
TEST_WITH(at_most_once_a_second, setup, teardown)
{
    process(20, 100);
    thread(20, 20, "main", 10, 500);
    thread(20, 21, "io", 90, 501);
    procs = procs_open(&target, 0);
    want(20);
    snapshot_unref(poll_after(0));
    thread(20, 21, "io", 95, 501);
    for (int i = 0; i < 9; i++) {
        struct snapshot *s = poll_after(100);
        assert_float_equal(find(s, 21)->cpu_seconds * (double)sysconf(_SC_CLK_TCK), 90, 1e-9);
        snapshot_unref(s);
    }
    struct snapshot *s = poll_after(100);
    assert_float_equal(find(s, 21)->cpu_seconds * (double)sysconf(_SC_CLK_TCK), 95, 1e-9);
    snapshot_unref(s);
}

TEST_WITH(a_process_that_comes_into_sight_is_read_at_once, setup, teardown)
{
    process(20, 100);
    process(30, 100);
    thread(20, 20, "main", 10, 500);
    thread(30, 30, "other", 100, 500);
    procs = procs_open(&target, 0);
    want(20);
    snapshot_unref(poll_after(0));
    want(30);
    struct snapshot *s = poll_after(100);
    assert_non_null(find(s, 30));
    snapshot_unref(s);
    wish.on = false;
    s = poll_after(100);
    assert_int_equal(s->nthread_rows, 0);
    snapshot_unref(s);
}

TEST_WITH(nobody_named_takes_the_watched_and_the_busiest, setup, teardown)
{
    target = (struct target){.kind = TARGET_PIDS, .npids = 1, .pids = (pid_t[]){20}};
    process(20, 0);
    process(30, 0);
    thread(20, 20, "main", 10, 500);
    thread(30, 30, "other", 100, 500);
    procs = procs_open(&target, 0);
    wish.on = true;
    struct snapshot *s = poll_after(0);
    assert_non_null(find(s, 20));
    assert_non_null(find(s, 30));
    snapshot_unref(s);
}

TEST_WITH(no_more_than_the_bound_and_said_so, setup, teardown)
{
    process(20, 100);
    for (int i = 0; i < 1030; i++)
        thread(20, 5000 + i, "t", 1, 500);
    procs = procs_open(&target, 0);
    want(20);
    want(99); /* no such process */
    struct snapshot *s = poll_after(0);
    assert_int_equal(s->nthread_rows, 1024);
    assert_int_equal(s->nnotices, 1);
    assert_string_equal(s->notices[0].id, "proc.threads");
    for (size_t i = 1; i < s->nthread_rows; i++)
        assert_true(s->threads[i - 1].tid < s->threads[i].tid);
    snapshot_unref(s);
}
