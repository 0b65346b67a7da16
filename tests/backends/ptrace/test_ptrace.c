/*
 * Programs that are hard to trace, under ptrace: they behave as without it, and every call is
 * reported. Forks and stops processes: not for TSan.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/skip.h"
#include "support/traced.h"
#include "support/traced_cases.h"

extern const struct tracer_ops tracer_ptrace, tracer_seccomp;

static const struct tracer_setup followed = {.follow = true, .same_cpu = true, .string_limit = 32};
static const struct tracer_setup alone = {.same_cpu = true, .string_limit = 32};

/* Runs the case without and with the tracer; both must print the same and end alike. */
static void run_both(struct traced *t, const struct tracer_setup *setup, const char *name,
                     const char *arg)
{
    char *argv[] = {(char *)"/proc/self/exe", (char *)name, (char *)arg, NULL};
    struct traced plain;
    traced_without(&plain, argv);
    traced_run(t, &tracer_ptrace, *setup, argv);
    assert_int_equal(t->rc, 0);
    assert_true(t->result.ended);
    assert_int_equal(t->result.status, plain.result.status);
    assert_string_equal(t->out, plain.out);
    assert_int_equal(t->kinds[SYSCALL_START], t->kinds[SYSCALL_EXIT]);
    traced_free(&plain);
}

static void a_program_is_traced_from_its_execve_on(void **state)
{
    struct traced t;
    (void)state;
    run_both(&t, &followed, "one", NULL);
    assert_int_equal(t.calls[SYS_execve], 1);
    assert_int_equal(t.kinds[SYSCALL_EXEC], 1);
    assert_int_equal(t.calls[SYS_getppid], 1);
    assert_int_equal(t.unfinished[SYS_exit_group], 1);
    assert_int_equal(WEXITSTATUS(t.result.status), 5);
    assert_int_equal(t.result.lost, 0);
    traced_free(&t);
}

static void threads_are_traced_with_and_without_following(void **state)
{
    const struct tracer_setup *setups[] = {&followed, &alone};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct traced t;
        run_both(&t, setups[i], "threads", "16");
        assert_int_equal(t.calls[SYS_getppid], 1600);
        assert_int_equal(t.kinds[SYSCALL_START], 17);
        traced_free(&t);
    }
}

static void five_thousand_threads_are_traced(void **state)
{
    char *argv[] = {(char *)"/proc/self/exe", (char *)"threads", (char *)"5000", NULL};
    struct traced t, plain;
    (void)state;
    traced_without(&plain, argv);
    if (plain.result.status != 0)
        skip_because("5,000 threads: this machine does not start as many (ulimit -u, pids cgroup)");
    traced_free(&plain);
    run_both(&t, &followed, "threads", "5000");
    assert_int_equal(t.calls[SYS_getppid], 500000);
    assert_int_equal(t.kinds[SYSCALL_START], 5001);
    traced_free(&t);
}

static void children_are_traced_only_when_followed(void **state)
{
    struct traced t;
    (void)state;
    run_both(&t, &followed, "forks", "200");
    assert_int_equal(t.calls[SYS_getppid], 200);
    assert_int_equal(t.kinds[SYSCALL_START], 201);
    traced_free(&t);
    run_both(&t, &alone, "forks", "50");
    assert_int_equal(t.calls[SYS_getppid], 0);
    assert_int_equal(t.kinds[SYSCALL_START], 1);
    traced_free(&t);
}

static void a_vforked_child_is_followed_into_its_program(void **state)
{
    struct traced t;
    (void)state;
    run_both(&t, &followed, "vfork", NULL);
    assert_int_equal(t.kinds[SYSCALL_EXEC], 2);
    assert_int_equal(t.calls[SYS_getppid], 1);
    traced_free(&t);
}

static void a_thread_that_executes_becomes_the_process(void **state)
{
    struct traced t;
    (void)state;
    run_both(&t, &followed, "exec-from-thread", NULL);
    assert_int_equal(t.kinds[SYSCALL_EXEC], 2);
    assert_int_equal(t.calls[SYS_execve], 2); /* the second one's return is seen too */
    assert_int_equal(t.unfinished[SYS_execve], 0);
    assert_true(t.last_former != (uint64_t)t.first_pid);
    assert_int_equal(t.calls[SYS_getppid], 1);
    traced_free(&t);
}

static void a_hundred_programs_one_after_the_other(void **state)
{
    struct traced t;
    (void)state;
    run_both(&t, &followed, "execs", "100");
    assert_int_equal(t.kinds[SYSCALL_EXEC], 101);
    assert_int_equal(t.calls[SYS_getppid], 101);
    assert_int_equal(t.kinds[SYSCALL_START], 1);
    traced_free(&t);
}

static void ten_megabytes_of_arguments(void **state)
{
    struct traced t;
    (void)state;
    run_both(&t, &followed, "arguments", NULL);
    assert_in_range(t.exec_bytes, 1, 65536);
    traced_free(&t);
}

static void signals_arrive_and_calls_restart(void **state)
{
    struct traced t;
    (void)state;
    run_both(&t, &followed, "restart", NULL);
    assert_in_range(t.signals[SIGUSR1], 1, 50);
    assert_true(t.restarts >= 1);
    traced_free(&t);
    run_both(&t, &followed, "interrupted", NULL);
    assert_true(t.signals[SIGALRM] >= 20);
    traced_free(&t);
}

static void a_signal_that_ends_the_program_ends_it(void **state)
{
    struct traced t;
    (void)state;
    run_both(&t, &followed, "fault", NULL);
    assert_true(WIFSIGNALED(t.result.status));
    assert_int_equal(WTERMSIG(t.result.status), SIGUSR2);
    assert_int_equal(t.signals[SIGUSR2], 1);
    traced_free(&t);
}

static void a_stopped_program_stays_stopped_until_it_is_continued(void **state)
{
    struct traced t;
    (void)state;
    run_both(&t, &followed, "stopped", NULL);
    assert_string_equal(t.out, "stopped 3 exit 4\n");
    assert_int_equal(t.kinds[SYSCALL_STOP], 1);
    traced_free(&t);
    run_both(&t, &followed, "sleep-stopped", NULL);
    assert_string_equal(t.out, "sleep 0\n");
    traced_free(&t);
}

static void a_program_sees_the_cpus_that_it_would_have(void **state)
{
    struct traced t;
    (void)state;
    run_both(&t, &followed, "cpus", NULL);
    traced_free(&t);
    run_both(&t, &alone, "cpus", "real"); /* the child is not traced, so it must be free again */
    traced_free(&t);
}

static void what_cannot_be_executed_is_said(void **state)
{
    char *missing[] = {(char *)"/nonexistent/program", NULL}, *folder[] = {(char *)"/tmp", NULL},
         *name[] = {(char *)"no-such-command-here", NULL};
    char **const list[] = {missing, folder, name};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct traced t;
        traced_run(&t, &tracer_ptrace, followed, list[i]);
        assert_true(t.rc < 0);
        assert_int_equal(t.err.kind, ERROR_TARGET);
        assert_int_equal(t.err.code, i == 1 ? EACCES : ENOENT);
        traced_free(&t);
    }
}

/* --- seccomp --- */

static void a_filter_stops_at_chosen_calls_only(void **state)
{
    struct error err = ERROR_INIT;
    struct tracer_state works;
    char *argv[] = {(char *)"/proc/self/exe", (char *)"forks", (char *)"50", NULL};
    struct tracer_setup setup = followed;
    struct traced t;
    (void)state;
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

static void a_filter_without_following_is_refused(void **state)
{
    struct error why = ERROR_INIT;
    struct tracer_setup setup = alone;
    char *argv[] = {(char *)"true", NULL};
    (void)state;
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

static void a_thousand_threads_are_attached_to_and_let_go(void **state)
{
    struct guest g;
    (void)state;
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

static void a_waiting_call_does_not_notice_the_tracer(void **state)
{
    struct guest g;
    struct ender x = {.after = 0};
    (void)state;
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

static void a_stopped_process_stays_stopped_when_it_is_let_go(void **state)
{
    struct guest g;
    struct ender x = {.after = 0};
    char what = '?';
    int status;
    (void)state;
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

static void a_process_that_is_traced_already_is_said(void **state)
{
    struct guest g;
    struct ender x = {.after = 0};
    char out[2] = "";
    int p[2], q[2];
    (void)state;
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

static void a_process_that_is_not_there_is_said(void **state)
{
    struct ender x = {.after = 0};
    (void)state;
    attach(&x, 4194304 + 1, false);
    assert_int_equal(x.t.rc, -ESRCH);
    assert_int_equal(x.t.err.kind, ERROR_TARGET);
}

static void a_program_that_kills_its_tracer_dies_with_it(void **state)
{
    char *argv[] = {(char *)"/proc/self/exe", (char *)"kills-tracer", NULL};
    int p[2], status;
    char byte;
    (void)state;
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_traced_from_its_execve_on),
        cmocka_unit_test(threads_are_traced_with_and_without_following),
        cmocka_unit_test(five_thousand_threads_are_traced),
        cmocka_unit_test(children_are_traced_only_when_followed),
        cmocka_unit_test(a_vforked_child_is_followed_into_its_program),
        cmocka_unit_test(a_thread_that_executes_becomes_the_process),
        cmocka_unit_test(a_hundred_programs_one_after_the_other),
        cmocka_unit_test(ten_megabytes_of_arguments),
        cmocka_unit_test(signals_arrive_and_calls_restart),
        cmocka_unit_test(a_signal_that_ends_the_program_ends_it),
        cmocka_unit_test(a_stopped_program_stays_stopped_until_it_is_continued),
        cmocka_unit_test(a_program_sees_the_cpus_that_it_would_have),
        cmocka_unit_test(what_cannot_be_executed_is_said),
        cmocka_unit_test(a_filter_stops_at_chosen_calls_only),
        cmocka_unit_test(a_filter_without_following_is_refused),
        cmocka_unit_test(a_thousand_threads_are_attached_to_and_let_go),
        cmocka_unit_test(a_waiting_call_does_not_notice_the_tracer),
        cmocka_unit_test(a_stopped_process_stays_stopped_when_it_is_let_go),
        cmocka_unit_test(a_process_that_is_traced_already_is_said),
        cmocka_unit_test(a_process_that_is_not_there_is_said),
        cmocka_unit_test(a_program_that_kills_its_tracer_dies_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
