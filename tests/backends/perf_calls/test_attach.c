/*
 * Attaching to a program that makes threads all the while: each of them is traced, and its calls
 * are told once, also those of a thread that was made between the look into /proc and the start of
 * the recording. Forks: not for TSan.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/skip.h"
#include "support/traced.h"

extern const struct tracer_ops tracer_perf, tracer_bpf, tracer_ptrace;

/* --- the program --- */

enum { THREADS = 120, MORE = 300, CALLS = 5, PAUSE_US = 200 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting, done;
static bool go, stop_making;

static void *make_calls(void *ctx)
{
    pthread_mutex_lock(&lock);
    waiting++;
    pthread_cond_broadcast(&changed);
    while (!go)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < CALLS; i++)
        syscall(SYS_getppid);
    pthread_mutex_lock(&lock);
    done++;
    pthread_cond_broadcast(&changed);
    for (;;) /* until the process ends */
        pthread_cond_wait(&changed, &lock);
    return ctx;
}

static int add_thread(void)
{
    pthread_t t;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 * 1024);
    const int rc = pthread_create(&t, &small, make_calls, NULL);
    pthread_attr_destroy(&small);
    return rc;
}

/* The last thread of the first look makes the others. */
static void *make_threads(void *ctx)
{
    int *made = ctx;
    for (; *made < THREADS + MORE && !__atomic_load_n(&stop_making, __ATOMIC_SEQ_CST); ++*made) {
        if (add_thread() != 0)
            _exit(1);
        usleep(PAUSE_US);
    }
    return NULL;
}

static void run_program(int in, int out)
{
    pthread_t maker;
    char byte;
    int made = 0;
    for (; made < THREADS; made++)
        if (add_thread() != 0)
            _exit(1);
    if (pthread_create(&maker, NULL, make_threads, &made) != 0 || write(out, "r", 1) != 1 ||
        read(in, &byte, 1) != 1)
        _exit(1);
    __atomic_store_n(&stop_making, true, __ATOMIC_SEQ_CST);
    pthread_join(maker, NULL);
    pthread_mutex_lock(&lock);
    while (waiting < made)
        pthread_cond_wait(&changed, &lock);
    go = true;
    pthread_cond_broadcast(&changed);
    while (done < made)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    _exit(write(out, &made, sizeof made) == sizeof made && read(in, &byte, 1) == 1 ? 0 : 1);
}

/* --- the tracing --- */

struct attached {
    struct syscall_sink all;
    int to, from;
    bool told, over;
    int threads;
};

static void on_event(void *ctx, const struct syscall_event *e)
{
    const struct attached *a = ctx;
    a->all.event(a->all.ctx, e);
}

/* The tracer is at work: the threads may make their calls. */
static void on_tick(void *ctx)
{
    struct attached *a = ctx;
    if (!a->told)
        a->told = write(a->to, "g", 1) == 1;
    else if (!a->over)
        a->over = read(a->from, &a->threads, sizeof a->threads) == sizeof a->threads;
}

static int when_over(void *ctx)
{
    const struct attached *a = ctx;
    return a->over ? SIGINT : 0;
}

static void each_thread_is_traced_once(const struct tracer_ops *ops)
{
    struct tracer_state here;
    ops->probe(&here);
    if (!here.works)
        skip_because("tracing by %s: %s; %s", ops->name, here.why, here.enable);
    int to[2], from[2];
    char byte;
    assert_int_equal(pipe(to), 0);
    assert_int_equal(pipe(from), 0);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(to[1]);
        run_program(to[0], from[1]);
    }
    assert_int_equal(read(from[0], &byte, 1), 1);
    /* the program may wait for its tracer, which must not wait for the program */
    assert_int_equal(fcntl(from[0], F_SETFL, O_NONBLOCK), 0);
    struct traced *t = calloc(1, sizeof *t);
    struct attached a = {.all = traced_sink(t), .to = to[1], .from = from[0]};
    const struct syscall_sink sink = {.event = on_event, .ctx = &a, .tick = on_tick};
    const struct tracer_setup setup = {.pids = &pid,
                                       .npids = 1,
                                       .follow = true,
                                       .counts_only = true,
                                       .stop_signal = when_over,
                                       .ctx = &a};
    const int rc = ops->run(&setup, &sink, &t->result, &t->err);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(rc, 0);
    assert_true(a.over && a.threads >= THREADS);
    print_message("%d threads, %d of them made while rooftop attached\n", a.threads,
                  a.threads - THREADS);
    if (t->result.lost)
        skip_because("%llu calls were lost: the machine is too busy",
                     (unsigned long long)t->result.lost);
    assert_int_equal(t->calls[SYS_getppid], a.threads * CALLS);
    traced_free(t);
    free(t);
    for (int i = 0; i < 2; i++) {
        close(to[i]);
        close(from[i]);
    }
}

static void by_perf(void **state)
{
    (void)state;
    each_thread_is_traced_once(&tracer_perf);
}

static void by_bpf(void **state)
{
    (void)state;
    each_thread_is_traced_once(&tracer_bpf);
}

static void by_ptrace(void **state)
{
    (void)state;
    each_thread_is_traced_once(&tracer_ptrace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_perf),
        cmocka_unit_test(by_bpf),
        cmocka_unit_test(by_ptrace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
