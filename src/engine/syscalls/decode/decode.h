/*
 * A call as text: `openat(AT_FDCWD, "/etc/hosts", O_RDONLY|O_CLOEXEC) = 3`. It reads only the event
 * with its pieces, so it works alike while tracing and on a saved trace. Text of the traced program
 * is escaped; nothing of it reaches the output raw.
 */
#pragma once

#include <stdio.h>

#include "engine/syscalls/event.h"

enum { SYSCALL_TASK_TEXT = 96 }; /* bytes, with the NUL */
/* What is known beyond one event. All may be NULL. */
struct syscall_context {
    /* The path or role of a descriptor ("/etc/hosts", "socket:[10.0.0.1:80]"), or NULL. */
    const char *(*descriptor)(void *ctx, int32_t pid, int fd);
    /*
     * For text that is the same in every run: writes the name of a process or thread in place of
     * its number. Addresses are then ADDRESS, and users and groups "...".
     */
    void (*task)(void *ctx, int32_t tid, char text[SYSCALL_TASK_TEXT]);
    void *ctx;
};

/* The name and arguments, without "(": one argument; all arguments with ", "; the whole call
 * without pid, times and newline: `close(3) = -1 EBADF (Bad file descriptor)`. */
void syscall_write_arg(FILE *out, const struct syscall_event *e, unsigned arg,
                       const struct syscall_context *context);
/* Whether the call has this argument: some have it only with some flags or operations. */
bool syscall_arg_shown(const struct syscall_event *e, unsigned arg);
void syscall_write_args(FILE *out, const struct syscall_event *e,
                        const struct syscall_context *context);
/* One event of any kind as one line in strace's form, without pid and times: also
 * `+++ exited with 1 +++`, `--- SIGCHLD {...} ---`. */
void syscall_write(FILE *out, const struct syscall_event *e, const struct syscall_context *context);
