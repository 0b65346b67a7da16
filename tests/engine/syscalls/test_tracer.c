/* Which mechanism traces, and what happens where the kernel refuses it. (Forks: not for TSan.) */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "engine/syscalls/stacks.h"
#include "engine/syscalls/tracer.h"
#include "support/skip.h"
#include "support/test.h"

static char *const argv_true[] = {(char *)"true", NULL};

static bool works(const char *name)
{
    struct tracer_state state = {0};
    for (size_t i = 0; tracers[i]; i++)
        if (strcmp(tracers[i]->name, name) == 0)
            tracers[i]->probe(&state);
    return state.works;
}

static const char *chosen(const struct tracer_setup *setup, const char *calls)
{
    struct error err = ERROR_INIT;
    struct tracer_setup s = *setup;
    struct syscall_filter *filter = calls ? syscall_filter_parse(calls, &err) : NULL;
    s.calls = filter;
    const struct tracer_ops *ops = tracer_choose(&s, NULL, &err);
    syscall_filter_free(filter);
    return ops ? ops->name : "none";
}

static const struct tracer_setup plain = {
    .argv = argv_true, .follow = true, .string_limit = 32, .stack_depth = 4};

TEST(the_best_that_works_is_used)
{
    if (!works("ptrace"))
        skip_because("programs cannot be traced here");
    assert_string_equal(chosen(&plain, NULL), works("bpf") ? "bpf" : "ptrace");
    struct tracer_setup large = plain;
    large.string_limit = 60000;
    assert_string_equal(chosen(&large, NULL), works("bpf") ? "bpf" : "ptrace");
}

/* A filter of the kernel costs other calls less than a program that asks for each of them. */
TEST(seccomp_is_used_where_rare_calls_are_wanted)
{
    if (!works("ptrace") || !works("seccomp"))
        skip_because("programs cannot be traced by seccomp here");
    assert_string_equal(chosen(&plain, "openat,execve"), "seccomp");
    assert_string_equal(chosen(&plain, "openat,read"), works("bpf") ? "bpf" : "seccomp");
    assert_string_equal(chosen(&plain, "!openat"), works("bpf") ? "bpf" : "seccomp");
    struct tracer_setup alone = plain;
    alone.follow = false;
    assert_string_equal(chosen(&alone, "openat"), works("bpf") ? "bpf" : "ptrace");
}

TEST(stacks_need_a_program_that_stops)
{
    if (!works("ptrace"))
        skip_because("programs cannot be traced here");
    struct tracer_setup setup = plain;
    struct syscall_stacks *stacks = syscall_stacks_new(1 << 16);
    setup.stacks = stacks;
    assert_string_equal(chosen(&setup, NULL), "ptrace");
    syscall_stacks_free(stacks);
}

static int refused(const struct tracer_setup *setup, const struct syscall_sink *sink,
                   struct tracer_result *result, struct error *err)
{
    (void)setup;
    (void)sink;
    (void)result;
    return error_set(err, ERROR_UNSUPPORTED, EINVAL, NULL, "sys_enter", "the verifier is older");
}

static const struct tracer_ops young = {.name = "young", .run = refused};

static void count(void *ctx, const struct syscall_event *e)
{
    (void)e;
    ++*(unsigned *)ctx;
}

TEST(what_the_kernel_refuses_is_replaced)
{
    unsigned events = 0;
    struct error err = ERROR_INIT;
    struct tracer_result result = {0};
    const struct syscall_sink sink = {.event = count, .ctx = &events};
    if (!works("ptrace"))
        skip_because("programs cannot be traced here");
    if (tracer_run(&young, &plain, NULL, &sink, &result, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    assert_true(result.ended);
    assert_int_equal(result.status, 0);
    assert_true(events > 3);
    if (!strstr(result.notes[0], "is used, not young: the verifier is older"))
        fail_msg("the note is \"%s\"", result.notes[0]);
}

TEST(what_was_asked_for_is_not_replaced)
{
    unsigned events = 0;
    struct error err = ERROR_INIT;
    struct tracer_result result = {0};
    const struct syscall_sink sink = {.event = count, .ctx = &events};
    assert_int_not_equal(tracer_run(&young, &plain, "young", &sink, &result, &err), 0);
    assert_int_equal(err.kind, ERROR_UNSUPPORTED);
    assert_int_equal(events, 0);
}

int main(void)
{
    setenv("ASAN_OPTIONS", "detect_leaks=0", 0);
    return tests_run(NULL, NULL);
}
