/*
 * Programs that are hard to trace, under the recorder: they behave as without it, and every call is
 * reported. Forks and stops processes: not for TSan.
 */
#include <stdlib.h>

#include "support/recorder_library.h"
#include "support/skip.h"
#include "support/traced_cases.h"
#include "support/traced_suite.h"

extern const struct tracer_ops tracer_inject;

static struct tracer_state here;

static void is_not_here(void **state)
{
    (void)state;
    skip_because("the recorder: %s", here.why);
}

int main(int argc, char **argv)
{
    const int status = traced_case(argc, argv);
    if (status >= 0)
        return status;
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    recorder_library_use();
    traced_with = &tracer_inject;
    tracer_inject.probe(&here);
    if (here.works)
        traced_suite_list(TRACED_HOSTILE);
    else
        test_list_add("is_not_here", is_not_here, NULL, NULL);
    return tests_run(NULL, NULL);
}
