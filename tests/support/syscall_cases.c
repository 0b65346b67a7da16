#include "support/syscall_cases_impl.h"

#include <stdio.h>

static void run(const struct syscall_case *c)
{
    char marker[64];
    for (; c->name; c++) {
        snprintf(marker, sizeof marker, "/case/%s", c->name);
        S(chdir, marker);
        c->run();
    }
}

int syscall_cases_run(void)
{
    S(close_range, 3, -1, 0);
    run(syscall_cases_files);
    run(syscall_cases_processes);
    run(syscall_cases_details);
    S(chdir, "/case/end");
    return 7;
}
