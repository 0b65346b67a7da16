/* The tasks and the loop, which finds out what each stop is and what follows from it. */
#include "backends/ptrace/tracees.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/ptrace/internal.h"
#include "base/arena.h"
#include "base/env.h"
#include "base/list.h"

enum { TICK_NS = 100000000, QUICK_TICK_NS = 5000000 };

/* --- the table --- */

struct tracee *tracees_find(struct tracees *t, pid_t tid)
{
    return task_table_find(&t->tasks, tid);
}

struct tracee *tracee_add(struct tracees *t, pid_t tid, pid_t pid)
{
    struct tracee *task = xcalloc(1, sizeof *task);
    *task = (struct tracee){.tid = tid, .pid = pid, .mode = t->setup.mode, .fresh = true};
    task_table_add(&t->tasks, tid, task);
    return task;
}

/* Tells the hooks that the task is gone, and forgets it. */
static void tracee_gone(struct tracees *t, struct tracee *task, int status)
{
    if (task->announced && t->setup.hooks->ended)
        t->setup.hooks->ended(t->setup.ctx, t, task, status);
    /* The command is detached while tracing goes on. It is still rooftop's child, so waitpid
     * reports its end. */
    if (task->tid == t->command && (status != -1 || t->stopping)) {
        t->command_ended = true;
        t->command_status = status;
    }
    place_forget(t, task);
    task_table_remove(&t->tasks, task->tid, task);
    free(task);
}

/* --- resuming --- */

void tracee_go(struct tracees *t, struct tracee *task)
{
    const bool calls =
        task->mode == TRACEE_AT_CALLS || (task->mode == TRACEE_AT_CHOSEN && task->in_call);
    const int signo = task->signal;
    task->signal = 0;
    task->stopped = task->listening = false;
    (void)t;
    /* On ESRCH the task was killed meanwhile, which waitpid will report. */
    ptrace(calls ? PTRACE_SYSCALL : PTRACE_CONT, task->tid, 0, (long)signo);
}

static void tracee_detach(struct tracees *t, struct tracee *task)
{
    place_release(t, task);
    /* The command was killed meanwhile, but rooftop still has to wait for it. */
    if (ptrace(PTRACE_DETACH, task->tid, 0, (long)task->signal) != 0 && errno == ESRCH &&
        task->tid == t->command)
        return;
    tracee_gone(t, task, -1);
}

/* Detaches from a task that we interrupted only at the stop that this made. At another stop the
 * kernel would take the interruption for a signal, and the next call would fail with EINTR. */
static void take_step(struct tracees *t, struct tracee *task, enum tracee_step step)
{
    if (t->stopping && task->interrupted) {
        task->mode = TRACEE_AT_EVENTS;
        ptrace(PTRACE_INTERRUPT, task->tid, 0, 0);
        tracee_go(t, task);
    } else if (step == TRACEE_DETACH || (t->stopping && step != TRACEE_HOLD))
        tracee_detach(t, task);
    else if (step == TRACEE_GO)
        tracee_go(t, task);
}

#define HOOK(name, ...)                                                                            \
    (t->setup.hooks->name && !t->stopping ? t->setup.hooks->name(t->setup.ctx, t, __VA_ARGS__)     \
                                          : TRACEE_GO)

/* --- what the stops are --- */

static enum tracee_step at_entry(struct tracees *t, struct tracee *task)
{
    if (task->prelude && task->call.number != SYS_execve)
        return TRACEE_GO;
    task->in_call = true;
    task->call.begin_ns = t->now_ns;
    const enum tracee_step step = HOOK(entered, task);
    task->call.begin_ns = env_now_ns();
    return step;
}

static enum tracee_step at_return(struct tracees *t, struct tracee *task)
{
    if (!task->in_call)
        return TRACEE_GO;
    place_left(t, task);
    if (t->stopping && tracee_cut_short(task))
        return TRACEE_DETACH; /* after detaching the task goes on with its unfinished call */
    enum tracee_step step = TRACEE_GO;
    if (t->setup.hooks->left)
        step = t->setup.hooks->left(t->setup.ctx, t, task);
    task->in_call = false;
    return step;
}

static enum tracee_step at_call(struct tracees *t, struct tracee *task)
{
    switch (tracee_look(task)) {
    case TRACEE_ENTRY:
        return at_entry(t, task);
    case TRACEE_RETURN:
        return at_return(t, task);
    default:
        return TRACEE_GO;
    }
}

/* The first stop of a task: reports the task, or detaches from it if it is not to be followed. */
static enum tracee_step at_first(struct tracees *t, struct tracee *task)
{
    task->fresh = false;
    if (task->unwanted)
        return TRACEE_DETACH;
    task->announced = true;
    return HOOK(began, task);
}

/* A task made another one, whose first stop may come before or after this stop. */
static void at_birth(struct tracees *t, struct tracee *task, int event)
{
    unsigned long tid = 0;
    if (ptrace(PTRACE_GETEVENTMSG, task->tid, 0, &tid) != 0 || tid == 0 ||
        tracees_find(t, (pid_t)tid))
        return;
    const bool thread = event == PTRACE_EVENT_CLONE && tracee_is_thread(task->pid, (pid_t)tid);
    struct tracee *made = tracee_add(t, (pid_t)tid, thread ? task->pid : (pid_t)tid);
    made->parent = task->tid;
    made->mode = task->mode;
    made->unwanted = !thread && !t->setup.follow;
    made->made_by_flags = tracee_clone_flags(task, event, thread);
    place_began(t, made, task);
}

/* Adds a task that stops before its maker's stop was seen, or whose maker died in between. */
static struct tracee *add_unknown_task(struct tracees *t, pid_t tid)
{
    pid_t parent = 0, pid = tracee_process(tid, &parent);
    struct tracee *maker = tracees_find(t, pid == tid ? parent : pid);
    struct tracee *task = tracee_add(t, tid, pid);
    task->parent = maker ? maker->tid : 0;
    task->mode = maker ? maker->mode : t->setup.mode;
    task->unwanted = pid == tid && !t->setup.follow;
    task->made_by_flags = pid == tid ? 0 : CLONE_THREAD;
    if (maker)
        place_began(t, task, maker);
    return task;
}

/* The thread that called execve is now the process, with the number of the first thread. */
static struct tracee *take_over(struct tracees *t, struct tracee *leader, pid_t former)
{
    struct tracee *caller = former == leader->tid ? leader : tracees_find(t, former);
    if (!caller || caller == leader)
        return leader;
    const pid_t tid = leader->tid;
    const bool command = tid == t->command;
    tracee_gone(t, leader, -1);
    if (command)
        t->command_ended = false;
    task_table_remove(&t->tasks, former, caller);
    caller->tid = tid;
    caller->stopped = true;
    task_table_add(&t->tasks, tid, caller);
    return caller;
}

static void at_exec(struct tracees *t, struct tracee *task)
{
    unsigned long former = 0;
    if (ptrace(PTRACE_GETEVENTMSG, task->tid, 0, &former) != 0)
        former = (unsigned long)task->tid;
    task = take_over(t, task, (pid_t)former);
    task->prelude = false;
    take_step(t, task, HOOK(executed, task, (pid_t)former));
}

static void at_pause(struct tracees *t, struct tracee *task, int signo)
{
    task->interrupted = false;
    if (t->stopping) {
        tracee_detach(t, task);
        return;
    }
    if (!task->listening && t->setup.hooks->paused)
        t->setup.hooks->paused(t->setup.ctx, t, task, signo);
    task->listening = true;
    task->stopped = false;
    ptrace(PTRACE_LISTEN, task->tid, 0, 0);
}

static void at_event_stop(struct tracees *t, struct tracee *task, int signo)
{
    enum tracee_step step = task->fresh ? at_first(t, task) : TRACEE_GO;
    if (step == TRACEE_GO && signo != SIGTRAP) {
        at_pause(t, task, signo);
        return;
    }
    tracee_undisturb(task);
    task->listening = task->interrupted = false;
    take_step(t, task, step);
}

static enum tracee_step at_signal(struct tracees *t, struct tracee *task, int signo)
{
    siginfo_t info = {.si_signo = signo};
    ptrace(PTRACE_GETSIGINFO, task->tid, 0, &info);
    const enum tracee_step step = HOOK(signalled, task, &info, &signo);
    task->signal = signo;
    return step;
}

static void at_stop(struct tracees *t, struct tracee *task, int status)
{
    const int event = status >> 16, signo = WSTOPSIG(status);
    task->stopped = true;
    place_stop(t, task);
    /* After rooftop has attached to a thread, a signal may arrive before the stop that rooftop
     * asked for. */
    if (task->fresh && event != PTRACE_EVENT_STOP) {
        const enum tracee_step step = at_first(t, task);
        if (step != TRACEE_GO) {
            take_step(t, task, step);
            return;
        }
    }
    if (!t->stopping && event != PTRACE_EVENT_STOP)
        task->interrupted = false;
    if (event == PTRACE_EVENT_STOP)
        at_event_stop(t, task, signo);
    else if (event == PTRACE_EVENT_EXEC)
        at_exec(t, task);
    else if (signo == (SIGTRAP | 0x80) || event == PTRACE_EVENT_SECCOMP)
        take_step(t, task, at_call(t, task));
    else if (event) {
        at_birth(t, task, event);
        take_step(t, task, TRACEE_GO);
    } else
        take_step(t, task, at_signal(t, task, signo));
}

static void take_wait_status(struct tracees *t, pid_t tid, int status)
{
    struct tracee *task = tracees_find(t, tid);
    if (WIFSTOPPED(status))
        at_stop(t, task ? task : add_unknown_task(t, tid), status);
    else if (task)
        tracee_gone(t, task, status);
    else if (tid == t->command) {
        t->command_ended = true;
        t->command_status = status;
    }
}

/* --- the loop --- */

/* Collects all waiting stops before any task is resumed. Otherwise the kernel would report the
 * first tasks again and again, and the last ones never. A single task needs only one look. */
static int wait_batch(struct tracees *t, bool block)
{
    struct tracees_seen *s = &t->seen;
    s->n = 0;
    while (s->n == 0 || t->tasks.n > 1) {
        int status;
        const int flags = __WALL | __WNOTHREAD | (s->n > 0 || !block ? WNOHANG : 0);
        const pid_t tid = waitpid(-1, &status, flags);
        if (tid < 0 && s->n == 0)
            return -errno;
        if (tid <= 0)
            break;
        LIST_ADD(s->list, s->n, s->cap, (struct tracees_stop){tid, status, env_now_ns()});
    }
    for (size_t i = 0; i < s->n; i++) {
        t->now_ns = s->list[i].ns;
        take_wait_status(t, s->list[i].tid, s->list[i].status);
    }
    return (int)s->n;
}

/* Passes the signal to the command. Ends the tracing if there is no command or it has ended. */
static void stop_asked(struct tracees *t, int signo)
{
    if (t->command && !t->command_ended) {
        if (signo > 0)
            kill(t->command, signo);
        t->passed = signo > 0 ? signo : 0;
    } else if (!t->filtered)
        t->stopping = true;
    else
        TRACEES_EACH(t, task) kill(task->pid, signo > 0 ? signo : -signo);
}

static void tick_if_due(struct tracees *t, uint64_t *last_ns)
{
    const uint64_t now = env_now_ns();
    if (now - *last_ns < (t->place.npinned ? QUICK_TICK_NS : TICK_NS) / 2)
        return;
    *last_ns = now;
    place_tick(t);
    tracees_tick_set(t, t->place.npinned && t->tasks.n > 1 ? QUICK_TICK_NS : TICK_NS);
    if (t->setup.hooks->tick)
        t->setup.hooks->tick(t->setup.ctx, t);
}

static enum tracees_wait next_wait(struct tracees *t)
{
    if (t->setup.hooks->between)
        return t->setup.hooks->between(t->setup.ctx, t);
    return t->tasks.n > 0 ? TRACEES_BLOCK : TRACEES_END;
}

static int follow_tracees(struct tracees *t)
{
    uint64_t ticked_ns = env_now_ns();
    while (!t->stopping) {
        const enum tracees_wait how = next_wait(t);
        if (how == TRACEES_END)
            return 0;
        int rc = wait_batch(t, how == TRACEES_BLOCK);
        if (rc == -ECHILD && t->setup.hooks->between)
            rc = 0;
        if (rc < 0 && rc != -EINTR)
            return rc == -ECHILD ? 0 : rc;
        if (rc == 0)
            t->now_ns = env_now_ns();
        const int signo = t->setup.stop_signal ? t->setup.stop_signal(t->setup.stop_ctx) : 0;
        if (signo)
            stop_asked(t, signo);
        else if (t->passed && t->command_ended) { /* what it started does not keep rooftop */
            stop_asked(t, t->passed);
            t->passed = 0;
        }
        if (rc == -EINTR || t->now_ns - ticked_ns > QUICK_TICK_NS)
            tick_if_due(t, &ticked_ns);
    }
    return 0;
}

int tracees_run(struct tracees *t, struct error *err)
{
    int rc = tracees_tick_open(t);
    if (rc == 0)
        rc = follow_tracees(t);
    tracees_detach(t);
    tracees_tick_close(t);
    if (rc != 0)
        return error_set(err, ERROR_INTERNAL, -rc, NULL, "wait for the traced program", "%s",
                         strerror(-rc));
    return held_failed(&t->held, err);
}

void tracees_detach(struct tracees *t)
{
    t->stopping = true;
    TRACEES_EACH(t, task)
    {
        place_release(t, task);
        if (task->stopped)
            tracee_detach(t, task);
        else if (!task->fresh && ptrace(PTRACE_INTERRUPT, task->tid, 0, 0) == 0)
            task->interrupted = true;
    }
    while (t->tasks.n > 0) {
        const int rc = wait_batch(t, true);
        if (rc < 0 && rc != -EINTR)
            break;
    }
}

void tracees_open(struct tracees *t, const struct tracees_setup *setup)
{
    *t = (struct tracees){.setup = *setup,
                          .held = {.go_fd = -1, .report_fd = -1},
                          .place = {.on = setup->same_cpu, .cpu = -1}};
}

void tracees_close(struct tracees *t)
{
    tracees_detach(t);
    TRACEES_EACH(t, task)
    tracee_gone(t, task, -1);
    place_close(t);
    held_close(&t->held);
    task_table_free(&t->tasks);
    free(t->seen.list);
    *t = (struct tracees){.held = {.go_fd = -1, .report_fd = -1}};
}
