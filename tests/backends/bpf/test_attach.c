/*
 * Attaching to a program that makes threads all the while: each of them is traced, and its calls
 * are told once, also those of a thread that was made between the look into /proc and the start of
 * the recording. And the call in which a thread waits then is told. Forks: not for TSan.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/common/waiting_call.h"
#include "support/skip.h"
#include "support/traced.h"
#include "support/test.h"

extern const struct tracer_ops tracer_bpf, tracer_ptrace;

/* --- the program --- */

enum { THREADS = 100, MAKERS = 10, MORE = 400, CALLS = 5, PAUSE_US = 3000 };

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

/* Several threads make the others: each makes some while the tracer has opened a part of what it
 * needs for it, which is what those inherit. */
static void *make_threads(void *ctx)
{
    int *made = ctx;
    while (!__atomic_load_n(&stop_making, __ATOMIC_SEQ_CST) &&
           __atomic_load_n(made, __ATOMIC_SEQ_CST) < THREADS + MORE) {
        if (add_thread() != 0)
            _exit(1);
        __atomic_add_fetch(made, 1, __ATOMIC_SEQ_CST);
        usleep(PAUSE_US);
    }
    return NULL;
}

static void run_program(int in, int out)
{
    pthread_t makers[MAKERS];
    char byte;
    int made = 0;
    for (; made < THREADS; made++)
        if (add_thread() != 0)
            _exit(1);
    for (int i = 0; i < MAKERS; i++)
        if (pthread_create(&makers[i], NULL, make_threads, &made) != 0)
            _exit(1);
    if (write(out, "r", 1) != 1 || read(in, &byte, 1) != 1)
        _exit(1);
    __atomic_store_n(&stop_making, true, __ATOMIC_SEQ_CST);
    for (int i = 0; i < MAKERS; i++)
        pthread_join(makers[i], NULL);
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
    if (rc == -EMFILE)
        skip_because("%s: ulimit -n is too low for so many threads", ops->name);
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

TEST(by_bpf)
{
    each_thread_is_traced_once(&tracer_bpf);
}

TEST(by_ptrace)
{
    each_thread_is_traced_once(&tracer_ptrace);
}

/* --- the call in which a thread waits when it is attached to --- */

enum { FIRST_BYTES = 1, NEXT_BYTES = 7 };

struct waiter {
    int in;
    bool answered, stop;
    int seen;
    uint32_t returned, unfinished; /* reads of `in` */
    int64_t results[2];
    uint64_t sizes[2], begins[2];
};

/* Reads twice; the second read waits for ever. */
static void read_twice(int in)
{
    char bytes[NEXT_BYTES];
    if (read(in, bytes, FIRST_BYTES) == FIRST_BYTES && read(in, bytes, NEXT_BYTES) >= 0)
        _exit(1);
}

static void keep_read(void *ctx, const struct syscall_event *e)
{
    struct waiter *w = ctx;
    if (e->kind != SYSCALL_CALL || e->number != SYS_read || e->args[0] != (uint64_t)w->in ||
        w->returned + w->unfinished > 1)
        return;
    const uint32_t i = w->returned + w->unfinished;
    w->results[i] = e->result;
    w->sizes[i] = e->args[2];
    w->begins[i] = e->begin_ns;
    if (e->flags & SYSCALL_UNFINISHED)
        w->unfinished++;
    else
        w->returned++;
}

/* Whether the process waits in a read of so many bytes; tells when it may be let go on. */
static bool reads(pid_t pid, uint64_t size)
{
    struct waiting_call c = {0};
    return waiting_call_read(pid, pid, &c) && c.number == SYS_read && c.args[2] == size;
}

struct waiting_run {
    struct waiter w;
    pid_t pid;
    int to;
};

static void answer(void *ctx)
{
    struct waiting_run *r = ctx;
    if (!r->w.answered)
        r->w.answered = write(r->to, "x", FIRST_BYTES) == FIRST_BYTES;
    /* twice: the tracer has taken what came before the first time */
    r->w.seen += r->w.returned > 0 && reads(r->pid, NEXT_BYTES);
    r->w.stop = r->w.seen > 1;
}

static void leave(void *ctx)
{
    struct waiting_run *r = ctx;
    r->w.stop = true;
}

static void keep_event(void *ctx, const struct syscall_event *e)
{
    struct waiting_run *r = ctx;
    keep_read(&r->w, e);
}

static int when_stopped(void *ctx)
{
    const struct waiting_run *r = ctx;
    return r->w.stop ? SIGINT : 0;
}

static struct waiting_run run_waiting(const struct tracer_ops *ops, bool let_go)
{
    struct tracer_state here;
    struct tracer_result result;
    struct error err = ERROR_INIT;
    int to[2];
    ops->probe(&here);
    if (!here.works)
        skip_because("tracing by %s: %s; %s", ops->name, here.why, here.enable);
    if (access("/proc/self/syscall", R_OK) != 0)
        skip_because("this kernel does not say in which call a thread waits");
    assert_int_equal(pipe(to), 0);
    struct waiting_run r = {.w = {.in = to[0]}, .pid = fork(), .to = to[1]};
    assert_true(r.pid >= 0);
    if (r.pid == 0)
        read_twice(to[0]);
    while (!reads(r.pid, FIRST_BYTES))
        usleep(1000);
    const struct syscall_sink sink = {
        .event = keep_event, .ctx = &r, .tick = let_go ? answer : leave};
    const struct tracer_setup setup = {
        .pids = &r.pid, .npids = 1, .follow = true, .stop_signal = when_stopped, .ctx = &r};
    const int rc = ops->run(&setup, &sink, &result, &err);
    kill(r.pid, SIGKILL);
    assert_int_equal(waitpid(r.pid, NULL, 0), r.pid);
    assert_int_equal(rc, 0);
    close(to[0]);
    close(to[1]);
    return r;
}

static void waiting_calls_are_told(const struct tracer_ops *ops)
{
    struct waiting_run r = run_waiting(ops, true);
    assert_int_equal(r.w.returned, 1);
    assert_int_equal(r.w.results[0], FIRST_BYTES);
    assert_int_equal(r.w.sizes[0], FIRST_BYTES);
    assert_int_equal(r.w.unfinished, 1); /* the next one, in which it was left */
    assert_int_equal(r.w.sizes[1], NEXT_BYTES);
    assert_true(r.w.begins[0] && r.w.begins[0] <= r.w.begins[1]);
    r = run_waiting(ops, false); /* left at once: the call goes on */
    assert_int_equal(r.w.returned, 0);
    assert_int_equal(r.w.unfinished, 1);
    assert_int_equal(r.w.sizes[0], FIRST_BYTES);
}

TEST(waiting_by_bpf)
{
    waiting_calls_are_told(&tracer_bpf);
}

TEST(waiting_by_ptrace)
{
    waiting_calls_are_told(&tracer_ptrace);
}
