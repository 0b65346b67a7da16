/*
 * The records of the ring about calls and tasks as events of engine/syscalls/event.h.
 *
 *     struct raw_calls r;
 *     raw_calls_open(&r, ...);
 *     raw_calls_started(&r, ...);              // the command, or what was attached to
 *     raw_calls_entered/left/...(&r, ...);     // record after record
 *     raw_calls_close(&r);                     // calls that have not returned, tasks that are left
 *
 * Records may be missing: a return without its entry, an end of an unknown task. No record makes
 * more of an event than it says. All functions belong to one thread, that of the sink.
 */
#pragma once

#include <signal.h>

#include "backends/common/task_table.h"
#include "engine/syscalls/memory.h"
#include "engine/syscalls/tracer.h"

/* The numbers of processes inside the kernel's records are ours: rooftop runs in no container with
 * pids of its own. */
bool raw_calls_pids_are_ours(void);

struct raw_task;

struct raw_calls {
    const struct tracer_setup *setup;
    const struct syscall_sink *sink;
    struct tracer_result *result; /* calls, lost, unfinished, rings are counted here */
    struct task_table tasks;      /* struct raw_task */
};

void raw_calls_open(struct raw_calls *r, const struct tracer_setup *setup,
                    const struct syscall_sink *sink, struct tracer_result *result);
void raw_calls_close(struct raw_calls *r);

/* A task as it begins. */
struct raw_start {
    int32_t pid, tid, parent; /* parent: tid of the maker, 0 unknown */
    uint64_t ns, flags;       /* clone flags */
    const char *name;         /* NULL: as /proc says */
    bool prelude;             /* rooftop's own code: only execve counts until it succeeds */
};
void raw_calls_started(struct raw_calls *r, const struct raw_start *s);

/*
 * The entry of a call: tid, pid, abi, number, begin_ns, args. m: the memory of the program as it is
 * or was at the entry, NULL: unknown. A second entry of the same call (its begin_ns) adds memory
 * only.
 */
void raw_calls_entered(struct raw_calls *r, const struct syscall_event *call,
                       const struct syscall_memory *m);
/* The same of a call that has returned, just before its return is told: no event of its own. */
void raw_calls_entered_late(struct raw_calls *r, const struct syscall_event *call,
                            const struct syscall_memory *m);
/* More of the memory at the entry of the call, which could not be read before. */
void raw_calls_entry_memory(struct raw_calls *r, const struct syscall_event *call,
                            const struct syscall_memory *m);
/* The return of a call: all of its entry, result and end_ns. */
void raw_calls_left(struct raw_calls *r, const struct syscall_event *call,
                    const struct syscall_memory *m);
/* An operation of io_uring: tid and pid of the submitter, number, begin_ns, end_ns, args, result;
 * flags SYSCALL_UNFINISHED: its completion was not seen. */
void raw_calls_operation(struct raw_calls *r, const struct syscall_event *operation);
/* The task runs another program. former: the tid that called execve. line: path and arguments, each
 * ended by NUL. */
void raw_calls_executed(struct raw_calls *r, int32_t tid, int32_t former, uint64_t ns,
                        const char *line, size_t n);
/* Before that: texts of the call that could not be read at its entry, from the new program, whose
 * interpreter (or path) and arguments, each ended by NUL, these are. */
void raw_calls_exec_memory(struct raw_calls *r, int32_t former, const char *interpreter,
                           const char *arguments, size_t n);
/* status: as wait(2) gives it, -1: unknown. resident: peak of the process in bytes, 0: unknown. The
 * end of a process's first thread is told when its last one ends. */
void raw_calls_ended(struct raw_calls *r, int32_t tid, uint64_t ns, int64_t status,
                     uint64_t resident);
void raw_calls_signalled(struct raw_calls *r, int32_t tid, uint64_t ns, const siginfo_t *info);
void raw_calls_paused(struct raw_calls *r, int32_t tid, uint64_t ns, int signo);
/* This many more calls were lost. */
void raw_calls_lost(struct raw_calls *r, uint64_t n, uint64_t ns);
