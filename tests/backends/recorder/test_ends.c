/*
 * How children end, under the recorder: nothing that a process killed by a signal writes itself
 * says so. Forks: not for TSan.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/syscalls/memory.h"
#include "engine/syscalls/tracer.h"
#include "support/compiled.h"
#include "support/recorder_library.h"
#include "support/test.h"

extern const struct tracer_ops tracer_inject;

enum { MOST = 16 };

/* Ends of processes, in their order. */
static int statuses[MOST];
static size_t n;

static void see(void *ctx, const struct syscall_event *e)
{
    (void)ctx;
    if (e->kind == SYSCALL_EXIT && e->pid == e->tid && n < MOST)
        statuses[n++] = (int)e->result;
}

static int trace(char **argv)
{
    struct tracer_result result = {0};
    const struct syscall_sink sink = {.event = see};
    const struct tracer_setup setup = {
        .argv = argv, .follow = true, .same_cpu = true, .inject = true, .string_limit = 32};
    struct error err = ERROR_INIT;
    n = 0;
    if (tracer_inject.run(&setup, &sink, &result, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    assert_true(result.ended);
    return result.status;
}

/* A shell waits by wait4. */
TEST(test_children_of_a_shell)
{
    enum { KILL = 9, SYS = 31, TERM = 15, CORE = 0x80 };
    char line[] = "ulimit -c 0; sh -c 'kill -9 $$'; sh -c 'kill -SYS $$'; sh -c 'kill -TERM $$'; "
                  "sh -c 'exit 3'; exit 4";
    char *argv[] = {(char *)"sh", (char *)"-c", line, NULL}; /* NOLINT: execve's type */
    recorder_library_needed();
    assert_int_equal(WEXITSTATUS(trace(argv)), 4);
    assert_int_equal(n, 5);
    assert_int_equal(statuses[0], KILL);
    assert_int_equal(statuses[1] & ~CORE, SYS);
    assert_int_equal(statuses[2], TERM);
    assert_int_equal(statuses[3], 3 << 8);
    assert_int_equal(statuses[4], 4 << 8);
}

/* One is waited for by waitid; one is still there, dead, when its maker ends. */
TEST(test_other_waits)
{
    char program[4096];
    char *argv[] = {program, NULL};
    recorder_library_needed();
    compiled_write("ends.c",
                   "#include <signal.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"
                   "int main(void) { siginfo_t i; pid_t p = fork(); if (p == 0) raise(SIGKILL);\n"
                   "waitid(P_PID, p, &i, WEXITED); if (fork() == 0) raise(SIGTERM);\n"
                   "waitid(P_ALL, 0, &i, WEXITED | WNOWAIT); return 0; }\n");
    assert_true(compiled_shell("cc -o ends ends.c"));
    snprintf(program, sizeof program, "%s/ends", compiled_dir());
    assert_int_equal(trace(argv), 0);
    assert_int_equal(n, 3);
    assert_int_equal(statuses[0], 9);
    assert_int_equal(statuses[1] + statuses[2], 15);
}

FIXTURE_STATUS(begin)
{
    compiled_new();
    return setenv("XDG_STATE_HOME", compiled_path("state"), 1);
}

FIXTURE(end)
{
    compiled_free();
}

int main(void)
{
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* of the programs that it starts */
    return tests_run(begin, end);
}
