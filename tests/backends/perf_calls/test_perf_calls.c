/* Programs that are hard to trace, recorded by perf's tracepoints. Forks: not for TSan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

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

int main(int argc, char **argv)
{
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
