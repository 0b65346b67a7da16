/* Programs that are hard to trace, recorded by BPF programs. Forks: not for TSan. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backends/bpf/bpf_impl.h"
#include "engine/syscalls/memory.h"
#include "support/compiled.h"
#include "support/skip.h"
#include "support/traced.h"
#include "support/traced_cases.h"
#include "support/traced_suite.h"

extern const struct tracer_ops tracer_bpf;

static void is_not_here(void **state)
{
    (void)state;
    struct tracer_state here;
    tracer_bpf.probe(&here);
    skip_because("tracing by BPF: %s; %s", here.why, here.enable);
}

/* What a ring of one page could not take is counted: no call is lost in silence. */
TEST(a_ring_that_is_too_small_says_what_it_lost)
{
    enum { CALLS = 100000 };
    static const struct tracer_setup setup = {.counts_only = true};
    struct bpf_trace *s = calloc(1, sizeof *s);
    struct traced t = {0};
    const struct syscall_sink sink = traced_sink(&t);
    int go[2], status;
    char byte;
    assert_non_null(s);
    assert_int_equal(
        bpf_trace_open(s, &setup, &sink, &t.result, (size_t)sysconf(_SC_PAGESIZE), &t.err), 0);
    assert_int_equal(pipe(go), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        if (read(go[0], &byte, 1) == 1)
            for (int i = 0; i < CALLS; i++)
                syscall(SYS_getppid);
        _exit(0);
    }
    assert_int_equal(bpf_trace_watch(s, pid, pid), 0);
    assert_int_equal(write(go[1], "", 1), 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    bpf_trace_stop(s);
    while (bpf_trace_drain(s) > 0)
        ;
    bpf_trace_tick(s);
    assert_true(t.result.lost > 0);
    /* What the task does besides may be among what was lost: its end, and calls of a sanitizer. */
    assert_in_range(t.calls[SYS_getppid] + t.result.lost, CALLS, CALLS + 50);
    bpf_trace_close(s);
    free(s);
    close(go[0]);
    close(go[1]);
}

/* Where the kernel refuses what is asked, nothing is closed that is not the trace's. */
TEST(a_refused_trace_closes_only_its_own)
{
    static const struct tracer_setup setup = {.string_limit = 32};
    struct bpf_trace *s = calloc(1, sizeof *s);
    struct traced t = {0};
    const struct syscall_sink sink = traced_sink(&t);
    int fds[2], first;
    assert_non_null(s);
    assert_int_equal(pipe(fds), 0);
    first = dup(fds[0]);
    close(first);
    assert_int_equal(dup2(fds[0], 0), 0); /* what a zeroed number would close */
    assert_int_not_equal(bpf_trace_open(s, &setup, &sink, &t.result, 3, &t.err), 0);
    assert_int_equal(t.err.kind, ERROR_UNSUPPORTED);
    bpf_trace_close(s);
    free(s);
    assert_true(fcntl(0, F_GETFD) >= 0);
    const int again = dup(fds[0]);
    assert_int_equal(again, first); /* and nothing is left open */
    close(again);
    close(fds[0]);
    close(fds[1]);
}

/* A task whose end the kernel's program did not see, as when it was added while it ended, is not
 * waited for. */
TEST(a_task_that_ended_unseen_is_not_waited_for)
{
    static const struct tracer_setup setup = {.string_limit = 32};
    struct bpf_trace *s = calloc(1, sizeof *s);
    struct traced t = {0};
    const struct syscall_sink sink = traced_sink(&t);
    siginfo_t info;
    assert_non_null(s);
    assert_int_equal(bpf_trace_open(s, &setup, &sink, &t.result, (size_t)1 << 16, &t.err), 0);
    const pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(bpf_trace_watch(s, pid, pid), 0);
    assert_int_equal(bpf_trace_watch(s, getpid(), getpid()), 0);
    bpf_trace_tick(s);
    const uint32_t self = (uint32_t)getpid();
    uint32_t first;
    assert_int_equal(kernel_map_next(s->tasks, NULL, &first), 0);
    assert_int_equal(first, self); /* who lives stays, a zombie has ended */
    assert_int_equal(kernel_map_next(s->tasks, &self, &first), -ENOENT);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(bpf_trace_watch(s, pid, pid), 0);
    bpf_trace_tick(s);
    assert_int_equal(kernel_map_next(s->tasks, &self, &first), -ENOENT);
    bpf_trace_close(s);
    free(s);
}

static int too_late(void *ctx)
{
    const struct timespec *end = ctx;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > end->tv_sec ? SIGTERM : 0;
}

/* One that has ended and is not waited for has nothing to trace: the trace ends by itself. */
TEST(a_zombie_is_not_traced_for_ever)
{
    struct timespec end;
    struct traced t = {0};
    const struct syscall_sink sink = traced_sink(&t);
    siginfo_t info;
    const pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += 60;
    const struct tracer_setup setup = {.pids = &pid,
                                       .npids = 1,
                                       .follow = true,
                                       .string_limit = 32,
                                       .stop_signal = too_late,
                                       .ctx = &end};
    assert_int_equal(tracer_bpf.run(&setup, &sink, &t.result, &t.err), -ESRCH);
    assert_string_equal(t.err.why, "it has ended already");
    assert_int_equal(too_late(&end), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* The texts of the last execve: path, first and second argument. */
static char texts[3][32];

static void keep_text(const struct syscall_event *e, uint64_t address, char out[32])
{
    size_t n = 0;
    const uint8_t *text = syscall_kept(e, address, false, &n, NULL);
    snprintf(out, 32, "%.*s", text && n < 32 ? (int)n : 0, text ? (const char *)text : "");
}

static void see_execve(void *ctx, const struct syscall_event *e)
{
    uint64_t list[2] = {0};
    size_t n = 0;
    (void)ctx;
    if (e->kind != SYSCALL_CALL || e->number != SYS_execve || e->result != 0)
        return;
    for (size_t i = 0; i < 2; i++) {
        const uint8_t *pointer = syscall_kept(e, e->args[1] + i * sizeof *list, false, &n, NULL);
        if (pointer && n >= sizeof *list)
            memcpy(&list[i], pointer, sizeof *list);
    }
    keep_text(e, e->args[0], texts[0]);
    keep_text(e, list[0], texts[1]);
    keep_text(e, list[1], texts[2]);
}

/* Strings of an execve that nobody has read yet: the kernel reads them, then the memory is gone. */
TEST(strings_that_are_not_in_memory_yet)
{
    char program[4096], file[4096];
    char *argv[] = {program, file, NULL};
    struct traced t = {0};
    const struct syscall_sink sink = {.event = see_execve};
    const struct tracer_setup setup = {.argv = argv, .follow = true, .string_limit = 32};
    compiled_new();
    compiled_write("away.c", "#include <fcntl.h>\n#include <sys/mman.h>\n#include <unistd.h>\n"
                             "int main(int c, char **v) { char *a[3] = {0};\n"
                             "char *m = mmap(0, 1 << 20, 3, 2, open(v[c - 1], O_RDONLY), 0);\n"
                             "a[0] = m + 300000; a[1] = m + 600000; return execve(m, a, 0); }\n");
    assert_true(compiled_shell("cc -o away away.c && truncate -s 1M strings && "
                               "put() { printf %s \"$2\" | dd of=strings bs=1 seek=$1 "
                               "conv=notrunc 2>/dev/null; } && "
                               "put 0 /bin/true && put 300000 zero && put 600000 one"));
    snprintf(program, sizeof program, "%s/away", compiled_dir());
    snprintf(file, sizeof file, "%s/strings", compiled_dir());
    assert_int_equal(tracer_bpf.run(&setup, &sink, &t.result, &t.err), 0);
    compiled_free();
    assert_int_equal(t.result.status, 0);
    assert_memory_equal(texts[0], "/bin/true", sizeof "/bin/true");
    assert_string_equal(texts[1], "zero");
    assert_string_equal(texts[2], "one");
}

static void on_alarm(int number)
{
    (void)number;
}

/* The verifier gives up where a signal waits: a timer, or the resizing of a window, may come then.
 */
TEST(signals_do_not_refuse_a_trace)
{
    static const struct tracer_setup setup = {.string_limit = 32};
    const struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    const struct sigaction handler = {.sa_handler = on_alarm};
    struct sigaction before;
    struct bpf_trace *s = calloc(1, sizeof *s);
    struct traced t = {0};
    const struct syscall_sink sink = traced_sink(&t);
    assert_non_null(s);
    assert_int_equal(sigaction(SIGALRM, &handler, &before), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    const int rc = bpf_trace_open(s, &setup, &sink, &t.result, (size_t)1 << 16, &t.err);
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
    if (rc != 0)
        fail_msg("%s: %s", t.err.what, t.err.why);
    bpf_trace_close(s);
    free(s);
}

int main(int argc, char **argv)
{
    const int status = traced_case(argc, argv);
    if (status >= 0)
        return status;
    /* A traced program's leaks are not looked for, as under the mechanisms that stop it. */
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    traced_with = &tracer_bpf;
    struct tracer_state here;
    tracer_bpf.probe(&here);
    if (here.works) {
        traced_suite_list(0);
    } else {
        test_list_clear();
        test_list_add("is_not_here", is_not_here, NULL, NULL);
    }
    return tests_run(NULL, NULL);
}
