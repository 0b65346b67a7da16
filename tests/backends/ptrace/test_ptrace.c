/*
 * Programs that are hard to trace, under ptrace: they behave as without it, and every call is
 * reported. Forks and stops processes: not for TSan.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/skip.h"
#include "support/traced.h"
#include "support/traced_cases.h"
#include "support/traced_suite.h"

extern const struct tracer_ops tracer_ptrace, tracer_seccomp;

static const struct tracer_setup followed = {.follow = true, .same_cpu = true, .string_limit = 32};
static const struct tracer_setup alone = {.same_cpu = true, .string_limit = 32};

/* --- seccomp --- */

TEST(a_filter_stops_at_chosen_calls_only)
{
    struct error err = ERROR_INIT;
    struct tracer_state works;
    char *argv[] = {(char *)"/proc/self/exe", (char *)"forks", (char *)"50", NULL};
    struct tracer_setup setup = followed;
    struct traced t;
    tracer_seccomp.probe(&works);
    if (!works.works)
        skip_because("filters: %s", works.why);
    struct syscall_filter *filter = syscall_filter_parse("getppid,execve", &err);
    assert_non_null(filter);
    setup.calls = filter;
    traced_run(&t, &tracer_seccomp, setup, argv);
    assert_int_equal(t.rc, 0);
    assert_int_equal(t.result.status, 0);
    assert_int_equal(t.calls[SYS_getppid], 50);
    assert_int_equal(t.calls[SYS_execve], 1);
    assert_int_equal(t.kinds[SYSCALL_CALL], 51);
    assert_int_equal(t.result.calls[SYSCALL_BY_SECCOMP], 51);
    assert_int_equal(t.kinds[SYSCALL_START], 51);
    traced_free(&t);
    /* An expression that leaves only a few out, and a program that sets its CPUs. */
    syscall_filter_free(filter);
    setup.calls = filter = syscall_filter_parse("!getppid", &err);
    char *cpus[] = {(char *)"/proc/self/exe", (char *)"cpus", NULL};
    struct traced plain;
    traced_without(&plain, cpus);
    traced_run(&t, &tracer_seccomp, setup, cpus);
    assert_string_equal(t.out, plain.out);
    assert_int_equal(t.calls[SYS_getppid], 0);
    assert_int_equal(t.calls[SYS_execve], 1);
    traced_free(&t);
    traced_free(&plain);
    syscall_filter_free(filter);
}

TEST(a_filter_without_following_is_refused)
{
    struct error why = ERROR_INIT;
    struct tracer_setup setup = alone;
    char *argv[] = {(char *)"true", NULL};
    struct syscall_filter *filter = syscall_filter_parse("openat", &why);
    setup.argv = argv;
    setup.calls = filter;
    assert_false(tracer_seccomp.suits(&setup, &why));
    assert_non_null(strstr(why.why, "child processes"));
    setup.follow = true;
    assert_true(tracer_seccomp.suits(&setup, &why));
    setup.calls = NULL;
    assert_false(tracer_seccomp.suits(&setup, &why));
    syscall_filter_free(filter);
}

/* --- attaching --- */

struct guest {
    pid_t pid;
    int to, from;
};

static void expect_line(const struct guest *g, const char *line)
{
    char text[64] = "";
    size_t n = 0;
    while (n < sizeof text - 1 && read(g->from, text + n, 1) == 1 && text[n] != '\n')
        n++;
    text[n] = '\0';
    assert_string_equal(text, line);
}

static void start_guest(struct guest *g, const char *name, const char *arg)
{
    int in[2], out[2];
    assert_int_equal(pipe2(in, O_CLOEXEC) | pipe2(out, O_CLOEXEC), 0);
    g->pid = fork();
    if (g->pid == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        execl("/proc/self/exe", "guest", name, arg, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    g->to = in[1];
    g->from = out[0];
    expect_line(g, "ready");
}

static int end_guest(const struct guest *g)
{
    int status = -1;
    close(g->to);
    assert_int_equal(waitpid(g->pid, &status, 0), g->pid);
    close(g->from);
    return status;
}

/* Ends the tracing once this many getppid calls were seen. */
struct ender {
    struct traced t;
    uint32_t after;
};

static int stop_after(void *ctx)
{
    const struct ender *x = ctx;
    return x->t.calls[SYS_getppid] >= x->after ? SIGINT : 0;
}

static long status_of(pid_t pid, const char *name, char *state)
{
    char path[64], line[256];
    long found = -1;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, "State:", 6) == 0 && state)
            *state = line[7];
        if (strncmp(line, name, strlen(name)) == 0)
            found = strtol(line + strlen(name) + 1, NULL, 10);
    }
    fclose(f);
    return found;
}

static void attach(struct ender *x, pid_t pid, bool same_cpu)
{
    const struct tracer_setup setup = {.pids = &pid,
                                       .npids = 1,
                                       .same_cpu = same_cpu,
                                       .string_limit = 32,
                                       .stop_signal = stop_after,
                                       .ctx = x};
    const struct syscall_sink sink = traced_sink(&x->t);
    x->t.rc = tracer_ptrace.run(&setup, &sink, &x->t.result, &x->t.err);
}

TEST(a_thousand_threads_are_attached_to_and_let_go)
{
    struct guest g;
    start_guest(&g, "crowd", "1000");
    for (int round = 0; round < 3; round++) {
        struct ender x = {.after = 3000};
        attach(&x, g.pid, round == 2);
        assert_int_equal(x.t.rc, 0);
        assert_false(x.t.result.ended);
        assert_int_equal(x.t.kinds[SYSCALL_START], 1001);
        assert_int_equal(x.t.kinds[SYSCALL_EXIT], 1001);
        assert_int_equal(status_of(g.pid, "TracerPid:", NULL), 0);
        assert_int_equal(write(g.to, "?", 1), 1);
        expect_line(&g, "alive"); /* every thread has gone on */
    }
    const int status = end_guest(&g);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
}

TEST(a_waiting_call_does_not_notice_the_tracer)
{
    struct guest g;
    struct ender x = {.after = 0};
#if !defined(__x86_64__)
    skip_because("epoll_wait under an attached tracer: only x86-64 lets a tracer undo EINTR");
#endif
    start_guest(&g, "waits", NULL);
    for (int i = 0; i < 20; i++)
        attach(&x, g.pid, false);
    assert_int_equal(x.t.rc, 0);
    assert_int_equal(write(g.to, "x", 1), 1);
    expect_line(&g, "1 fine");
    end_guest(&g);
}

TEST(a_stopped_process_stays_stopped_when_it_is_let_go)
{
    struct guest g;
    struct ender x = {.after = 0};
    char what = '?';
    int status;
    start_guest(&g, "crowd", "2");
    kill(g.pid, SIGSTOP);
    assert_int_equal(waitpid(g.pid, &status, WUNTRACED), g.pid);
    attach(&x, g.pid, false);
    assert_int_equal(x.t.rc, 0);
    while (what != 'T') /* it stops again by itself; the test hangs if it does not */
        assert_int_equal(status_of(g.pid, "TracerPid:", &what), 0);
    kill(g.pid, SIGCONT);
    assert_int_equal(write(g.to, "?", 1), 1);
    expect_line(&g, "alive");
    end_guest(&g);
}

TEST(a_process_that_is_traced_already_is_said)
{
    struct guest g;
    struct ender x = {.after = 0};
    char out[2] = "";
    int p[2], q[2];
    start_guest(&g, "crowd", "1");
    assert_int_equal(pipe2(p, O_CLOEXEC) | pipe2(q, O_CLOEXEC), 0);
    const pid_t other = fork();
    if (other == 0) {
        close(q[1]);
        ptrace(PTRACE_SEIZE, g.pid, 0, 0);
        if (write(p[1], "x", 1) == 1 && read(q[0], out, 1) < 0)
            _exit(1);
        _exit(0);
    }
    assert_int_equal(read(p[0], out, 1), 1);
    attach(&x, g.pid, false);
    assert_int_equal(x.t.rc, -EPERM);
    assert_int_equal(x.t.err.kind, ERROR_TARGET);
    assert_non_null(strstr(x.t.err.why, "traces it already"));
    close(q[1]);
    waitpid(other, NULL, 0);
    close(p[0]);
    close(p[1]);
    close(q[0]);
    end_guest(&g);
}

TEST(a_process_that_is_not_there_is_said)
{
    struct ender x = {.after = 0};
    attach(&x, 4194304 + 1, false);
    assert_int_equal(x.t.rc, -ESRCH);
    assert_int_equal(x.t.err.kind, ERROR_TARGET);
}

TEST(a_program_that_kills_its_tracer_dies_with_it)
{
    char *argv[] = {(char *)"/proc/self/exe", (char *)"kills-tracer", NULL};
    int p[2], status;
    char byte;
    assert_int_equal(pipe(p), 0); /* inherited by the program: its end is the end of the pipe */
    const pid_t tracer = fork();
    if (tracer == 0) {
        struct traced t;
        traced_run(&t, &tracer_ptrace, followed, argv);
        _exit(0);
    }
    close(p[1]);
    assert_int_equal(waitpid(tracer, &status, 0), tracer);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(read(p[0], &byte, 1), 0);
    close(p[0]);
}

int main(int argc, char **argv)
{
    const int status = traced_case(argc, argv);
    if (status >= 0)
        return status;
    /* A traced program cannot look for its leaks, for which it would trace itself. Ours are looked
     * for: this was read already. */
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    traced_with = &tracer_ptrace;
    traced_suite_list(0);
    return tests_run(NULL, NULL);
}
