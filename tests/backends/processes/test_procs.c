/* The table of processes with made-up trees of /proc and a clock that the test moves. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/processes/family.h"
#include "backends/processes/procs.h"
#include "base/env.h"
#include "engine/live/proc_rows.h"
#include "support/memory.h"
#include "support/procfs.h"
#include "support/test.h"

#define MS UINT64_C(1000000)

static struct host *host;
static struct procs *procs;
static struct target target;
static struct system_tick tick;
static uint64_t now_ns;

FIXTURE(setup)
{
    procfs_new();
    procfs_write("/etc/passwd", "nobody-here\n:::\nroot:x:0:0:root:/root:/bin/sh\n");
    target = (struct target){.kind = TARGET_HOST};
    tick = (struct system_tick){.uptime_s = 1000, .have_forks = true, .forks = 1};
    now_ns = 1000 * 1000 * MS;
    host = host_new();
}

FIXTURE(teardown)
{
    procs_close(procs);
    host_unref(host);
    target_free(&target);
    procfs_free();
    snapshot_pool_drain();
}

static struct snapshot *poll_after(uint64_t ms)
{
    now_ns += ms * MS;
    tick.uptime_s += (double)ms / 1000;
    struct snapshot *s = snapshot_new(host);
    procs_poll(procs, s, now_ns, &tick);
    return s;
}

static void let_pass(uint64_t ms)
{
    snapshot_unref(poll_after(ms));
}

static const struct proc *row(const struct snapshot *s, pid_t pid)
{
    for (size_t i = 0; i < s->nprocs; i++)
        if (s->procs[i].pid == pid)
            return &s->procs[i];
    return NULL;
}

static void started(pid_t pid, pid_t ppid, uint64_t ticks, uint64_t start)
{
    procfs_process(&(struct procfs_process){.pid = pid,
                                            .ppid = ppid,
                                            .comm = "work",
                                            .cmdline = "work -n 3",
                                            .utime = ticks,
                                            .start = start});
}

static void process(pid_t pid, pid_t ppid, uint64_t ticks)
{
    started(pid, ppid, ticks, 500);
}

static void percent_is(const struct snapshot *s, pid_t pid, double want)
{
    const struct proc *p = row(s, pid);
    assert_non_null(p);
    assert_int_equal(p->cpu_percent.validity, VALUE_OK);
    assert_true(p->cpu_percent.v > want - 0.01 && p->cpu_percent.v < want + 0.01);
}

TEST_WITH(rows_hold_what_proc_says, setup, teardown)
{
    process(300, 1, 250);
    procfs_process(&(struct procfs_process){.pid = 2, .comm = "kthreadd", .flags = 0x200000});
    procfs_process(&(struct procfs_process){.pid = 31, .comm = ") R (", .state = 'Z'});
    procs = procs_open(&target, 0);
    struct snapshot *s = poll_after(0);
    assert_int_equal(s->nprocs, 3);
    assert_int_equal(s->procs[0].pid, 2);
    assert_int_equal(s->procs[2].pid, 300); /* sorted by PID */
    const struct proc *p = row(s, 300);
    assert_string_equal(p->cmdline, "work -n 3");
    assert_string_equal(p->comm, "work");
    assert_int_equal(p->ppid, 1);
    assert_int_equal(p->threads, 3);
    assert_int_equal(p->nice, 5);
    assert_int_equal(p->uid, geteuid());
    assert_true(p->cpu_seconds * (double)sysconf(_SC_CLK_TCK) == 250);
    assert_int_equal(p->rss, 25 * (uint64_t)sysconf(_SC_PAGESIZE));
    assert_int_equal(p->cpu_percent.validity, VALUE_PENDING);
    assert_false(p->watched);
    assert_string_equal(row(s, 2)->cmdline, "[kthreadd]");
    assert_true(row(s, 2)->kernel_thread);
    assert_string_equal(row(s, 31)->comm, ") R (");
    assert_string_equal(row(s, 31)->cmdline, "[) R (]");
    assert_int_equal(row(s, 31)->state, 'Z');
    assert_int_equal(s->nthreads, 9);
    snapshot_unref(s);
}

TEST_WITH(hostile_command_lines, setup, teardown)
{
    static const char bytes[] = "\x1b[31m\0\xff\xfe\nx\0\0\0";
    char *big = malloc(100000);
    assert_non_null(big);
    memset(big, 'a', 100000);
    process(5, 1, 0);
    procfs_bytes("/proc/5/cmdline", bytes, sizeof bytes);
    process(6, 1, 0);
    procfs_bytes("/proc/6/cmdline", big, 100000);
    process(7, 1, 0);
    procfs_bytes("/proc/7/stat", "garbage", 7);
    process(8, 1, 0);
    procfs_bytes("/proc/8/stat", "9 (not eight) S 1 1 1", 21);
    procfs_write("/proc/99999999999999999999/stat", "1 (x) S");
    procfs_write("/proc/12x/stat", "12 (x) S");
    procs = procs_open(&target, 0);
    struct snapshot *s = poll_after(0);
    assert_int_equal(s->nprocs, 2);
    assert_string_equal(row(s, 5)->cmdline, "\x1b[31m \xff\xfe\nx");
    assert_int_equal(strlen(row(s, 6)->cmdline), 4096);
    snapshot_unref(s);
    free(big);
}

TEST_WITH(percent_covers_the_time_since_it_was_read, setup, teardown)
{
    process(10, 1, 100);
    process(11, 1, 100);
    procs = procs_open(&target, 0);
    let_pass(0);
    process(10, 1, 150);
    struct snapshot *s = poll_after(1000);
    percent_is(s, 10, 50);
    percent_is(s, 11, 0);
    snapshot_unref(s);
    process(10, 1, 250);
    s = poll_after(500);
    percent_is(s, 10, 200); /* busy on two CPUs */
    snapshot_unref(s);
    process(10, 1, 50); /* the counter went backwards */
    s = poll_after(1000);
    percent_is(s, 10, 0);
    snapshot_unref(s);
}

TEST_WITH(process_that_vanishes_leaves_no_row, setup, teardown)
{
    process(10, 1, 0);
    process(11, 1, 0);
    process(12, 1, 0);
    procfs_remove("/proc/12/stat"); /* it ends between listing and reading */
    procs = procs_open(&target, 0);
    struct snapshot *s = poll_after(0);
    assert_int_equal(s->nprocs, 2);
    snapshot_unref(s);
    procfs_remove("/proc/10");
    s = poll_after(1000);
    assert_int_equal(s->nprocs, 1);
    assert_non_null(row(s, 11));
    snapshot_unref(s);
}

TEST_WITH(reused_number_is_another_process, setup, teardown)
{
    process(10, 1, 5000);
    procs = procs_open(&target, 0);
    let_pass(0);
    procfs_process(&(struct procfs_process){
        .pid = 10, .ppid = 1, .comm = "work", .cmdline = "other", .utime = 20, .start = 100050});
    struct snapshot *s = poll_after(1000);
    const struct proc *p = row(s, 10);
    assert_string_equal(p->cmdline, "other");
    assert_int_equal(p->start_ticks, 100050);
    percent_is(s, 10, 20); /* all of its time since the last listing */
    snapshot_unref(s);
}

TEST_WITH(old_process_that_appears_is_pending, setup, teardown)
{
    process(10, 1, 0);
    procs = procs_open(&target, 0);
    let_pass(0);
    process(11, 1, 5000); /* it started long ago, but became visible only now */
    struct snapshot *s = poll_after(1000);
    assert_int_equal(row(s, 11)->cpu_percent.validity, VALUE_PENDING);
    snapshot_unref(s);
}

TEST_WITH(exec_gives_a_new_command_line, setup, teardown)
{
    procfs_process(
        &(struct procfs_process){.pid = 10, .comm = "sh", .cmdline = "sh run", .start = 1});
    for (pid_t pid = 100; pid < 130; pid++) /* so that the idle one's turn does not come */
        process(pid, 1, 0);
    procs = procs_open(&target, 0);
    let_pass(0);
    let_pass(1000);
    let_pass(1000);
    procfs_process(
        &(struct procfs_process){.pid = 10, .comm = "cc1", .cmdline = "cc1 x.c", .start = 1});
    let_pass(1000);
    struct snapshot *s = poll_after(1000); /* an idle one is read every other second */
    assert_string_equal(row(s, 10)->cmdline, "cc1 x.c");
    snapshot_unref(s);
}

static uint64_t reads_in(uint64_t ms, int polls)
{
    uint64_t before = procs_reads(procs);
    for (int i = 0; i < polls; i++)
        let_pass(ms);
    return procs_reads(procs) - before;
}

TEST_WITH(never_more_than_one_read_each, setup, teardown)
{
    for (pid_t pid = 100; pid < 150; pid++)
        process(pid, 1, 0);
    procs = procs_open(&target, 0);
    tick.have_busy = true;
    assert_int_equal(reads_in(0, 1), 50);
    for (int i = 0; i < 10; i++) {
        tick.busy_ticks = i % 2 ? 1000 : 0; /* even if there was no process to explain the ticks */
        assert_true(reads_in(1000, 1) <= 50);
    }
}

TEST_WITH(idle_processes_are_read_every_other_second, setup, teardown)
{
    for (pid_t pid = 100; pid < 150; pid++)
        process(pid, 1, 0);
    procs = procs_open(&target, 0);
    tick.have_busy = true;
    reads_in(1000, 8);
    assert_true(reads_in(1000, 2) == 50);
    assert_true(reads_in(1000, 1) <= 30); /* and not all in the same one */
    reads_in(1000, 12);                   /* after sleeping long: every fourth second */
    assert_true(reads_in(1000, 4) <= 60);
    assert_true(reads_in(1000, 4) >= 40); /* each process is read */
}

TEST_WITH(many_polls_a_second_share_the_reading, setup, teardown)
{
    for (pid_t pid = 100; pid < 200; pid++)
        process(pid, 1, 0);
    procs = procs_open(&target, 0);
    tick.have_busy = true;
    reads_in(100, 30);
    for (int i = 0; i < 20; i++)
        assert_true(reads_in(100, 1) <= 18);
    assert_true(reads_in(100, 20) <= 200);
    assert_true(reads_in(100, 30) >= 100); /* each process is read */
}

TEST_WITH(hog_cannot_hide_behind_idleness, setup, teardown)
{
    for (pid_t pid = 100; pid < 150; pid++)
        process(pid, 1, 0);
    procs = procs_open(&target, 0);
    tick.have_busy = true;
    reads_in(1000, 9);
    for (int i = 0; i < 4; i++) { /* whatever the phase */
        pid_t hog = 120 + i;
        process(hog, 1, 100);
        tick.busy_ticks = 100;
        struct snapshot *s = poll_after(1000);
        const struct proc *p = row(s, hog);
        assert_int_equal(p->cpu_percent.validity, VALUE_OK);
        assert_true(p->cpu_percent.v >= 24); /* the exact share of the one to four seconds */
        snapshot_unref(s);
        process(hog, 1, 200);
        s = poll_after(1000); /* it is awake: read at every poll */
        percent_is(s, hog, 100);
        snapshot_unref(s);
        tick.busy_ticks = 0;
        reads_in(1000, 14);
    }
}

TEST_WITH(active_process_is_read_on_every_poll, setup, teardown)
{
    process(10, 1, 0);
    for (pid_t pid = 100; pid < 150; pid++)
        process(pid, 1, 0);
    procs = procs_open(&target, 0);
    let_pass(0);
    for (unsigned i = 1; i < 40; i++) {
        process(10, 1, 10 * i);
        struct snapshot *s = poll_after(100);
        if (i > 15) /* until then it waits for its turn among the idle ones */
            percent_is(s, 10, 100);
        snapshot_unref(s);
    }
}

TEST_WITH(new_process_appears_within_a_second, setup, teardown)
{
    process(10, 1, 0);
    procs = procs_open(&target, 0);
    reads_in(100, 13); /* right after a listing */
    process(11, 1, 0);
    tick.forks++; /* the kernel says that something started */
    int polls = 0;
    for (bool there = false; !there; polls++) {
        struct snapshot *s = poll_after(100);
        there = row(s, 11) != NULL;
        snapshot_unref(s);
    }
    assert_true(polls <= 3);
    process(12, 1, 0); /* and if it does not say so */
    polls = 0;
    for (bool there = false; !there; polls++) {
        struct snapshot *s = poll_after(100);
        there = row(s, 12) != NULL;
        snapshot_unref(s);
    }
    assert_true(polls <= 10);
}

static uint64_t listings_in(uint64_t ms, int polls)
{
    uint64_t before = procs_listings(procs);
    reads_in(ms, polls);
    return procs_listings(procs) - before;
}

/* The count of forks tells that processes started, the number of processes that some ended. */
TEST_WITH(quiet_machine_is_listed_every_fourth_second, setup, teardown)
{
    struct stat st;
    char path[300];
    for (pid_t pid = 10; pid < 20; pid++)
        process(pid, 1, 0);
    snprintf(path, sizeof path, "%s/proc", procfs_root());
    assert_int_equal(stat(path, &st), 0);
    /* this file system does not count the links of a folder, as procfs does */
    if (st.st_nlink <= 10)
        skip();
    procs = procs_open(&target, 0);
    assert_int_equal(listings_in(0, 1), 1);
    assert_int_equal(listings_in(1000, 3), 0);
    assert_int_equal(listings_in(1000, 1), 1);
    procfs_remove("/proc/12");
    struct snapshot *s = poll_after(1000);
    assert_null(row(s, 12));
    snapshot_unref(s);
    process(12, 1, 0); /* one ended and one started: the number is the same, but there was a fork */
    procfs_remove("/proc/13");
    tick.forks++;
    s = poll_after(1000);
    assert_non_null(row(s, 12));
    assert_null(row(s, 13));
    snapshot_unref(s);
    tick.forks = 0; /* without a count of forks, each second */
    assert_int_equal(listings_in(1000, 3), 3);
}

/* A new process's share is of the time since the table was last known to be complete. */
TEST_WITH(newborn_after_quiet_seconds_has_its_share, setup, teardown)
{
    for (pid_t pid = 10; pid < 20; pid++)
        process(pid, 1, 0);
    procs = procs_open(&target, 0);
    reads_in(1000, 4); /* some of these seconds need no listing */
    started(21, 1, 50, (uint64_t)((tick.uptime_s + 0.5) * 100));
    tick.forks++;
    struct snapshot *s = poll_after(1000);
    percent_is(s, 21, 50);
    snapshot_unref(s);
}

/* If only few descriptors may be kept, the other files are opened each time; every row is there. */
TEST_WITH(few_descriptors_are_enough, setup, teardown)
{
    struct rlimit before, few;
    getrlimit(RLIMIT_NOFILE, &before);
    few = (struct rlimit){.rlim_cur = 64, .rlim_max = before.rlim_max};
    for (pid_t pid = 100; pid < 200; pid++)
        process(pid, 1, 0);
    setrlimit(RLIMIT_NOFILE, &few);
    procs = procs_open(&target, 0);
    struct rlimit raised;
    getrlimit(RLIMIT_NOFILE, &raised);
    let_pass(0);
    struct snapshot *s = poll_after(1000);
    setrlimit(RLIMIT_NOFILE, &before);
    assert_int_equal(s->nprocs, 100);
    assert_true(raised.rlim_cur >= 64);
    snapshot_unref(s);
}

TEST_WITH(texts_outlive_the_source, setup, teardown)
{
    process(10, 1, 0);
    procs = procs_open(&target, 0);
    struct snapshot *s = poll_after(0);
    procs_close(procs);
    procs = procs_open(&target, 0); /* for teardown */
    assert_string_equal(s->procs[0].cmdline, "work -n 3");
    assert_true(*s->procs[0].user != '\0');
    snapshot_unref(s);
}

/* --- the target --- */

TEST_WITH(descendants_stay_watched_when_orphaned, setup, teardown)
{
    process(10, 1, 0);
    process(9, 10, 0); /* a child may have a lower PID than its parent */
    process(20, 9, 0);
    process(30, 1, 0);
    target.kind = TARGET_PIDS;
    target_add_pid(&target, 10);
    target.children = CHILDREN_ALL;
    procs = procs_open(&target, 0);
    struct snapshot *s = poll_after(0);
    assert_true(row(s, 10)->watched && row(s, 9)->watched && row(s, 20)->watched);
    assert_false(row(s, 30)->watched);
    assert_int_equal(s->nprocs, 4); /* all processes are listed */
    assert_false(s->target_gone);
    snapshot_unref(s);
    procfs_remove("/proc/10");
    process(9, 1, 0);
    process(21, 9, 0);
    tick.forks++;
    let_pass(1000);
    s = poll_after(1000);
    assert_true(row(s, 9)->watched && row(s, 20)->watched && row(s, 21)->watched);
    assert_false(row(s, 30)->watched);
    assert_true(s->target_gone);
    snapshot_unref(s);
}

/* Those that were there before; also where each of them has children. */
TEST_WITH(children_left_out_are_counted, setup, teardown)
{
    for (pid_t pid = 10; pid < 13; pid++)
        process(pid, pid == 10 ? 1 : 10, 0);
    process(20, 12, 0);
    target.kind = TARGET_PIDS;
    target_add_pid(&target, 10);
    procs = procs_open(&target, 0);
    struct snapshot *s = poll_after(0);
    assert_string_equal(proc_rows_left_out(s), "2 children not watched");
    snapshot_unref(s);
    procfs_remove("/proc/11");
    let_pass(1000);
    s = poll_after(1000);
    assert_string_equal(proc_rows_left_out(s), "1 child not watched");
    snapshot_unref(s);
}

TEST_WITH(reused_number_of_a_target_is_not_watched, setup, teardown)
{
    process(10, 1, 0);
    target.kind = TARGET_PIDS;
    target_add_pid(&target, 10);
    procs = procs_open(&target, 0);
    let_pass(0);
    procfs_process(&(struct procfs_process){.pid = 10, .comm = "other", .start = 100900});
    struct snapshot *s = poll_after(1000);
    assert_false(row(s, 10)->watched);
    assert_true(s->target_gone);
    snapshot_unref(s);
}

TEST_WITH(command_is_watched_with_its_session, setup, teardown)
{
    process(10, 1, 0);
    process(11, 10, 0);
    procfs_process(&(struct procfs_process){.pid = 12, .ppid = 1, .comm = "orphan", .session = 10});
    process(13, 1, 0);
    target.kind = TARGET_COMMAND;
    procs = procs_open(&target, 10);
    struct snapshot *s = poll_after(0);
    assert_true(row(s, 10)->watched && row(s, 11)->watched && row(s, 12)->watched);
    assert_false(row(s, 13)->watched);
    snapshot_unref(s);
}

TEST_WITH(cgroup_members_at_any_depth, setup, teardown)
{
    for (pid_t pid = 10; pid < 14; pid++)
        process(pid, 1, 0);
    procfs_write("/sys/fs/cgroup/job/cgroup.procs", "10\n");
    procfs_write("/sys/fs/cgroup/job/step/cgroup.procs", "12\n");
    target.kind = TARGET_CGROUP;
    target.cgroup = strdup("job");
    procs = procs_open(&target, 0);
    struct snapshot *s = poll_after(0);
    assert_true(row(s, 10)->watched && row(s, 12)->watched);
    assert_false(row(s, 11)->watched || row(s, 13)->watched);
    snapshot_unref(s);
    procfs_write("/sys/fs/cgroup/job/cgroup.procs", "13\n"); /* one left, one joined */
    s = poll_after(1000);
    assert_true(row(s, 13)->watched);
    assert_false(row(s, 10)->watched);
    snapshot_unref(s);
}

TEST_WITH(own_process_is_in_the_real_proc, setup, teardown)
{
    env_set_root(NULL);
    procs = procs_open(&target, 0);
    env_set_root(procfs_root());
    struct snapshot *s = poll_after(0);
    const struct proc *p = row(s, getpid());
    assert_non_null(p);
    assert_int_equal(p->ppid, getppid());
    assert_int_equal(p->uid, geteuid());
    assert_true(p->threads >= 1);
    assert_non_null(strstr(p->cmdline, program_invocation_short_name));
    assert_true(p->rss > 0 && p->virt > p->rss && p->start_ticks > 0);
    snapshot_unref(s);
}

TEST_WITH(ended_process_leaves_the_real_proc, setup, teardown)
{
    int fds[2];
    char byte;
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(fds[1]);
        _exit(read(fds[0], &byte, 1) == 0 ? 0 : 1);
    }
    env_set_root(NULL);
    procs = procs_open(&target, 0);
    env_set_root(procfs_root());
    struct snapshot *s = poll_after(0);
    assert_non_null(row(s, pid));
    snapshot_unref(s);
    close(fds[0]);
    close(fds[1]);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    s = poll_after(100); /* its open descriptor reports that it ended: no listing is needed */
    assert_null(row(s, pid));
    snapshot_unref(s);
}

TEST_WITH(children_belong_by_choice, setup, teardown)
{
    target.kind = TARGET_PIDS;
    target.children = CHILDREN_NONE;
    target_add_pid(&target, 10);
    process(10, 1, 0);
    process(11, 10, 0);
    procs = procs_open(&target, 0);
    struct snapshot *s = poll_after(0);
    assert_true(row(s, 10)->watched);
    assert_false(row(s, 11)->watched);
    snapshot_unref(s);
    procs_close(procs);
    target.children = CHILDREN_ALL;
    procs = procs_open(&target, 0);
    s = poll_after(0);
    assert_true(row(s, 11)->watched);
    snapshot_unref(s);
    procs_close(procs);
    target.children = CHILDREN_NEW; /* process 11 ran before, so it does not count */
    procs = procs_open(&target, 0);
    s = poll_after(0);
    assert_true(row(s, 10)->watched);
    assert_false(row(s, 11)->watched);
    snapshot_unref(s);
    uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK), now = (uint64_t)tick.uptime_s * hz;
    started(12, 10, 0, now + hz / 2);
    started(13, 12, 0, now + hz / 2);
    started(14, 11, 0, now + hz / 2); /* a child of a process that does not count */
    let_pass(1000);
    s = poll_after(1000);
    assert_true(row(s, 12)->watched && row(s, 13)->watched);
    assert_false(row(s, 11)->watched || row(s, 14)->watched);
    snapshot_unref(s);
}

/* Finds descendants, but no kernel threads or others; the named ones stay first and occur once. */
TEST_WITH(family_is_found, setup, teardown)
{
    process(10, 1, 0);
    process(11, 10, 0);
    process(12, 11, 0);
    process(13, 1, 0);
    process(9, 12, 0); /* a PID that wrapped around */
    procfs_process(&(struct procfs_process){.pid = 14, .ppid = 10, .comm = "k", .flags = 0x200000});
    target_add_pid(&target, 10);
    target_add_pid(&target, 12);
    assert_int_equal(family_add(&target), 0);
    assert_int_equal(target.npids, 4);
    assert_int_equal(target.pids[0], 10);
    assert_int_equal(target.pids[1], 12);
    assert_true(target.pids[2] == 11 && target.pids[3] == 9);
    for (int i = 0; i < TARGET_MAX_PIDS + 36; i++)
        process(100 + i, 13, 0);
    target.pids[0] = 13;
    target.npids = 1;
    assert_int_equal(family_add(&target), 37);
    assert_int_equal(target.npids, TARGET_MAX_PIDS);
    procs = procs_open(&target, 0);
}

/* Thousands of processes start and end: no memory is kept for them. */
TEST_WITH(short_lived_processes_leave_nothing, setup, teardown)
{
    enum { POLLS = 240, EACH = 20, SETTLED = 80, SLACK = 64 * 1024 };
    size_t at_first = 0, fds = 0;
    process(1, 0, 10);
    procs = procs_open(&target, 0);
    for (int i = 0; i < POLLS; i++) {
        for (pid_t pid = 100 + i * EACH; pid < 100 + (i + 1) * EACH; pid++)
            process(pid, 1, 3);
        tick.forks += EACH;
        struct snapshot *s = poll_after(1000);
        assert_int_equal(s->nprocs, 1 + EACH);
        snapshot_unref(s);
        for (pid_t pid = 100 + i * EACH; pid < 100 + (i + 1) * EACH; pid++) {
            char path[64];
            snprintf(path, sizeof path, "/proc/%d", (int)pid);
            procfs_remove(path);
        }
        if (i == SETTLED) {
            at_first = allocated_bytes();
            fds = open_files();
        }
    }
    if (allocated_bytes() > at_first + SLACK)
        fail_msg("%zu bytes are allocated after %d processes, %zu after %d", allocated_bytes(),
                 POLLS * EACH, at_first, SETTLED * EACH);
    assert_int_equal(open_files(), fds);
}
