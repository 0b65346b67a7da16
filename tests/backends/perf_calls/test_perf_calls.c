/* Programs that are hard to trace, recorded by perf's tracepoints. Forks: not for TSan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/skip.h"
#include "support/traced.h"
#include "support/traced_cases.h"
#include "support/traced_suite.h"

extern const struct tracer_ops tracer_perf;

static void is_not_here(void **state)
{
    struct tracer_state here;
    (void)state;
    tracer_perf.probe(&here);
    skip_because("tracing by perf: %s; %s", here.why, here.enable);
}

/* The kernel leaves out the others, and nothing of the program's memory is told. */
static void only_wanted_calls_and_numbers_are_told(void **state)
{
    char *argv[] = {(char *)"/proc/self/exe", (char *)"forks", (char *)"20", NULL};
    struct error err = ERROR_INIT;
    struct traced t;
    (void)state;
    struct syscall_filter *calls = syscall_filter_parse("getppid,write", &err);
    assert_non_null(calls);
    const struct tracer_setup setup = {.follow = true, .string_limit = 32, .calls = calls};
    traced_run(&t, traced_with, setup, argv);
    assert_int_equal(t.rc, 0);
    assert_int_equal(t.calls[SYS_getppid], 20);
    assert_int_equal(t.kinds[SYSCALL_CALL], 20 + t.calls[SYS_write]);
    assert_int_equal(t.result.lost, 0);
    assert_non_null(strstr(t.result.notes[0], "arguments are numbers"));
    traced_free(&t);
    syscall_filter_free(calls);
}

enum { REFUSED = 7 };

/* A program whose filter answers getuid; its entry passes no tracepoint then. */
static int run_refused(void)
{
    struct sock_filter list[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getuid, 0, 1),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 13),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog filter = {sizeof list / sizeof *list, list};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        return 77;
    for (int i = 0; i < REFUSED; i++)
        if (syscall(SYS_getuid) != -1)
            return 1;
    return 0;
}

static int64_t refused[REFUSED + 1];
static size_t nrefused;

static void keep_refused(void *ctx, const struct syscall_event *e)
{
    (void)ctx;
    if (e->kind == SYSCALL_CALL && e->number == SYS_getuid && nrefused <= REFUSED)
        refused[nrefused++] = e->result;
}

static void calls_that_a_filter_answers_are_told(void **state)
{
    char *argv[] = {(char *)"/proc/self/exe", (char *)"refused", NULL};
    const struct tracer_setup setup = {.argv = argv, .follow = true, .string_limit = 32};
    const struct syscall_sink sink = {.event = keep_refused};
    struct tracer_result result;
    struct error err = ERROR_INIT;
    (void)state;
    assert_int_equal(tracer_perf.run(&setup, &sink, &result, &err), 0);
    if (result.status == 77 << 8)
        skip_because("seccomp filters are not allowed here");
    assert_int_equal(result.status, 0);
    assert_int_equal(nrefused, REFUSED);
    for (size_t i = 0; i < REFUSED; i++)
        assert_int_equal(refused[i], -13);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "refused") == 0)
        return run_refused();
    const int status = traced_case(argc, argv);
    if (status >= 0)
        return status;
    /* A traced program's leaks are not looked for, as under the mechanisms that stop it. */
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    traced_with = &tracer_perf;
    struct tracer_state here;
    const struct CMUnitTest none[] = {cmocka_unit_test(is_not_here)};
    tracer_perf.probe(&here);
    if (!here.works)
        return cmocka_run_group_tests(none, NULL, NULL);
    const struct CMUnitTest tests[] = {
        TRACED_SUITE,
        cmocka_unit_test(only_wanted_calls_and_numbers_are_told),
        cmocka_unit_test(calls_that_a_filter_answers_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
