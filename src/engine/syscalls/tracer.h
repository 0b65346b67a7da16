/*
 * The interface that a mechanism for tracing system calls fills. One mechanism is one file or
 * folder under backends/ and a TRACER in capabilities.def, best first.
 */
#pragma once

#include <sys/types.h>

#include "base/error.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/event.h"

/* What to trace, and how. */
struct tracer_setup {
    char *const *argv; /* the command, ended by NULL; or NULL with pids */
    char *const *envp; /* its environment; NULL: rooftop's own */
    const pid_t *pids; /* processes to attach to, with all their threads */
    uint32_t npids;
    bool some;             /* attach to those of pids that still exist; false: all must exist */
    bool follow;           /* also trace the processes that they make */
    bool counts_only;      /* events are only summed: fetches no memory, which is faster */
    bool same_cpu;         /* a mechanism that stops the program runs on the same CPU as it */
    bool inject;           /* the in-process recorder may be used */
    uint32_t string_limit; /* bytes to keep of each string and buffer */
    uint32_t stack_depth;  /* frames to keep of each user stack, 1 to SYSCALL_FRAMES_MAX */
    struct syscall_stacks *stacks;      /* receives the stacks of calls; NULL: none are wanted */
    const struct syscall_filter *calls; /* NULL: all */
    /* Called at each stop and a few times a second; may be NULL. Returns 0, or once a signal's
     * number, which ends the tracing: attached processes go on as they were; a command gets the
     * signal and is traced to its end; processes that it leaves behind go on untraced. Negative:
     * the terminal has already sent the signal to the command. */
    int (*stop_signal)(void *ctx);
    void *ctx;
};

enum { TRACER_NOTES = 4 };
struct tracer_result {
    int status; /* status of the command, as wait(2) gives it; 0 for attached processes */
    bool ended; /* the command ended; false: tracing was stopped early */
    uint64_t calls[SYSCALL_WAYS]; /* number of calls reported, by way */
    uint64_t lost;                /* calls that were not reported */
    uint64_t unfinished, torn;
    uint64_t rings; /* io_uring rings that were set up, even if `calls` excludes io_uring_setup */
    uint64_t operations; /* completed ones of io_uring, if sees_operations, even without `calls` */
    uint64_t incomplete; /* operations of io_uring whose completion was not seen */
    bool sees_operations;
    char notes[TRACER_NOTES]
              [192]; /* for the summary: "su: set-user-ID, not recorded"; "" ends the list */
};

/* Whether a mechanism can work here. */
struct tracer_state {
    bool works;
    char why[192];    /* what was found, or why it does not work */
    char enable[192]; /* the command that would enable it; "" if it works or nothing would help */
};

struct tracer_ops {
    const char *name;    /* for --by and on the screen: "ptrace" */
    const char *summary; /* "stops the program at each call; needs no right" */
    bool for_rare;       /* preferred to all others if only rare calls are wanted */
    void (*probe)(struct tracer_state *out);
    /* Whether the mechanism can do what is asked; if not, why says what it cannot do. */
    bool (*suits)(const struct tracer_setup *setup, struct error *why);
    /* Runs the command, or attaches, and reports events to the sink until everything traced has
     * ended or tracing is stopped. Called on a thread of its own or the main thread; all events
     * come on this thread. Returns 0, or a negative errno with err where tracing could not start
     * (ERROR_TARGET: command not found; ERROR_PERMISSION; ERROR_UNSUPPORTED). A program is never
     * left stopped. */
    int (*run)(const struct tracer_setup *setup, const struct syscall_sink *sink,
               struct tracer_result *result, struct error *err);
};

/* All of capabilities.def: NULL-terminated, best first. */
extern const struct tracer_ops *const tracers[];

/* The first mechanism that works here and suits, or the one called name. NULL: err says what each
 * one lacks. */
const struct tracer_ops *tracer_choose(const struct tracer_setup *setup, const char *name,
                                       struct error *err);
/* Runs the chosen mechanism. If the kernel refuses it (ERROR_UNSUPPORTED, ERROR_PERMISSION) and it
 * was not chosen by name, runs the next one that works and suits, and a note of the result says
 * why. */
int tracer_run(const struct tracer_ops *ops, const struct tracer_setup *setup, const char *name,
               const struct syscall_sink *sink, struct tracer_result *result, struct error *err);
