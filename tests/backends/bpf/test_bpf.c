/* Programs that are hard to trace, recorded by BPF programs. Forks: not for TSan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/skip.h"
#include "support/traced.h"
#include "support/traced_cases.h"
#include "support/traced_suite.h"

extern const struct tracer_ops tracer_bpf;

static void is_not_here(void **state)
{
    struct tracer_state here;
    (void)state;
    tracer_bpf.probe(&here);
    skip_because("tracing by BPF: %s; %s", here.why, here.enable);
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
    const struct CMUnitTest none[] = {cmocka_unit_test(is_not_here)};
    tracer_bpf.probe(&here);
    if (!here.works)
        return cmocka_run_group_tests(none, NULL, NULL);
    const struct CMUnitTest tests[] = {
        TRACED_SUITE,
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
