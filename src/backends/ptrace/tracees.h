/*
 * Programs under ptrace: the loop that every mechanism needs which stops programs. It knows which
 * tasks there are, follows those that they make, passes their signals on, keeps them stopped while
 * they are to be, and never leaves one stopped. What a stop means is up to its hooks.
 *
 * How another mechanism uses it (the recorder inside programs, for the start of each one):
 *
 *     struct tracees t;
 *     tracees_open(&t, &setup);                 // hooks, what is followed
 *     tracees_start(&t, &command, err);         // or tracees_attach, for each process
 *     tracees_run(&t);                          // calls the hooks until all have ended or stop
 *     tracees_close(&t);
 *
 * A hook gets a task that is stopped. It may read and write its memory and registers, may run
 * PTRACE_* requests that do not resume it, may change `mode` (how much the task is stopped from now
 * on), and returns what happens to the task next: TRACEE_GO resumes it, TRACEE_DETACH lets it go
 * for good, TRACEE_HOLD keeps it stopped until tracee_go or tracee_detach. To let a program run at
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
    TRACEE_AT_CHOSEN, /* the same, only for calls that its seccomp filter returns RET_TRACE for */
    TRACEE_AT_EVENTS, /* stops only where tasks begin, execute programs, get signals, end */
};
enum tracee_step { TRACEE_GO, TRACEE_DETACH, TRACEE_HOLD };
/* How the loop waits: for the next stop, not at all, or it ends. */
enum tracees_wait { TRACEES_BLOCK, TRACEES_POLL, TRACEES_END };

struct tracee_call {
    uint8_t abi;     /* enum syscall_abi */
    uint32_t number; /* without __X32_SYSCALL_BIT */
    uint64_t args[6], ip, sp;
    uint64_t begin_ns; /* when the task was resumed to make the call */
    int64_t result;    /* in the hook `left` */
};

struct tracee {
    pid_t tid, pid; /* of the thread, of its process */
    pid_t parent;   /* tid of its maker, 0: unknown */
    enum tracee_mode mode;
    bool in_call; /* between entry and return of a call */
    struct tracee_call call;
    uint64_t made_by_flags; /* those of clone, as far as known */
    void *own;              /* the hooks' */

    /* The loop's. */
    bool stopped;     /* in a ptrace-stop that we know of */
    bool listening;   /* in a group-stop */
    bool fresh;       /* has not had its first stop */
    bool announced;   /* the hook `began` was called */
    bool unwanted;    /* a child process that is not followed: let go at its first stop */
    bool prelude;     /* our own code before the command's execve */
    bool interrupted; /* by PTRACE_INTERRUPT, whose stop has not come */
    int signal;       /* delivered when it is resumed */
    struct placed placed;
};

struct tracees;

/* All may be NULL. ctx: that of the setup. */
struct tracee_hooks {
    /* The task is there, and stopped: started, attached to, or made by one that is followed. */
    enum tracee_step (*began)(void *ctx, struct tracees *t, struct tracee *task);
    /* At the entry of a call; task->call tells which. */
    enum tracee_step (*entered)(void *ctx, struct tracees *t, struct tracee *task);
    /* At its return; task->call.result is known. */
    enum tracee_step (*left)(void *ctx, struct tracees *t, struct tracee *task);
    /* The process runs another program now; its execve has not returned yet. former: the tid of the
     * thread that called it. All other threads are gone. */
    enum tracee_step (*executed)(void *ctx, struct tracees *t, struct tracee *task, pid_t former);
    /* The signal will be delivered; 0 in *signo swallows it. */
    enum tracee_step (*signalled)(void *ctx, struct tracees *t, struct tracee *task,
                                  const siginfo_t *info, int *signo);
    /* The task was stopped by this signal. */
    void (*paused)(void *ctx, struct tracees *t, struct tracee *task, int signo);
    /* The task is gone; status: wait(2)'s, or -1: we let it go, or it vanished in an execve. Free
     * task->own. */
    void (*ended)(void *ctx, struct tracees *t, struct tracee *task, int status);
    /* Before each wait: what else the thread has to do. With it the loop goes on without any task,
     * until it is told to end; tracees_wake interrupts a wait. */
    enum tracees_wait (*between)(void *ctx, struct tracees *t);
    /* A few times a second, whatever happens. */
    void (*tick)(void *ctx, struct tracees *t);
};

struct tracees_setup {
    const struct tracee_hooks *hooks;
    void *ctx;
    enum tracee_mode mode; /* of all tasks at first */
    bool follow;           /* also child processes; threads always are */
    bool same_cpu;         /* see place.h */
    /* As in struct tracer_setup. */
    int (*stop_signal)(void *ctx);
    void *stop_ctx;
};

/* Stops that were seen and not handled yet. */
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
    uint64_t now_ns; /* when the stop that is handled was seen */
    pid_t command;   /* 0: none was started */
    bool command_ended, filtered;
    int command_status; /* wait(2)'s */
    struct held held;   /* of the command */
    bool stopping;      /* no event is of interest any more: all are let go */
    struct tracees_tick *tick;
};

void tracees_open(struct tracees *t, const struct tracees_setup *setup);
/* Starts the command under ptrace; it runs in tracees_run. It dies if we die. ERROR_TARGET. */
int tracees_start(struct tracees *t, const struct held_command *command, struct error *err);
/* Attaches to the process with all its threads. ERROR_TARGET, ERROR_PERMISSION. */
int tracees_attach(struct tracees *t, pid_t pid, struct error *err);
/* Until nothing is traced any more, or stop_signal said so. ERROR_TARGET if the command could not
 * be executed. */
int tracees_run(struct tracees *t, struct error *err);
/* Lets all tasks go as they were; called by tracees_close too. */
void tracees_detach(struct tracees *t);
void tracees_close(struct tracees *t);

/* Interrupts the wait of the loop that runs on this thread. One that comes just before the wait is
 * slept through: repeat it. */
void tracees_wake(pid_t thread);

/* --- for hooks --- */

/* Attaches to a single task, which is not stopped by that, to see it execute a program
 * (TRACEE_AT_EVENTS). `began` is not called. Returns 0 or -errno. */
int tracees_take(struct tracees *t, pid_t pid, pid_t tid);

/* Whether the process has this thread. */
bool tracee_is_thread(pid_t pid, pid_t tid);
/* Lets a task go that should not have been attached to. `ended` is not called. */
void tracee_let_go(struct tracee *task);

struct tracee *tracees_find(struct tracees *t, pid_t tid); /* NULL: not traced */
/* A loop over all tasks, which may remove this one and no other. */
/* NOLINTBEGIN(bugprone-macro-parentheses): task is the name of a variable */
#define TRACEES_EACH(t, task)                                                                      \
    TASK_TABLE_EACH(&(t)->tasks, place_)                                                           \
    for (struct tracee *task = place_->task; task; task = NULL)
/* NOLINTEND(bugprone-macro-parentheses) */

/* Resume, or let go, a task that a hook held. */
void tracee_go(struct tracees *t, struct tracee *task);
/* Memory of the task: bytes copied, fewer where it ends, or -errno. */
long tracee_read(const struct tracee *task, uint64_t address, void *out, size_t n);
long tracee_write(const struct tracee *task, uint64_t address, const void *from, size_t n);
