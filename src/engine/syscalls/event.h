/*
 * The events of a traced program, in order: system calls, and what is needed to understand them
 * (tasks that start and end, programs that are executed, signals, losses). Tracers (tracer.h) and
 * readers of saved traces make events; sinks get them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The calling convention of one call. A 64-bit program can make 32-bit calls. */
enum syscall_abi {
    SYSCALL_X86_64,
    SYSCALL_I386,
    SYSCALL_X32, /* 64-bit calls with 32-bit pointers; its numbers lack __X32_SYSCALL_BIT */
    SYSCALL_ARM64,
    SYSCALL_ARM32,
    SYSCALL_URING, /* not calls but operations of io_uring: the number is the opcode, the entry the
                      submission, the return the completion */
    SYSCALL_ABIS
};

/* How the event was seen. The summary of a trace counts the calls of each way. */
enum syscall_way {
    SYSCALL_BY_PTRACE,
    SYSCALL_BY_SECCOMP,  /* ptrace, but only for calls that a seccomp filter picked */
    SYSCALL_BY_NOTIFY,   /* seccomp's user notification */
    SYSCALL_BY_PERF,     /* perf's tracepoints; only in old files, until 2026-11 */
    SYSCALL_BY_BPF,      /* BPF ring buffer */
    SYSCALL_BY_PATCH,    /* the recorder, at a patched call site */
    SYSCALL_BY_DISPATCH, /* the recorder, by syscall user dispatch */
    SYSCALL_BY_FILE,     /* a saved trace that does not name its mechanism */
    SYSCALL_WAYS
};

enum syscall_event_kind {
    SYSCALL_ENTRY,  /* a call began; only for sinks that ask for it. result and end_ns are 0 */
    SYSCALL_CALL,   /* a call returned, or ended without return (SYSCALL_UNFINISHED) */
    SYSCALL_START,  /* a task began. parent: the task that made it; args[0]: clone flags */
    SYSCALL_EXEC,   /* a process runs another program. args[0]: the tid that called execve */
    SYSCALL_EXIT,   /* a task ended. result: status as wait(2) gives it, or -1 if unknown. args[0]:
                       peak of the process's resident memory in bytes; 0 = unknown */
    SYSCALL_SIGNAL, /* a signal is delivered. result: its number; args: si_code, si_pid, si_addr;
                       some mechanisms add the whole siginfo_t as a piece at address 0 */
    SYSCALL_STOP,   /* the task was stopped by a signal (group-stop). result: its number */
    SYSCALL_LOST,   /* args[0]: number of calls that the mechanism lost; 0: unknown number */
    SYSCALL_HELD, /* a descriptor that the process had before the trace. args[0]: its number; bytes:
                     the text of its link in /proc/PID/fd, ended by NUL. Only for the screen; not in
                     saved traces */
    SYSCALL_KINDS
};

enum {
    SYSCALL_UNFINISHED = 1, /* no result: the task ended, or the tracer detached, within the call */
    SYSCALL_RESTARTS = 2,   /* the kernel will make this call again after a signal (ERESTART...) */
    SYSCALL_NO_TIMES = 4,   /* begin_ns and end_ns only order events */
    SYSCALL_NO_ENTRY = 8,   /* only the return was seen: args may be unknown */
    SYSCALL_NO_RESULT = 16  /* only the entry was seen, by a mechanism that sees no results */
};

/* A piece of the traced program's memory, as it was at the entry or the return of a call. */
struct syscall_piece {
    uint64_t address;
    uint32_t offset, size; /* place in the event's bytes */
    uint8_t at_return;     /* 0: read at entry */
    uint8_t cut;           /* the memory had more bytes than were kept */
};

struct syscall_stack; /* stacks.h */

struct syscall_event {
    uint8_t kind; /* enum syscall_event_kind */
    uint8_t abi, way, flags;
    int32_t pid, tid; /* in rooftop's own pid namespace; pid is the process (thread group) */
    int32_t parent;   /* SYSCALL_START: tid of the task that made it; 0 = unknown */
    uint32_t number;  /* number of the call in its abi */
    uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC, the clock of bricks and samples */
    uint64_t args[6];
    uint64_t stack_pointer; /* at the entry: rt_sigreturn's argument is there; 0 = unknown */
    int64_t result; /* as the kernel returned it: -4095..-1 is an errno with its sign changed */

    /* Borrowed until the sink returns. */
    const struct syscall_piece *pieces;
    const uint8_t *bytes; /* bytes of all pieces. EXEC has one piece: the program's path and all
                             arguments, each ended by NUL (cut after an argument at SYSCALL_PIECES
                             bytes). START has one: the name of the process. */
    uint32_t npieces, nbytes;

    /* Where the program made the call or got the signal; NULL = unknown. Owned by the table of
     * stacks of the tracer's setup or of the file's reader. */
    const struct syscall_stack *stack;
};

/* Whether it is an operation of io_uring, during which its thread may make other calls. */
static inline bool syscall_is_operation(const struct syscall_event *e)
{
    return e->abi == SYSCALL_URING;
}

/* Time from entry to return in ns; 0 if the times only order events. */
static inline uint64_t syscall_ns(const struct syscall_event *e)
{
    return e->flags & SYSCALL_NO_TIMES || e->end_ns < e->begin_ns ? 0 : e->end_ns - e->begin_ns;
}

/* The part of that time in which the thread was in the call: none for operations of io_uring. */
static inline uint64_t syscall_thread_ns(const struct syscall_event *e)
{
    return syscall_is_operation(e) ? 0 : syscall_ns(e);
}

/* True if the call failed. */
static inline bool syscall_failed(const struct syscall_event *e)
{
    return e->kind == SYSCALL_CALL && !(e->flags & (SYSCALL_UNFINISHED | SYSCALL_NO_RESULT)) &&
           e->result < 0 && e->result >= -4095;
}

/* Receives events on one thread. The events of a task are in order; between tasks they are in order
 * of end_ns as far as the mechanism can tell. */
struct syscall_sink {
    void (*event)(void *ctx, const struct syscall_event *e);
    void *ctx;
    bool entries; /* wants SYSCALL_ENTRY too */
    /* About ten times a second, also while nothing happens: for output that waits in a buffer. May
     * be NULL. */
    void (*tick)(void *ctx);
};
