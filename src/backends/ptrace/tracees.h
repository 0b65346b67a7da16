/*
 * Programs under ptrace: the loop for every mechanism that stops programs. It knows all tasks,
 * follows new ones, passes their signals on, holds a task that a hook wants stopped, and leaves
 * none stopped at its end. The hooks decide what a stop means.
 *
 * How another mechanism uses it (the recorder does, for the start of each program):
 *
 *     struct tracees t;
 *     tracees_open(&t, &setup);                 // hooks, what to follow
 *     tracees_start(&t, &command, err);         // or tracees_attach, for each process
 *     tracees_run(&t);                          // calls the hooks until all have ended or stop
 *     tracees_close(&t);
 *
 * A hook gets a task that is stopped. It may read and write its memory and registers, may run
 * PTRACE_* requests that do not resume it, may change `mode` (how much the task is stopped from now
 * on), and returns what happens to the task next: TRACEE_GO resumes it, TRACEE_DETACH detaches from
 * it, TRACEE_HOLD keeps it stopped until tracee_go or tracee_detach. To let a program run at
 * full speed until it executes another one, set mode to TRACEE_AT_EVENTS.
 *
 * All of it belongs to one thread: the kernel knows the thread as the tracer.
 */
#pragma once

#include <linux/filter.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "backends/common/held.h"
#include "backends/common/task_table.h"
#include "backends/ptrace/place.h"
#include "base/error.h"

enum tracee_mode {
    TRACEE_AT_CALLS,  /* stops at entry and return of each call */
    TRACEE_AT_CHOSEN, /* the same, but only for calls for which its seccomp filter returns RET_TRACE
                       */
    TRACEE_AT_EVENTS, /* stops only when tasks begin, execute programs, get signals or end */
};
enum tracee_step { TRACEE_GO, TRACEE_DETACH, TRACEE_HOLD };
/* Whether the loop waits for the next stop, does not wait, or ends. */
enum tracees_wait { TRACEES_BLOCK, TRACEES_POLL, TRACEES_END };

struct tracee_call {
    uint8_t abi;     /* enum syscall_abi */
    uint32_t number; /* without __X32_SYSCALL_BIT */
    uint64_t args[6], ip, sp;
    uint64_t begin_ns; /* when the task was resumed to make the call */
    int64_t result;    /* in the hook `left` */
};

struct tracee {
    pid_t tid, pid; /* numbers of the thread and of its process */
    pid_t parent;   /* tid of its maker, 0: unknown */
    enum tracee_mode mode;
    bool in_call; /* between entry and return of a call */
    struct tracee_call call;
    uint64_t made_by_flags; /* flags of the clone that made it, as far as known */
    void *own;              /* for the hooks */

    /* For the loop: */
    bool stopped;     /* in a ptrace-stop that we know of */
    bool listening;   /* in a group-stop */
    bool fresh;       /* has not had its first stop */
    bool announced;   /* the hook `began` was called */
    bool unwanted;    /* a child process that is not followed: let go at its first stop */
    bool prelude;     /* it runs rooftop's code before the command's execve */
    bool interrupted; /* by PTRACE_INTERRUPT, whose stop has not come */
    int signal;       /* delivered when it is resumed */
    struct placed placed;
};

struct tracees;

/* All may be NULL. ctx: that of the setup. */
struct tracee_hooks {
    /* A new task, which is stopped: started, attached to, or made by a followed one. */
    enum tracee_step (*began)(void *ctx, struct tracees *t, struct tracee *task);
    /* The task is at the entry of a call, task->call. */
    enum tracee_step (*entered)(void *ctx, struct tracees *t, struct tracee *task);
    /* The task is at the return of the call; task->call.result is known. */
    enum tracee_step (*left)(void *ctx, struct tracees *t, struct tracee *task);
    /* The process runs another program now; its execve has not returned yet. former: the tid of the
     * thread that called it. All other threads are gone. */
    enum tracee_step (*executed)(void *ctx, struct tracees *t, struct tracee *task, pid_t former);
    /* The signal will be delivered; 0 in *signo swallows it. */
    enum tracee_step (*signalled)(void *ctx, struct tracees *t, struct tracee *task,
                                  const siginfo_t *info, int *signo);
    /* The task was stopped by this signal. */
    void (*paused)(void *ctx, struct tracees *t, struct tracee *task, int signo);
    /* The task is gone. status: as wait(2) gives it; -1: we detached, or it vanished in an execve.
     * Free task->own. */
    void (*ended)(void *ctx, struct tracees *t, struct tracee *task, int status);
    /* Called before each wait, for other work of the thread. With it the loop goes on without any
     * task until this returns TRACEES_END; tracees_wake interrupts a wait. */
    enum tracees_wait (*between)(void *ctx, struct tracees *t);
    /* Called a few times a second, even if nothing happens. */
    void (*tick)(void *ctx, struct tracees *t);
};

struct tracees_setup {
    const struct tracee_hooks *hooks;
    void *ctx;
    enum tracee_mode mode; /* mode of a new task */
    bool follow;           /* also follow child processes; threads are always followed */
    bool same_cpu;         /* see place.h */
    /* As in struct tracer_setup. */
    int (*stop_signal)(void *ctx);
    void *stop_ctx;
};

/* A stop that was seen but not handled yet. */
struct tracees_stop {
    pid_t tid;
    int status;
    uint64_t ns;
};
struct tracees_seen {
    struct tracees_stop *list;
    size_t n, cap;
};

struct tracees {
    struct tracees_setup setup;
    struct task_table tasks; /* struct tracee */
    struct place place;
    struct tracees_seen seen;
    uint64_t now_ns; /* when the present stop was seen */
    pid_t command;   /* 0: none was started */
    bool command_ended, filtered;
    int command_status; /* wait(2)'s */
    struct held held;   /* of the command */
    bool stopping;      /* events no longer matter: detaches from all tasks */
    int passed;         /* the signal that the command got to end the tracing; 0: none */
    struct tracees_tick *tick;
};

void tracees_open(struct tracees *t, const struct tracees_setup *setup);
/* Starts the command under ptrace; it runs in tracees_run. It dies if we die. ERROR_TARGET. */
int tracees_start(struct tracees *t, const struct held_command *command, struct error *err);
/* Attaches to the process with all its threads. ERROR_TARGET, ERROR_PERMISSION. */
int tracees_attach(struct tracees *t, pid_t pid, struct error *err);
/* Runs until nothing is traced any more or stop_signal ends it. ERROR_TARGET if the command could
 * not be executed. */
int tracees_run(struct tracees *t, struct error *err);
/* Detaches from all tasks, which go on as they were; tracees_close does it too. */
void tracees_detach(struct tracees *t);
void tracees_close(struct tracees *t);

/* Interrupts the wait of the loop that runs on this thread. Repeat it, because a signal just before
 * the wait has no effect. */
void tracees_wake(pid_t thread);

/* --- for hooks --- */

/* Attaches to a single task, which is not stopped by that, to see it execute a program
 * (TRACEE_AT_EVENTS). `began` is not called. Returns 0 or -errno. */
int tracees_take(struct tracees *t, pid_t pid, pid_t tid);

/* Whether the process has this thread. */
bool tracee_is_thread(pid_t pid, pid_t tid);
/* Detaches from a task that should not have been attached to. `ended` is not called. */
void tracee_let_go(struct tracee *task);

struct tracee *tracees_find(struct tracees *t, pid_t tid); /* NULL: not traced */
/* A loop over all tasks, which may remove this one and no other. */
/* NOLINTBEGIN(bugprone-macro-parentheses): task is the name of a variable */
#define TRACEES_EACH(t, task)                                                                      \
    TASK_TABLE_EACH(&(t)->tasks, place_)                                                           \
    for (struct tracee *task = place_->task; task; task = NULL)
/* NOLINTEND(bugprone-macro-parentheses) */

/* Resume, or detach from, a task that a hook held. */
void tracee_go(struct tracees *t, struct tracee *task);
/* Reads memory of the task. Returns the number of bytes, fewer if the memory ends, or -errno. */
long tracee_read(const struct tracee *task, uint64_t address, void *out, size_t n);
long tracee_write(const struct tracee *task, uint64_t address, const void *from, size_t n);
