/* Operations of io_uring, as the kernel's tracepoints tell them. Forks: not for TSan. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/bpf/bpf_impl.h"
#include "engine/syscalls/calls.h"
#include "support/skip.h"
#include "support/traced.h"
#include "support/uring_program.h"
#include "support/test.h"

extern const struct tracer_ops tracer_ptrace, tracer_seccomp, tracer_bpf;

static void need_io_uring(void)
{
    if (!uring_works())
        skip_because("the kernel forbids io_uring (kernel.io_uring_disabled, or a container)");
}

static void need(const struct tracer_ops *ops)
{
    struct tracer_state here;
    need_io_uring();
    ops->probe(&here);
    if (!here.works)
        skip_because("tracing by %s: %s; %s", ops->name, here.why, here.enable);
}

/* It has the tracepoints; the file system that lists them may be at either place. */
static bool kernel_tells_operations(void)
{
    return access("/sys/kernel/tracing/events/io_uring/io_uring_complete", F_OK) == 0 ||
           access("/sys/kernel/debug/tracing/events/io_uring/io_uring_complete", F_OK) == 0;
}

struct sums {
    struct {
        int n;
        long sum;
        uint64_t least, most; /* user_data */
    } of[64];
    int others, backwards;
};

static void add_event(void *ctx, const struct syscall_event *e)
{
    struct sums *s = ctx;
    if (e->kind != SYSCALL_CALL)
        return;
    if (e->abi != SYSCALL_URING || e->number >= 64) {
        s->others++;
        return;
    }
    s->backwards += e->end_ns < e->begin_ns;
    s->of[e->number].n++;
    s->of[e->number].sum += e->result;
    if (!s->of[e->number].least || e->args[0] < s->of[e->number].least)
        s->of[e->number].least = e->args[0];
    if (e->args[0] > s->of[e->number].most)
        s->of[e->number].most = e->args[0];
}

/* What the completions told the program is what the trace tells. */
static void are_as_the_program_saw_them(const struct tracer_ops *ops, const char *how)
{
    char *argv[] = {(char *)"/proc/self/exe", (char *)"uring", (char *)how, NULL};
    struct tracer_setup setup = {.follow = true, .string_limit = 32};
    struct tracer_result result;
    struct error err = ERROR_INIT;
    struct sums s = {0};
    need(ops);
    if (!kernel_tells_operations())
        skip_because("this kernel has no tracepoints of io_uring");
    setup.argv = argv;
    struct syscall_sink sink = {.event = add_event, .ctx = &s};
    if (ops->run(&setup, &sink, &result, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    assert_true(result.sees_operations);
    assert_int_equal(result.lost, 0);
    assert_int_equal(result.rings, 1);
    assert_int_equal(result.operations, 14);
    assert_int_equal(result.incomplete, 0);
    assert_int_equal(s.of[0].n, 3);
    assert_int_equal(s.of[0].sum, 0);
    assert_int_equal(s.of[23].n, 10);
    assert_int_equal(s.of[23].sum, 1000);
    assert_int_equal(s.of[23].least, 1000);
    assert_int_equal(s.of[23].most, 1009);
    assert_int_equal(s.of[22].n, 1);
    assert_int_equal(s.of[22].sum, -9);
    assert_int_equal(s.backwards, 0);
    assert_string_equal(syscall_name(SYSCALL_URING, 22), "io_uring:read");
}

TEST(operations_by_bpf)
{
    are_as_the_program_saw_them(&tracer_bpf, NULL);
}

/* A thread of the kernel submits what it finds in the ring. */
TEST(polled_operations_by_bpf)
{
    are_as_the_program_saw_them(&tracer_bpf, "polled");
}

/* Another program's operations are not told: it runs all the while. */
TEST(operations_of_others_by_bpf)
{
    need(&tracer_bpf);
    const pid_t other = fork();
    assert_true(other >= 0);
    if (other == 0) {
        char *argv[] = {(char *)"other", (char *)"uring", NULL};
        const int null = open("/dev/null", O_WRONLY);
        dup2(null, STDOUT_FILENO);
        for (int status = 0; status == 0;)
            status = uring_program(2, argv);
        _exit(1);
    }
    for (int i = 0; i < 5; i++)
        are_as_the_program_saw_them(&tracer_bpf, NULL);
    kill(other, SIGKILL);
    assert_int_equal(waitpid(other, NULL, 0), other);
}

/* That a program used io_uring is known even where nothing of it was asked for. */
static void rings_are_counted_whatever_is_asked_for(const struct tracer_ops *ops)
{
    char *argv[] = {(char *)"/proc/self/exe", (char *)"uring", NULL};
    struct error err = ERROR_INIT;
    struct tracer_result result;
    struct sums s = {0};
    need(ops);
    struct syscall_filter *calls = syscall_filter_parse("getppid", &err);
    struct tracer_setup setup = {.follow = true, .string_limit = 32, .calls = calls};
    setup.argv = argv;
    struct syscall_sink sink = {.event = add_event, .ctx = &s};
    assert_int_equal(ops->run(&setup, &sink, &result, &err), 0);
    assert_int_equal(result.rings, 1);
    assert_int_equal(s.others, 0);
    assert_int_equal(s.of[22].n, 0);
    syscall_filter_free(calls);
}

TEST(rings_are_counted_by_ptrace)
{
    rings_are_counted_whatever_is_asked_for(&tracer_ptrace);
}

TEST(rings_are_counted_by_seccomp)
{
    rings_are_counted_whatever_is_asked_for(&tracer_seccomp);
}

TEST(rings_are_counted_by_bpf)
{
    rings_are_counted_whatever_is_asked_for(&tracer_bpf);
}

/* --- records made by hand --- */

struct by_hand {
    struct operations o;
    struct raw_calls raw;
    struct tracer_setup setup;
    struct tracer_result result;
    struct syscall_sink sink;
    struct sums s;
    uint64_t ns;
};

static void open_by_hand(struct by_hand *h)
{
    *h = (struct by_hand){.ns = 0};
    h->sink = (struct syscall_sink){.event = add_event, .ctx = &h->s};
    raw_calls_open(&h->raw, &h->setup, &h->sink, &h->result);
}

static struct record a_record(struct by_hand *h, uint64_t request, uint64_t user_data, int what)
{
    return (struct record){.pid = 7,
                           .tid = 8,
                           .begin_ns = h->ns += 10,
                           .args = {[OPERATION_RING] = 5,
                                    [OPERATION_REQUEST] = request,
                                    [OPERATION_DATA] = user_data,
                                    [OPERATION_WHAT] = (uint64_t)what}};
}

static void submit(struct by_hand *h, uint64_t request, uint64_t user_data)
{
    const struct record r = a_record(h, request, user_data, 22);
    operations_submitted(&h->o, &h->raw, &r);
}

static void complete(struct by_hand *h, uint64_t request, uint64_t user_data, int result, bool more)
{
    struct record r = a_record(h, request, user_data, result);
    r.args[OPERATION_FLAGS] = more ? 2 : 0;
    operations_completed(&h->o, &h->raw, &r);
}

/* One submission may have many completions; a request that is used again has ended before. */
TEST(many_completions_none_and_foreign_ones)
{
    struct by_hand h;
    open_by_hand(&h);
    submit(&h, 100, 1);
    complete(&h, 100, 1, 5, true);
    complete(&h, 0, 1, 6, true); /* the kernel tells no request with some of them */
    complete(&h, 100, 1, 7, false);
    complete(&h, 100, 1, 8, false); /* of nobody */
    assert_int_equal(h.result.operations, 3);
    assert_int_equal(h.s.of[22].sum, 18);
    submit(&h, 200, 2);
    submit(&h, 200, 3);
    assert_int_equal(h.result.incomplete, 1);
    submit(&h, 300, 4);
    operations_close(&h.o, &h.raw, h.ns);
    assert_int_equal(h.result.incomplete, 3);
    assert_int_equal(h.s.of[22].n, 6);
    raw_calls_close(&h.raw);
}

int main(int argc, char **argv)
{
    const int status = uring_program(argc, argv);
    if (status >= 0)
        return status;
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    return tests_run(NULL, NULL);
}
