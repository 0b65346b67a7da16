/*
 * A timer interrupts whatever rooftop waits in, every 200 us: each mechanism traces as without it.
 * (Forks: not for TSan.)
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/syscalls/tracer.h"
#include "support/recorder_library.h"
#include "support/skip.h"
#include "support/test.h"
#include "support/traced.h"

enum { PERIOD_US = 200, PROGRAMS = 20, TICKS = 3 };

static volatile sig_atomic_t interrupted;

static void on_alarm(int signo)
{
    (void)signo;
    interrupted++;
}

static void set_timer(bool on)
{
    const struct sigaction handler = {.sa_handler = on_alarm}; /* calls are not restarted */
    const struct itimerval often = {{0, PERIOD_US}, {0, PERIOD_US}}, never = {{0, 0}, {0, 0}};
    interrupted = on ? 0 : interrupted;
    assert_int_equal(sigaction(SIGALRM, &handler, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, on ? &often : &never, NULL), 0);
}

static const struct tracer_ops *needed(const char *name, const struct tracer_setup *setup)
{
    struct tracer_state here = {0};
    struct error why = ERROR_INIT;
    for (size_t i = 0; tracers[i]; i++) {
        if (strcmp(tracers[i]->name, name) != 0)
            continue;
        tracers[i]->probe(&here);
        if (here.works && tracers[i]->suits(setup, &why))
            return tracers[i];
    }
    skip_because("tracing by %s: %s", name, here.works ? why.why : here.why);
    return NULL;
}

/* --- commands --- */

static void traces_a_command(const char *name)
{
    static char script[] = "i=0; while [ $i -lt 20 ]; do /bin/true; i=$((i+1)); done; exit 7";
    char *argv[] = {(char *)"sh", (char *)"-c", script, NULL};
    struct error err = ERROR_INIT;
    struct syscall_filter *calls =
        strcmp(name, "seccomp") == 0 ? syscall_filter_parse("execve", &err) : NULL;
    struct traced t;
    const struct tracer_setup setup = {.argv = argv,
                                       .follow = true,
                                       .inject = true,
                                       .string_limit = 32,
                                       .stack_depth = 4,
                                       .calls = calls};
    const struct tracer_ops *ops = needed(name, &setup);
    set_timer(true);
    traced_run(&t, ops, setup, argv);
    set_timer(false);
    if (t.rc != 0)
        fail_msg("%s: %s: %s", name, t.err.what, t.err.why);
    assert_true(interrupted > 0);
    assert_true(t.result.ended && WIFEXITED(t.result.status));
    assert_int_equal(WEXITSTATUS(t.result.status), 7);
    if (t.result.lost == 0)
        assert_int_equal(t.kinds[SYSCALL_EXEC], PROGRAMS + 1);
    traced_free(&t);
    syscall_filter_free(calls);
}

#define COMMAND(name)                                                                              \
    TEST(name##_traces_a_command)                                                                  \
    {                                                                                              \
        traces_a_command(#name);                                                                   \
    }
COMMAND(inject)
COMMAND(bpf)
COMMAND(seccomp)
COMMAND(ptrace)
COMMAND(perf)

/* --- processes that execute one program after the other while they are attached to --- */

struct attached {
    struct traced t;
    int ticks;
};

static void on_event(void *ctx, const struct syscall_event *e)
{
    struct attached *a = ctx;
    const struct syscall_sink all = traced_sink(&a->t);
    all.event(all.ctx, e);
}

static void on_tick(void *ctx)
{
    struct attached *a = ctx;
    a->ticks++;
}

static int when_seen(void *ctx)
{
    const struct attached *a = ctx;
    return a->ticks >= TICKS && a->t.kinds[SYSCALL_EXEC] > 0 ? SIGINT : 0;
}

static void attaches(const char *name)
{
    struct tracer_setup setup = {.npids = 1,
                                 .follow = true,
                                 .counts_only = true,
                                 .string_limit = 32,
                                 .stop_signal = when_seen};
    const struct tracer_ops *ops = needed(name, &setup);
    struct attached *a = setup.ctx = calloc(1, sizeof *a);
    assert_non_null(a);
    const pid_t pid = fork();
    if (pid == 0) {
        setenv("AGAIN", "exec sh -c \"$AGAIN\"", 1);
        execlp("sh", "sh", "-c", "exec sh -c \"$AGAIN\"", NULL);
        _exit(1);
    }
    assert_true(pid > 0);
    setup.pids = &pid;
    const struct syscall_sink sink = {.event = on_event, .ctx = a, .tick = on_tick};
    set_timer(true);
    const int rc = ops->run(&setup, &sink, &a->t.result, &a->t.err);
    set_timer(false);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    if (rc != 0)
        fail_msg("%s: %s: %s", name, a->t.err.what, a->t.err.why);
    assert_true(interrupted > 0 && a->t.kinds[SYSCALL_EXEC] > 0);
    traced_free(&a->t);
    free(a);
}

#define ATTACH(name)                                                                               \
    TEST(name##_attaches)                                                                          \
    {                                                                                              \
        attaches(#name);                                                                           \
    }
ATTACH(bpf)
ATTACH(ptrace)
ATTACH(perf)

int main(void)
{
    setenv("ASAN_OPTIONS", "detect_leaks=0", 0);
    recorder_library_use();
    return tests_run(NULL, NULL);
}
