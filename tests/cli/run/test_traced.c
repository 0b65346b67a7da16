/* A run under a tracer: whose time is told. (Forks: not for TSan.) */
#include <stdlib.h>
#include <string.h>

#include "cli/run/traced.h"
#include "support/skip.h"
#include "support/test.h"

struct seen {
    uint64_t first_ns, last_ns;
    unsigned calls;
};

static void look(void *ctx, const struct syscall_event *e)
{
    struct seen *s = ctx;
    s->first_ns = s->first_ns && s->first_ns < e->begin_ns ? s->first_ns : e->begin_ns;
    s->last_ns = s->last_ns > e->end_ns ? s->last_ns : e->end_ns;
    s->calls += e->kind == SYSCALL_CALL;
}

/* Loading BPF programs takes ten times as long as a short program runs: budgets are not of it. */
TEST(the_time_is_that_of_the_program)
{
    char *const argv[] = {(char *)"true", NULL};
    static const char *const names[] = {"ptrace", "bpf"};
    unsigned traced = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct error err = ERROR_INIT;
        struct seen seen = {0};
        struct traced_run run;
        const struct syscall_sink sink = {.event = look, .ctx = &seen};
        if (run_traced(argv, names[i], 0, &sink, &run, &err) != 0)
            continue; /* not here */
        traced++;
        assert_string_equal(run.by, names[i]);
        assert_string_equal(run.program, "true");
        assert_true(run.result.ended && seen.calls > 3);
        assert_int_equal(run.wall_ns, seen.last_ns - seen.first_ns);
    }
    if (!traced)
        skip_because("programs cannot be traced here");
}

int main(void)
{
    setenv("ASAN_OPTIONS", "detect_leaks=0", 0);
    return tests_run(NULL, NULL);
}
