/*
 * The mechanism `inject`: each program starts under ptrace; its recorder says hello and gets its
 * plan, and ptrace detaches; from then on its calls come through rings. Before an execve the
 * recorder asks ptrace to attach again. Programs that cannot take the recorder stay under ptrace,
 * in the same trace.
 */
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <linux/prctl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "backends/common/proc_file.h"
#include "backends/ptrace/events.h"
#include "backends/recorder/recorder_impl.h"
#include "base/arena.h"
#include "base/env.h"
#include "base/list.h"
#include "base/print.h"
#include "base/thread.h"

enum {
    BELL_MS = 50,
    REAP_NS = 100 * 1000 * 1000,
    NR_CLOSE = 3,
    NR_MPROTECT = 10,
    NR_OPENAT = 257,
    ATTACHED = 1,
    INJECT = 2
};

/* The recorder's code in a process under ptrace, whose calls are not the program's. */
struct hidden {
    pid_t pid;
    uint64_t from, to;
    bool loading; /* the dynamic linker loads the recorder: from its openat to its close */
    bool aside;   /* the process stays under ptrace: its rings are no longer used */
};

struct injection {
    struct trace_events events; /* must be first, because it is the hooks' ctx */
    struct share share;
    struct rings rings;
    struct plans plans;
    struct hidden *hidden;
    size_t nhidden, cap;
    const struct tracee *quiet; /* task that ptrace detached: the recorder now reports it */
    uint64_t reaped_ns;
    /* The watcher wakes the tracing thread when the bell rings. */
    pthread_t watcher;
    pid_t thread;
    _Atomic uint32_t heard; /* value of the bell when the rings were last read */
    atomic_bool blocked, over;
};

/* --- the watcher --- */

static void *watch_bell(void *arg)
{
    struct injection *x = arg;
    struct syscall_control *c = x->share.control;
    while (!x->over) {
        const uint32_t bell = __atomic_load_n(&c->bell, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&c->beat, 1, __ATOMIC_RELAXED);
        if (bell == x->heard) {
            share_wait(&x->share, bell, BELL_MS);
            continue;
        }
        if (x->blocked)
            tracees_wake(x->thread);
        const struct timespec pause = {.tv_nsec = 50000};
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static void ring_own_bell(struct injection *x)
{
    __atomic_fetch_add(&x->share.control->bell, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &x->share.control->bell, 1 /* FUTEX_WAKE */, 1, NULL, NULL, 0);
}

/* --- hidden code --- */

static struct hidden *find_hidden(struct injection *x, pid_t pid)
{
    for (size_t i = 0; i < x->nhidden; i++)
        if (x->hidden[i].pid == pid)
            return &x->hidden[i];
    return NULL;
}

static void add_hidden(struct injection *x, pid_t pid, uint64_t from, uint64_t to, bool aside)
{
    struct hidden *h = find_hidden(x, pid);
    if (!h) {
        LIST_ROOM(x->hidden, x->nhidden, x->cap);
        h = &x->hidden[x->nhidden++];
    }
    *h = (struct hidden){.pid = pid, .from = from, .to = to, .aside = aside};
}

static void drop_hidden(struct injection *x, pid_t pid)
{
    struct hidden *h = find_hidden(x, pid);
    if (h)
        *h = x->hidden[--x->nhidden];
}

/* --- requests of programs --- */

static void add_injection_note(struct injection *x, const char *what, const char *why)
{
    char text[192];
    print_line(text, sizeof text, "%.80s: %.100s", what, why);
    trace_events_note(x->events.result, text);
}

static long read_task_text(pid_t tid, uint64_t address, char *out, size_t size)
{
    const struct tracee who = {.tid = tid};
    const long n = tracee_read(&who, address, out, size - 1);
    out[n > 0 ? n : 0] = '\0';
    return n;
}

/* A task that requests something, according to its ring. Any traced program could have written
 * that, about any process of the machine. So rooftop answers only a process that has this trace's
 * memory: the command or its descendants. */
struct asker {
    pid_t tid, pid;
    int process;     /* a pidfd: until it reports the end, the number means this process */
    uint64_t ask[4]; /* a copy, read once */
};

/* Whether the numbers still mean the process that was checked and a thread of it. */
static bool same_process(const struct asker *a)
{
    return syscall(SYS_pidfd_send_signal, a->process, 0, NULL, 0) == 0;
}

static bool same_thread(const struct asker *a)
{
    return same_process(a) && tracee_is_thread(a->pid, a->tid);
}

/* false: no process of this trace asks. Else the caller closes a->process. */
static bool asker_find(struct injection *x, uint32_t i, struct asker *a)
{
    const struct syscall_ring *r = share_ring(&x->share, i);
    char who[32];
    if (!rings_task(&x->rings, i, &a->tid, &a->pid))
        return false;
    a->process = (int)syscall(SYS_pidfd_open, a->pid, 0);
    if (a->process < 0)
        return false;
    for (int k = 0; k < 4; k++)
        a->ask[k] = __atomic_load_n(&r->ask[k], __ATOMIC_RELAXED);
    if (plan_has_share(&x->share, a->tid) && same_thread(a))
        return true;
    close(a->process);
    snprintf(who, sizeof who, "process %d", (int)a->pid);
    add_injection_note(
        x, who, "a ring names it, but it does not have the memory of this trace: left alone");
    return false;
}

/* Answers a task that asks to be attached to before an execve. */
static uint32_t answer_attach(struct injection *x, struct tracees *t, const struct asker *a)
{
    char path[PATH_MAX], who[32];
    const pid_t tid = a->tid, pid = a->pid;
    read_task_text(tid, a->ask[0], path, sizeof path);
    const enum image_kind kind = image_look(tid, (int)a->ask[1], path, (int)a->ask[2]);
    if (kind == IMAGE_RAISES) {
        add_injection_note(x, path, "set-user-ID or capabilities: not recorded");
        return 0;
    }
    if (!tracees_find(t, tid)) {
        const int rc = tracees_take(t, pid, tid);
        if (rc != 0) {
            snprintf(who, sizeof who, "process %d", (int)pid);
            add_injection_note(x, path[0] ? path : who,
                               status_number(tid, "TracerPid") > 0
                                   ? "not recorded: another program traces it"
                                   : "not recorded: the kernel does not allow to trace it");
            return 0;
        }
        if (!same_thread(a)) { /* the thread ended, and another one may have its number */
            tracee_let_go(tracees_find(t, tid));
            return 0;
        }
    }
    return kind == IMAGE_TAKES ? INJECT : ATTACHED;
}

static uint32_t answer_aside(struct injection *x, struct tracees *t, const struct syscall_ring *r,
                             const struct asker *a)
{
    char text[64];
    const pid_t pid = a->pid;
    add_hidden(x, pid, __atomic_load_n(&r->text_from, __ATOMIC_RELAXED),
               __atomic_load_n(&r->pass, __ATOMIC_RELAXED), true);
    const bool attached = tracees_attach(t, pid, NULL) == 0;
    if (!attached || !same_process(a)) {
        drop_hidden(x, pid);
        TRACEES_EACH(t, task)
        if (attached && task->pid == pid)
            tracee_let_go(task);
        return 0;
    }
    rings_quiet(&x->rings, pid);
    snprintf(text, sizeof text, "process %d", (int)pid);
    add_injection_note(
        x, text,
        "traced by ptrace since a call of seccomp, setuid, prctl, arch_prctl, for a namespace, or "
        "by "
        "int 0x80");
    return 1;
}

static void answer_want(struct injection *x, struct tracees *t, uint32_t i, uint32_t want)
{
    struct syscall_ring *r = share_ring(&x->share, i);
    struct syscall_part part = {0};
    struct asker a;
    uint32_t said = 0;
    if (asker_find(x, i, &a)) {
        if (want == SYSCALL_WANT_ATTACH)
            said = answer_attach(x, t, &a);
        else if (want == SYSCALL_WANT_ASIDE)
            said = answer_aside(x, t, r, &a);
        else if (want == SYSCALL_WANT_SITES)
            said = plan_part(&x->plans, &x->share, a.pid, a.ask[0], &part);
        close(a.process);
    }
    if (said && want == SYSCALL_WANT_SITES)
        r->part = part;
    share_answer(r, said);
}

static void answer_all(struct injection *x, struct tracees *t)
{
    share_grow(&x->share);
    for (uint32_t i = 0; i < x->rings.n; i++) {
        const uint32_t want = __atomic_load_n(&share_ring(&x->share, i)->want, __ATOMIC_ACQUIRE);
        const uint32_t state = __atomic_load_n(&x->share.control->states[i], __ATOMIC_RELAXED);
        if (!want || state != SYSCALL_RING_USED)
            continue;
        rings_catch_up(&x->rings); /* the ring tells which task uses it now */
        answer_want(x, t, i, want);
    }
}

/* --- hooks of the tracing loop --- */

static enum tracees_wait between(void *ctx, struct tracees *t)
{
    struct injection *x = ctx;
    x->blocked = false;
    x->heard = __atomic_load_n(&x->share.control->bell, __ATOMIC_SEQ_CST);
    x->rings.command = t->command;
    x->rings.command_status = t->command_status;
    const bool ended = t->command_ended && !x->rings.command_ended;
    x->rings.command_ended = t->command_ended;
    const size_t n = rings_read(&x->rings);
    answer_all(x, t);
    const uint64_t now = env_now_ns();
    if (ended || x->rings.ending || now - x->reaped_ns > REAP_NS) {
        x->reaped_ns = now;
        rings_reap(&x->rings, false);
    }
    if (n > 0)
        return TRACEES_POLL;
    if (t->tasks.n == 0 && t->command_ended) {
        if (!share_used(&x->share))
            return TRACEES_END;
        share_wait(&x->share, x->heard, BELL_MS / 5);
        return TRACEES_POLL;
    }
    x->blocked = true;
    return __atomic_load_n(&x->share.control->bell, __ATOMIC_SEQ_CST) == x->heard ? TRACEES_BLOCK
                                                                                  : TRACEES_POLL;
}

static enum tracee_step let_go(struct injection *x, const struct tracee *task)
{
    x->quiet = task;
    return TRACEE_DETACH;
}

static enum tracee_step on_task_began(void *ctx, struct tracees *t, struct tracee *task)
{
    struct injection *x = ctx;
    if (task->mode == TRACEE_AT_EVENTS) /* a child of a program with a recorder has it too */
        return let_go(x, task);
    const struct hidden *h = find_hidden(x, task->pid);
    if (h && h->aside && !task->parent)
        return TRACEE_GO; /* its ring reports it */
    return trace_event_hooks.began(ctx, t, task);
}

/* Answers the recorder's hello, at which the task is stopped. */
static enum tracee_step at_hello(struct injection *x, struct tracee *task)
{
    const struct tracee_call *c = &task->call;
    struct syscall_plan *plan = xcalloc(1, sizeof *plan);
    plan_make(&x->plans, &x->share, task->pid, plan);
    const size_t n = offsetof(struct syscall_plan, parts) + plan->nparts * sizeof plan->parts[0];
    struct iovec from = {plan, n}, to = {(void *)(uintptr_t)c->args[0], n}; /* NOLINT: not ours */
    const bool ok = c->args[2] == sizeof *plan &&
                    process_vm_writev(task->tid, &from, 1, &to, 1, 0) == (ssize_t)n;
    free(plan);
    drop_hidden(x, task->pid);
    return ok ? let_go(x, task) : TRACEE_GO;
}

/* Whether the dynamic linker opens the recorder. */
static bool is_loading_recorder(struct injection *x, const struct tracee *task)
{
    char path[SYSCALL_RING_PATH];
    if (task->call.number != NR_OPENAT)
        return false;
    read_task_text(task->tid, task->call.args[1], path, sizeof path);
    if (strcmp(path, x->share.library) != 0)
        return false;
    add_hidden(x, task->pid, 0, 0, false);
    find_hidden(x, task->pid)->loading = true;
    return true;
}

/* Whether only the recorder causes the call, so that it is not reported. */
static bool is_recorders_call(struct injection *x, const struct tracee *task)
{
    const struct tracee_call *c = &task->call;
    struct hidden *h = find_hidden(x, task->pid);
    if (!h)
        return is_loading_recorder(x, task);
    if (!h->loading)
        return (c->ip >= h->from && c->ip < h->to) ||
               (c->number == NR_MPROTECT && c->args[0] >= h->from && c->args[0] < h->to);
    if (c->number == NR_CLOSE) {
        h->loading = false;
        plan_recorder(&x->share, task->pid, &h->from, &h->to);
    }
    return true;
}

static enum tracee_step on_call_entered(void *ctx, struct tracees *t, struct tracee *task)
{
    struct injection *x = ctx;
    if (task->call.abi == SYSCALL_X86_64 && task->call.number == SYSCALL_RING_HELLO)
        return at_hello(x, task);
    if (task->call.abi == SYSCALL_X86_64 && is_recorders_call(x, task)) {
        task->in_call = false; /* its return does not matter */
        return TRACEE_GO;
    }
    return trace_event_hooks.entered(ctx, t, task);
}

static enum tracee_step on_task_executed(void *ctx, struct tracees *t, struct tracee *task,
                                         pid_t former)
{
    struct injection *x = ctx;
    rings_executed(&x->rings, task->pid, former);
    drop_hidden(x, task->pid);
    task->mode = TRACEE_AT_CALLS;
    place_now(t, task); /* its loader stops at 30 or more calls */
    return trace_event_hooks.executed(ctx, t, task, former);
}

static enum tracee_step on_task_signalled(void *ctx, struct tracees *t, struct tracee *task,
                                          const siginfo_t *info, int *signo)
{
    return trace_event_hooks.signalled(ctx, t, task, info, signo);
}

static void on_task_ended(void *ctx, struct tracees *t, struct tracee *task, int status)
{
    struct injection *x = ctx;
    if (task == x->quiet || task->mode == TRACEE_AT_EVENTS)
        trace_events_drop(task);
    else
        trace_event_hooks.ended(ctx, t, task, status);
    x->quiet = NULL;
}

static void on_task_paused(void *ctx, struct tracees *t, struct tracee *task, int signo)
{
    trace_event_hooks.paused(ctx, t, task, signo);
}

static enum tracee_step on_call_left(void *ctx, struct tracees *t, struct tracee *task)
{
    return trace_event_hooks.left(ctx, t, task);
}

static void on_injection_tick(void *ctx, struct tracees *t)
{
    trace_event_hooks.tick(ctx, t);
}

static const struct tracee_hooks hooks = {
    .began = on_task_began,
    .entered = on_call_entered,
    .left = on_call_left,
    .executed = on_task_executed,
    .signalled = on_task_signalled,
    .paused = on_task_paused,
    .ended = on_task_ended,
    .between = between,
    .tick = on_injection_tick,
};

/* --- the run --- */

static int begin_injection(struct injection *x, struct tracees *t, const struct tracer_setup *setup,
                           struct error *err)
{
    char *const *from = setup->envp ? setup->envp : environ;
    char *path = held_find_program(setup->argv[0]);
    const enum image_kind kind = path ? image_look(getpid(), AT_FDCWD, path, 0) : IMAGE_FOREIGN;
    free(path);
    if (kind == IMAGE_RAISES)
        return error_set(err, ERROR_PERMISSION, EPERM, "run rooftop as root", setup->argv[0],
                         "it gives rights (set-user-ID, capabilities) that tracing would take");
    char **envp = kind == IMAGE_TAKES
                      ? recorder_environment(from, x->share.library, x->share.control_id)
                      : NULL;
    const struct held_command c = {.argv = setup->argv, .envp = envp ? envp : from};
    const int rc = tracees_start(t, &c, err);
    free(envp);
    return rc;
}

static void finish_injection(struct injection *x, const struct tracees *t,
                             struct tracer_result *result)
{
    struct syscall_control *c = x->share.control;
    rings_catch_up(&x->rings);
    rings_reap(&x->rings, true);
    result->ended = t->command_ended;
    result->status = t->command_ended ? t->command_status : 0;
    if (c->muted)
        add_injection_note(x, "recorder", "tasks without a ring: their calls are not known");
}

static int trace_with_recorder(struct injection *x, const struct tracer_setup *setup,
                               struct error *err)
{
    struct tracees t;
    const struct tracees_setup how = {.hooks = &hooks,
                                      .ctx = x,
                                      .mode = TRACEE_AT_CALLS,
                                      .follow = true,
                                      .same_cpu = setup->same_cpu,
                                      .stop_signal = setup->stop_signal,
                                      .stop_ctx = setup->ctx};
    tracees_open(&t, &how);
    int rc = begin_injection(x, &t, setup, err);
    if (rc == 0)
        rc = tracees_run(&t, err);
    finish_injection(x, &t, x->events.result);
    tracees_close(&t);
    return rc;
}

static int run(const struct tracer_setup *setup, const struct syscall_sink *sink,
               struct tracer_result *result, struct error *err)
{
    char library[PATH_MAX];
    struct injection x = {
        .events = {.setup = setup, .sink = sink, .result = result, .way = SYSCALL_BY_PTRACE},
        .thread = (pid_t)syscall(SYS_gettid)};
    *result = (struct tracer_result){0};
    int rc = recorder_library_find(library, err);
    if (rc == 0)
        rc = share_open(&x.share, library, err);
    if (rc != 0)
        return rc;
    x.rings = (struct rings){.share = &x.share, .setup = setup, .sink = sink, .result = result};
    wants_fill(x.share.control, setup);
    rings_open(&x.rings);
    const int failed = thread_start(&x.watcher, watch_bell, &x);
    rc = failed ? error_set(err, ERROR_INTERNAL, failed, NULL, "start a thread", "%s",
                            strerror(failed))
                : trace_with_recorder(&x, setup, err);
    x.over = true;
    ring_own_bell(&x);
    if (!failed)
        pthread_join(x.watcher, NULL);
    rings_close(&x.rings);
    plans_free(&x.plans);
    free(x.hidden);
    share_close(&x.share);
    return rc;
}

/* --- what works here --- */

extern const struct tracer_ops tracer_ptrace;

static bool has_user_dispatch(void)
{
    return prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0) == 0;
}

/* Whether glibc (from 2.41 on) cancels a thread only if its program counter is in the C library. */
static bool cancels_by_address(void)
{
    int major = 0, minor = 0;
    sscanf(gnu_get_libc_version(), "%d.%d", &major, &minor);
    return major > 2 || (major == 2 && minor >= 41);
}

static void probe_injection(struct tracer_state *out)
{
    struct error why = ERROR_INIT;
    char library[PATH_MAX];
    tracer_ptrace.probe(out);
    if (!out->works)
        return;
    out->works = false;
    out->enable[0] = '\0';
    if (!sites_available(&why) || recorder_library_find(library, &why) != 0) {
        snprintf(out->why, sizeof out->why, "%.191s", why.why);
        snprintf(out->enable, sizeof out->enable, "%.191s", why.help);
    } else if (!has_user_dispatch())
        snprintf(out->why, sizeof out->why, "syscall user dispatch: needs Linux 5.11");
    else if (cancels_by_address())
        snprintf(out->why, sizeof out->why,
                 "glibc 2.41 and later would not cancel threads in recorded calls");
    else {
        out->works = true;
        snprintf(out->why, sizeof out->why, "about 0.1 us a call, inside the program: --inject");
    }
}

static bool suits(const struct tracer_setup *setup, struct error *why)
{
    const char *lacks;
    if (!setup->inject)
        lacks = "it is used only if asked for: --inject";
    else if (!setup->argv)
        lacks = "it must start together with the program, so not with -p";
    else if (!setup->follow)
        lacks = "processes that the program starts are recorded too: -f";
    else if (setup->stacks)
        lacks = "no stacks: the program is not stopped at its calls";
    else
        return true;
    error_set(why, ERROR_UNSUPPORTED, ENOTSUP, NULL, "inject", "%s", lacks);
    return false;
}

const struct tracer_ops tracer_inject = {
    .name = "inject",
    .summary = "a recorder inside the program (x86-64); needs no rights, only with --inject",
    .probe = probe_injection,
    .suits = suits,
    .run = run,
};
