/* Programs that check themselves: what ends a run, and what it may take. (Forks: not for TSan.) */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/env.h"
#include "engine/judge/sandbox.h"
#include "engine/judge/program.h"
#include "support/compiled.h"
#include "support/skip.h"
#include "support/test.h"

static const struct program_limits roomy = {
    .seconds = 600, .memory = UINT64_C(64) << 30, .output = 1 << 20};

static void expect(const char *command, const struct program_limits *limits, int rc,
                   enum judge_guard guard, const char *words)
{
    struct judge_refusal r = {.guard = JUDGE_NO_GUARD};
    struct error err = ERROR_INIT;
    struct program_took took;
    const int got = sandboxes.run_program(command, limits, &took, &r, &err);
    if (got != rc || (rc == 1 && (r.guard != guard || !strstr(r.evidence, words))))
        fail_msg("%s: %d, %s: %s", command, got, judge_guard_name(r.guard), r.evidence);
}

TEST(ends_are_told_apart)
{
    expect("true", &roomy, 0, JUDGE_NO_GUARD, "");
    expect("exec >&- 2>&-; sleep 0.1", &roomy, 0, JUDGE_NO_GUARD, "");
    expect("echo sum is 3; exit 5", &roomy, 1, GUARD_OUTPUT, "status 5: sum is 3");
    expect("kill -9 $$", &roomy, 1, GUARD_CRASH, "signal 9");
    expect("/nonesuch", &roomy, 1, GUARD_BUILD, "nonesuch");
    expect("printf 'a\\033[2Jb\\0c'; false", &roomy, 1, GUARD_OUTPUT, "a [2Jb c");
}

/* A process that leaves its group, session and output belongs to the run. */
TEST(all_processes_belong_to_it)
{
    struct judge_refusal r;
    struct error err = ERROR_INIT;
    struct program_took took = {0};
    assert_int_equal(
        sandboxes.run_program("setsid sleep 0.3 >/dev/null 2>&1 &", &roomy, &took, &r, &err), 0);
    assert_true(took.elapsed_ns >= 290000000);
}

/* CPU time is that of all processes, of those that nobody waited for, too; waiting is not in it. (A
 * shell's counting takes much longer than 1 us, whatever the machine does.) */
TEST(cpu_time_is_of_all_processes)
{
    static const char count[] = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
    struct judge_refusal r;
    struct error err = ERROR_INIT;
    struct program_took waiting, working;
    char line[256];
    assert_int_equal(sandboxes.run_program("sleep 1", &roomy, &waiting, &r, &err), 0);
    assert_true(waiting.elapsed_ns >= 990000000 && waiting.cpu_ns < waiting.elapsed_ns);
    snprintf(line, sizeof line, "setsid sh -c '%s' >/dev/null 2>&1 &", count);
    assert_int_equal(sandboxes.run_program(line, &roomy, &working, &r, &err), 0);
    assert_true(working.cpu_ns >= 20000 * UINT64_C(50));
}

/* A process whose parent ignores SIGCHLD is waited for by nobody, and wait4 does not tell its time.
 */
TEST(cpu_time_is_of_whom_nobody_waits_for)
{
    static const char text[] =
        "#include <signal.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"
        "int main(void)\n{\n    signal(SIGCHLD, SIG_IGN);\n    if (fork() == 0)\n"
        "        for (volatile int i = 0; i < 100000000; i++)\n            ;\n"
        "    else\n        wait(0);\n    return 0;\n}\n";
    char line[256];
    struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
                                .size = sizeof a,
                                .config = PERF_COUNT_SW_TASK_CLOCK,
                                .exclude_kernel = 1,
                                .exclude_hv = 1};
    struct judge_refusal r;
    struct error err = ERROR_INIT;
    struct program_took ignored;
    const int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        skip_because("the kernel refuses perf_event_open");
    close(fd);
    compiled_new();
    compiled_write("parent.c", text);
    if (!compiled_shell("cc -o parent parent.c")) {
        compiled_free();
        skip_because("there is no C compiler");
    }
    snprintf(line, sizeof line, "%.200s", compiled_path("parent"));
    assert_int_equal(sandboxes.run_program(line, &roomy, &ignored, &r, &err), 0);
    compiled_free();
    assert_true(ignored.cpu_ns > 100000000 / 10); /* ten additions in a nanosecond: no CPU does */
}

TEST(there_are_limits)
{
    const struct program_limits little_time = {
        .seconds = 0.2, .memory = roomy.memory, .output = roomy.output};
    const struct program_limits little_memory = {
        .seconds = 600, .memory = 64 << 20, .output = roomy.output};
    const uint64_t began = env_now_ns();
    expect("setsid sleep 1000 & sleep 1000", &little_time, 1, GUARD_TIME, "after 0.2 s");
    assert_true(env_now_ns() - began < UINT64_C(900000000000)); /* both have ended */
    expect("while :; do echo 0123456789; done", &roomy, 1, GUARD_LIMITS, "more than 1 MiB");
    expect("dd if=/dev/zero of=/dev/null bs=128M count=1", &little_memory, 1, GUARD_OUTPUT,
           "status 1");
}
