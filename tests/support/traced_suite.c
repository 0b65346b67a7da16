#include "support/traced_suite.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "support/skip.h"
#include "support/traced.h"

const struct tracer_ops *traced_with;

static const struct tracer_setup followed = {.follow = true, .same_cpu = true, .string_limit = 32};
static const struct tracer_setup alone = {.same_cpu = true, .string_limit = 32};

/* Runs the case without and with the tracer; both must print the same and end alike. */
static void run_both(struct traced *t, const struct tracer_setup *setup, const char *name,
                     const char *arg)
{
    char *argv[] = {(char *)"/proc/self/exe", (char *)name, (char *)arg, NULL};
    struct traced plain;
    traced_without(&plain, argv);
    traced_run(t, traced_with, *setup, argv);
    assert_int_equal(t->rc, 0);
    assert_true(t->result.ended);
    assert_int_equal(t->result.status, plain.result.status);
    assert_string_equal(t->out, plain.out);
    traced_free(&plain);
    if (t->result.lost) {
        const unsigned long long lost = t->result.lost;
        traced_free(t);
        skip_because("all calls are reported: %llu were lost, as was said; the machine is too busy",
                     lost);
    }
    assert_int_equal(t->kinds[SYSCALL_START], t->kinds[SYSCALL_EXIT]);
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
        traced_run(&t, traced_with, followed, list[i]);
        assert_true(t.rc < 0);
        assert_int_equal(t.err.kind, ERROR_TARGET);
        assert_int_equal(t.err.code, i == 1 ? EACCES : ENOENT);
        traced_free(&t);
    }
}

/* Forks while its maker executes programs, thousands of exits at once, namespaces, storms of stops
 * and timers, files that are gone: what each prints and its status are those of the untraced run,
 * and each call and task is reported. */
static void hostile_programs_behave_as_without_it(void **state)
{
    static const struct {
        const char *name, *arg;
        uint32_t marks, tasks; /* calls of getppid; 0 tasks: as many as ran */
    } list[] = {{"fork-while-exec", "10", 50, 52},
                {"exits-at-once", "2000", 2000, 2001},
                {"group-exit", "100", 10, 0},
                {"traces-child", NULL, 3, 2},
                {"not-dumpable", NULL, 12, 2},
                {"closes-all", NULL, 8, 2},
                {"namespace", "user", 4, 3},
                {"unshares", NULL, 6, 2},
                {"stop-storm", "200", 2000, 2},
                {"vfork-fails", NULL, 40, 41},
                {"deleted", NULL, 6, 2},
                {"memfd", NULL, 9, 1},
                {"timer-storm", NULL, 10, 1},
                {"script", "4096", 0, 2},
                {"script", "100", 1, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct traced t;
        run_both(&t, &followed, list[i].name, list[i].arg);
        const bool possible = WEXITSTATUS(t.result.status) != 77;
        if (possible && strcmp(list[i].name, "script") != 0 &&
            t.calls[SYS_getppid] != list[i].marks)
            fail_msg("%s: %u marks, not %u", list[i].name, t.calls[SYS_getppid], list[i].marks);
        if (possible && list[i].tasks && t.kinds[SYSCALL_START] != list[i].tasks)
            fail_msg("%s: %u tasks, not %u", list[i].name, t.kinds[SYSCALL_START], list[i].tasks);
        traced_free(&t);
    }
}

static void a_number_comes_again(void **state)
{
    struct traced t;
    (void)state;
    run_both(&t, &followed, "same-number", NULL);
    const bool possible = WEXITSTATUS(t.result.status) != 77;
    const uint32_t marks = t.calls[SYS_getppid], processes = t.processes;
    traced_free(&t);
    if (!possible)
        skip_because("a process number that is chosen: needs a right (CAP_CHECKPOINT_RESTORE)");
    assert_int_equal(marks, 6);
    assert_int_equal(processes, 5);
}

const struct CMUnitTest traced_suite[TRACED_SUITE] = {
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
    cmocka_unit_test(hostile_programs_behave_as_without_it),
    cmocka_unit_test(a_number_comes_again),
};
