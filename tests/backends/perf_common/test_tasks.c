#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/perf_common/tasks.h"
#include "base/env.h"
#include "support/fake_perf.h"
#include "support/test.h"

enum { PID = 500 };

static struct fake_perf *fake;
static char root[64];
static struct perf_encoding enc[3];
static struct group_plan *the_plan;
static struct tasks *tasks;
static struct tally tally;

static void write_file(const char *text, const char *fmt, int a, int b)
{
    char path[256], tail[128];
    snprintf(tail, sizeof tail, fmt, a, b);
    snprintf(path, sizeof path, "%s%s", root, tail);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void thread_in_proc(int tid, int start)
{
    char path[256], stat[256];
    snprintf(path, sizeof path, "%s/proc/%d/task/%d", root, PID, tid);
    mkdir(path, 0700);
    snprintf(stat, sizeof stat,
             "%d (a) R 1\nb) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 %d 20\n", tid, start);
    write_file(stat, "/proc/%d/task/%d/stat", PID, tid);
}

static void thread_ends(int tid)
{
    char path[256];
    snprintf(path, sizeof path, "%s/proc/%d/task/%d/stat", root, PID, tid);
    remove(path);
    snprintf(path, sizeof path, "%s/proc/%d/task/%d", root, PID, tid);
    remove(path);
}

FIXTURE(setup)
{
    char path[256];
    snprintf(root, sizeof root, "/tmp/rooftop-tasks-%d", (int)getpid());
    const char *dirs[] = {"", "/proc", "/proc/500", "/proc/500/task"};
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s%s", root, dirs[i]);
        mkdir(path, 0700);
    }
    env_set_root(root);
    write_file("100.00 0.0\n", "/proc/uptime", 0, 0);
    thread_in_proc(PID, 10);
    fake = fake_perf_new();
    struct plan_event ev[2];
    for (int i = 0; i < 2; i++) {
        enc[i] = fake_core(0x10 + (uint64_t)i);
        ev[i] = (struct plan_event){&enc[i], 0};
    }
    the_plan = group_plan_new(ev, 2, &(struct plan_limits){6, 0, 4});
}

FIXTURE(teardown)
{
    tasks_free(tasks);
    tasks = NULL;
    tally_free(&tally);
    group_plan_free(the_plan);
    fake_perf_free(fake);
    char command[128];
    for (int tid = PID; tid < PID + 64; tid++)
        thread_ends(tid);
    const char *names[] = {"/proc/500/task", "/proc/500", "/proc/uptime", "/proc", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(command, sizeof command, "%s%s", root, names[i]);
        remove(command);
    }
    env_set_root(NULL);
}

static void sample(void)
{
    tally_free(&tally);
    tally_init(&tally, the_plan, 0);
    tasks_sample(tasks, &tally);
}

/* Waits until attaching, which happens on a thread, is done. */
static struct tasks_status attached(void)
{
    struct tasks_status st;
    do {
        usleep(200);
        tasks_status(tasks, &st);
    } while (st.busy);
    return st;
}

static bool threads_only;

static void watch(void)
{
    const pid_t pids[] = {PID};
    tasks = tasks_watch(&fake->sys, the_plan, pids, 1, threads_only);
}

TEST_WITH(all_threads_are_found_and_summed, setup, teardown)
{
    for (int i = 1; i < 10; i++)
        thread_in_proc(PID + i, 20);
    watch();
    struct tasks_status st = attached();
    assert_int_equal(st.found, 10);
    assert_int_equal(st.attached, 10);
    assert_true(st.inherit);
    assert_int_equal(fake->fds[0].pid, PID); /* the main thread comes first */
    sample();
    assert_int_equal(tally.sum[0].raw, 10 * 1000);
    fake_perf_step(fake);
    sample();
    assert_int_equal(tally.sum[1].raw, 10 * 1000);
}

TEST_WITH(sampling_before_the_attach_is_pending, setup, teardown)
{
    watch();
    sample(); /* whatever has been attached so far: sampling does not wait, and no count is invented
               */
    assert_true(tally.sum[0].places <= 1);
    attached();
}

TEST_WITH(a_thread_that_dies_keeps_its_count, setup, teardown)
{
    thread_in_proc(PID + 1, 20);
    fake_perf_script(fake, (struct fake_script){
                               FAKE_ANY,
                               FAKE_ANY,
                               FAKE_ANY,
                               PID + 1,
                               {{700, 90, 90, false}, {900, 95, 95, false}, {900, 95, 95, false}},
                               3});
    watch();
    attached();
    sample();
    assert_int_equal(tally.sum[0].raw, 1000 + 700);
    thread_ends(PID + 1);
    fake_perf_step(fake);
    sample();
    assert_int_equal(tally.sum[0].raw, 1000 + 200); /* its counts up to its end */
    fake_perf_step(fake);
    sample();
    assert_int_equal(tally.sum[0].raw, 1000);
    assert_int_equal(tally.sum[0].places, 2);
}

TEST_WITH(a_thread_gone_before_its_attach, setup, teardown)
{
    thread_in_proc(PID + 1, 20);
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, FAKE_ANY, FAKE_ANY, PID + 1, .err = ESRCH});
    watch();
    struct tasks_status st = attached();
    assert_int_equal(st.gone, 1);
    assert_int_equal(st.attached, 1);
    assert_int_equal(st.fatal, 0);
}

TEST_WITH(descriptors_run_out, setup, teardown)
{
    for (int i = 1; i < 10; i++)
        thread_in_proc(PID + i, 20);
    fake->opens_max = 9; /* room for the two events of four threads, and one event of a fifth */
    watch();
    struct tasks_status st = attached();
    assert_int_equal(st.fatal, EMFILE);
    assert_int_equal(st.found, 10);
    assert_int_equal(st.attached, 4);
    sample();
    assert_int_equal(tally.sum[0].places, 4);
}

/* Another thread reads /proc while threads are attached: it always finds descriptors. */
TEST_WITH(descriptors_are_left_meanwhile, setup, teardown)
{
    struct rlimit before, few;
    thread_in_proc(PID + 1, 20);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    int next = dup(0);
    assert_true(next >= 0);
    close(next);
    few = before;
    few.rlim_cur = (rlim_t)next + 33; /* 32 are left free; a thread needs two */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    watch();
    struct tasks_status st = attached();
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(st.fatal, EMFILE);
    assert_int_equal(st.found, 2);
    assert_int_equal(st.attached, 0);
}

TEST_WITH(refused_altogether_says_why, setup, teardown)
{
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, FAKE_ANY, FAKE_ANY, FAKE_ANY, .err = ENOENT});
    watch();
    assert_int_equal(attached().attached, 0);
    sample();
    assert_int_equal(tally.err[0], ENOENT);
    assert_int_equal(tally.sum[0].places, 0);
}

/* --children none: threads inherit events, new processes do not. */
TEST_WITH(children_are_counted_by_choice, setup, teardown)
{
    watch();
    attached();
    assert_int_equal(fake->fds[0].attr.inherit, 1);
    assert_int_equal(fake->fds[0].attr.inherit_thread, 0);
    tasks_free(tasks);
    threads_only = true;
    watch();
    attached();
    threads_only = false;
    for (int i = 0; i < fake->used; i++) {
        assert_int_equal(fake->fds[i].attr.inherit, 1);
        assert_int_equal(fake->fds[i].attr.inherit_thread, 1);
    }
}

TEST_WITH(without_inherit_threads_are_listed_again, setup, teardown)
{
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, FAKE_ANY, FAKE_ANY, FAKE_ANY,
                                            .only_inherit = true, .err = EINVAL});
    watch();
    assert_false(attached().inherit);
    sample();
    assert_int_equal(tally.sum[0].places, 1);
    attached(); /* the rescan that the sample requested is done */
    thread_in_proc(PID + 1, 20000);
    sample();
    attached();
    sample();
    assert_int_equal(tally.sum[0].places, 2);
    attached();
    thread_ends(PID + 1);
    sample();
    attached();
    sample(); /* its last counts are read, then its descriptors are closed */
    assert_int_equal(tally.sum[0].places, 2);
    sample();
    assert_int_equal(tally.sum[0].places, 1);
    attached();
    assert_int_equal(fake_perf_open_count(fake), 2);
}

TEST_WITH(a_new_plan_attaches_anew, setup, teardown)
{
    watch();
    attached();
    sample();
    struct group_plan *whole = the_plan, *halves = group_plan_split(the_plan, 0);
    tasks_set_plan(tasks, halves);
    the_plan = halves;
    assert_int_equal(attached().attached, 1);
    fake_perf_step(fake);
    sample();
    assert_int_equal(tally.sum[1].places, 1);
    for (int i = 0; i < fake->used; i++)
        assert_int_equal(fake->fds[i].leader, i);
    tasks_free(tasks);
    tasks = NULL;
    group_plan_free(whole);
}

TEST_WITH(a_command_counts_from_its_exec, setup, teardown)
{
    tasks = tasks_command(&fake->sys, the_plan, PID);
    assert_int_equal(fake->fds[0].attr.enable_on_exec, 1);
    assert_int_equal(fake->fds[0].attr.inherit, 1);
    sample();
    assert_int_equal(tally.sum[0].places, 1);
}

TEST_WITH(stat_is_read_past_odd_names, setup, teardown)
{
    assert_int_equal(task_start(PID, PID), 10);
    assert_true(task_alive(PID));
    write_file("500 (x) S (y) Z 1 1\n", "/proc/%d/task/%d/stat", PID, PID);
    assert_false(task_alive(PID));
    thread_in_proc(PID + 1, 20); /* only the main thread has ended */
    assert_true(task_alive(PID));
    assert_false(task_alive(PID + 7));
    pid_t *tids;
    assert_int_equal(task_list(PID + 7, &tids), -ESRCH);
}
