/*
 * Traces running programs for the screen: they run on afterwards, whatever happens to the tracer.
 * Forks and stops processes: not for TSan.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/env.h"
#include "engine/syscalls/snapshot/watch.h"
#include "support/program.h"
#include "support/skip.h"
#include "support/watched_program.h"
#include "support/test.h"

enum { PATIENCE_S = 30 };

/* --- the watch --- */

static struct watched_program program;

static struct syscalls_watch *begin(void)
{
    struct error err = ERROR_INIT;
    const char *rooftop = program_rooftop();
    if (!rooftop)
        skip_because("rooftop was not built");
    watched_program_skip();
    setenv("ROOFTOP_SELF", rooftop, 1);
    watched_program_start(&program);
    struct syscalls_watch *w = syscalls_watch_new("ptrace", false);
    assert_int_equal(syscalls_watch_begin(w, &program.pid, 1, false, &err), 0);
    assert_true(syscalls_watch_ready(w, PATIENCE_S * 1000));
    return w;
}

static const struct syscalls_snapshot *next(struct syscalls_watch *w)
{
    const struct syscalls_snapshot *p = NULL;
    for (int i = 0; !p && i < PATIENCE_S * 100; i++) {
        p = syscalls_watch_take(w);
        if (!p)
            usleep(10000);
    }
    assert_non_null(p);
    return p;
}

/* The first picture in this state, after all that came before it. */
static const struct syscalls_snapshot *until(struct syscalls_watch *w, enum syscalls_state state)
{
    for (int i = 0; i < 1000; i++) {
        const struct syscalls_snapshot *p = next(w);
        if (p->state == state)
            return p;
        syscalls_snapshot_unref(p);
    }
    fail_msg("it never is %s", syscalls_state_name(state));
    return NULL;
}

static uint64_t calls_of(const struct syscalls_snapshot *p, const char *name)
{
    for (size_t i = 0; i < p->ncalls; i++)
        if (strcmp(p->calls[i].name, name) == 0)
            return p->calls[i].calls;
    return 0;
}

/* access, or faccessat where a machine has no access. */
static uint64_t accesses(const struct syscalls_snapshot *p)
{
    return calls_of(p, "access") + calls_of(p, "faccessat") + calls_of(p, "faccessat2");
}

TEST(a_program_is_traced_and_let_go)
{
    struct syscalls_watch *w = begin();
    assert_true(watched_program_tracer(&program) > 0);
    watched_program_answers(&program);
    watched_program_answers(&program);
    syscalls_watch_stop(w);
    const struct syscalls_snapshot *p = until(w, SYSCALLS_STOPPED);
    assert_int_equal(accesses(p), 100);
    assert_int_equal(p->errors >= 100, 1);
    assert_int_equal(p->lost, 0);
    assert_int_equal(watched_program_tracer(&program), 0);
    watched_program_answers(&program); /* untraced, and not stopped */
    syscalls_snapshot_unref(p);
    assert_false(syscalls_watch_on(w));
    syscalls_watch_free(w);
    assert_int_equal(WEXITSTATUS(watched_program_end(&program, 'q')), 7);
}

TEST(it_can_be_traced_again)
{
    struct error err = ERROR_INIT;
    struct syscalls_watch *w = begin();
    watched_program_answers(&program);
    assert_true(syscalls_watch_begin(w, &program.pid, 1, false, &err) <
                0); /* one trace at a time */
    syscalls_watch_stop(w);
    syscalls_snapshot_unref(until(w, SYSCALLS_STOPPED));
    assert_int_equal(syscalls_watch_begin(w, &program.pid, 1, false, &err), 0);
    assert_true(syscalls_watch_ready(w, PATIENCE_S * 1000));
    watched_program_answers(&program);
    syscalls_watch_stop(w);
    const struct syscalls_snapshot *p = until(w, SYSCALLS_STOPPED);
    assert_int_equal(accesses(p), 50); /* a new trace */
    syscalls_snapshot_unref(p);
    syscalls_watch_free(w);
    watched_program_end(&program, 0);
}

/* rooftop quits while the trace goes on. */
TEST(freeing_lets_it_go)
{
    struct syscalls_watch *w = begin();
    watched_program_answers(&program);
    syscalls_watch_free(w);
    assert_int_equal(watched_program_tracer(&program), 0);
    watched_program_answers(&program);
    assert_int_equal(WEXITSTATUS(watched_program_end(&program, 'q')), 7);
}

TEST(the_end_of_the_program_ends_the_trace)
{
    struct syscalls_watch *w = begin();
    watched_program_answers(&program);
    assert_int_equal(WEXITSTATUS(watched_program_end(&program, 'q')),
                     7); /* its parent gets its status */
    const struct syscalls_snapshot *p = until(w, SYSCALLS_ENDED);
    assert_int_equal(accesses(p), 100);
    assert_int_equal(p->nprocesses, 1);
    assert_true(p->processes[0].ended);
    assert_int_equal(WEXITSTATUS((int)p->processes[0].status), 7);
    syscalls_snapshot_unref(p);
    syscalls_watch_free(w);
}

/* The kernel lets the program go; the picture says that the tracer ended. */
TEST(a_killed_tracer_lets_it_go)
{
    struct syscalls_watch *w = begin();
    watched_program_answers(&program);
    kill(watched_program_tracer(&program), SIGKILL);
    const struct syscalls_snapshot *p = until(w, SYSCALLS_FAILED);
    assert_non_null(strstr(p->why, "the process that traces ended before the trace did"));
    watched_program_answers(&program);
    assert_int_equal(watched_program_tracer(&program), 0);
    syscalls_snapshot_unref(p);
    syscalls_watch_free(w);
    assert_int_equal(WEXITSTATUS(watched_program_end(&program, 'q')), 7);
}

/* In a storm of forks, one of the processes has ended before it is attached to. */
TEST(one_of_them_may_have_ended)
{
    struct error err = ERROR_INIT;
    const char *rooftop = program_rooftop();
    if (!rooftop)
        skip_because("rooftop was not built");
    watched_program_skip();
    setenv("ROOFTOP_SELF", rooftop, 1);
    watched_program_start(&program);
    const pid_t ended = fork();
    if (ended == 0)
        _exit(0);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)ended, &info, WEXITED | WNOWAIT), 0);
    const pid_t pids[] = {program.pid, ended};
    struct syscalls_watch *w = syscalls_watch_new("ptrace", false);
    assert_int_equal(syscalls_watch_begin(w, pids, 2, false, &err), 0);
    assert_true(syscalls_watch_ready(w, PATIENCE_S * 1000));
    syscalls_snapshot_unref(until(w, SYSCALLS_TRACING));
    syscalls_watch_free(w);
    waitpid(ended, NULL, 0);
    assert_int_equal(WEXITSTATUS(watched_program_end(&program, 'q')), 7);
}

/* The stack of each call comes with it, and lives as long as the picture. */
TEST(stacks_come_with_the_calls)
{
    struct error err = ERROR_INIT;
    const char *rooftop = program_rooftop();
    if (!rooftop)
        skip_because("rooftop was not built");
    watched_program_skip();
    setenv("ROOFTOP_SELF", rooftop, 1);
    watched_program_start(&program);
    struct syscalls_watch *w = syscalls_watch_new(NULL, true);
    assert_int_equal(syscalls_watch_begin(w, &program.pid, 1, false, &err), 0);
    assert_true(syscalls_watch_ready(w, PATIENCE_S * 1000));
    for (int i = 0; i < 20; i++)
        watched_program_answers(&program);
    syscalls_watch_stop(w);
    const struct syscalls_snapshot *p = until(w, SYSCALLS_STOPPED);
    syscalls_watch_free(w);
    int with = 0, of_program = 0;
    for (uint64_t i = 0; i < p->tail.n; i++) {
        struct syscalls_event_row row;
        syscalls_snapshot_event(p, i, &row);
        with += row.e.stack != NULL;
        for (uint32_t k = 0; row.e.stack && k < row.e.stack->n; k++)
            of_program += strcmp(row.e.stack->frames[k]->function, "watched_program_start") == 0;
    }
    if (with == 0 && strstr(p->notes[0], "stack"))
        skip_because("%s", p->notes[0]);
    assert_true(with > 0);
    assert_true(of_program > 0);
    syscalls_snapshot_unref(p);
    assert_int_equal(WEXITSTATUS(watched_program_end(&program, 'q')), 7);
}

static _Atomic uint64_t ahead_ns;

static uint64_t later_clock(void *ctx)
{
    struct timespec t;
    (void)ctx;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec + ahead_ns;
}

/* A rooftop that was stopped (SIGSTOP) finds that its tracer has let go: no failure, and said. */
TEST(a_stopped_reader_is_no_failure)
{
    struct syscalls_watch *w = begin();
    ahead_ns = 0;
    env_set_clock(later_clock, NULL);
    syscalls_snapshot_unref(until(w, SYSCALLS_TRACING));
    ahead_ns = 6000000000u;
    kill(watched_program_tracer(&program), SIGKILL);
    const struct syscalls_snapshot *p = until(w, SYSCALLS_STOPPED);
    assert_non_null(strstr(p->notes[0], "rooftop was stopped for some seconds"));
    syscalls_snapshot_unref(p);
    syscalls_watch_free(w);
    env_set_clock(NULL, NULL);
    assert_int_equal(WEXITSTATUS(watched_program_end(&program, 'q')), 7);
}

TEST(a_process_that_is_gone_is_a_failure)
{
    struct error err = ERROR_INIT;
    struct syscalls_watch *w = begin();
    syscalls_watch_stop(w);
    syscalls_snapshot_unref(until(w, SYSCALLS_STOPPED));
    watched_program_end(&program, 0);
    assert_int_equal(syscalls_watch_begin(w, &program.pid, 1, false, &err), 0);
    assert_false(syscalls_watch_ready(w, PATIENCE_S * 1000));
    const struct syscalls_snapshot *p = until(w, SYSCALLS_FAILED);
    assert_true(p->why[0]);
    syscalls_snapshot_unref(p);
    syscalls_watch_free(w);
}

enum { MANY = 500 };

static void end_all(pid_t *pids, int n)
{
    for (int i = 0; i < n; i++)
        kill(pids[i], SIGKILL);
    for (int i = 0; i < n; i++)
        waitpid(pids[i], NULL, 0);
}

/* Children of the test that do nothing. */
static int start_many(pid_t *pids)
{
    int n = 0;
    for (; n < MANY && (pids[n] = fork()) >= 0; n++)
        if (pids[n] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL); /* none is left behind */
            for (;;)
                pause();
        }
    return n;
}

static int count_traced(const pid_t *pids, int n)
{
    int traced = 0;
    for (int i = 0; i < n; i++)
        traced += watched_program_tracer(&(struct watched_program){.pid = pids[i]}) != 0;
    return traced;
}

/* Named all, or found as what one of them has made: none is left out. */
TEST(all_of_many_processes_are_traced)
{
    static pid_t pids[MANY + 1];
    struct error err = ERROR_INIT;
    const char *rooftop = program_rooftop();
    if (!rooftop)
        skip_because("rooftop was not built");
    watched_program_skip();
    setenv("ROOFTOP_SELF", rooftop, 1);
    const int n = start_many(pids);
    if (n < MANY) {
        end_all(pids, n);
        skip_because("500 processes: this machine does not start as many");
    }
    struct syscalls_watch *w = syscalls_watch_new("ptrace", false);
    assert_int_equal(syscalls_watch_begin(w, pids, MANY, false, &err), 0);
    assert_true(syscalls_watch_ready(w, PATIENCE_S * 1000));
    assert_int_equal(count_traced(pids, MANY), MANY);
    syscalls_watch_stop(w);
    syscalls_snapshot_unref(until(w, SYSCALLS_STOPPED));
    assert_int_equal(count_traced(pids, MANY), 0);
    syscalls_watch_free(w);
    end_all(pids, MANY);
}

/* Reads the numbers of its children from a process that then waits. */
TEST(what_one_of_many_has_made_is_traced)
{
    static pid_t pids[MANY];
    struct error err = ERROR_INIT;
    int fds[2];
    const char *rooftop = program_rooftop();
    if (!rooftop)
        skip_because("rooftop was not built");
    watched_program_skip();
    setenv("ROOFTOP_SELF", rooftop, 1);
    assert_int_equal(pipe(fds), 0);
    const pid_t maker = fork();
    if (maker == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int n = start_many(pids);
        (void)!write(fds[1], pids, (size_t)n * sizeof *pids); /* a pipe takes them at once */
        close(fds[1]);
        for (;;)
            pause();
    }
    close(fds[1]);
    const ssize_t size = read(fds[0], pids, sizeof pids);
    close(fds[0]);
    const int n = size > 0 ? (int)((size_t)size / sizeof *pids) : 0;
    struct syscalls_watch *w = syscalls_watch_new("ptrace", false);
    assert_int_equal(syscalls_watch_begin(w, &maker, 1, false, &err), 0);
    assert_true(syscalls_watch_ready(w, PATIENCE_S * 1000));
    const int traced = count_traced(pids, n);
    syscalls_watch_free(w);
    kill(maker, SIGKILL);
    waitpid(maker, NULL, 0);
    assert_int_equal(traced, n);
}

int main(void)
{
    setenv("ASAN_OPTIONS", "detect_leaks=0", 0);
    return tests_run(NULL, NULL);
}
