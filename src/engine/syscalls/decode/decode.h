/*
 * Writes a call as text: `openat(AT_FDCWD, "/etc/hosts", O_RDONLY|O_CLOEXEC) = 3`. It reads only
 * the event with its pieces, so it works while tracing and on a saved trace. Text of the traced
 * program is escaped; nothing of it reaches the output raw.
 */
#pragma once

#include <stdio.h>

#include "engine/syscalls/event.h"

enum { SYSCALL_TASK_TEXT = 96 }; /* bytes, with the NUL */
/* What is known beyond one event. All may be NULL. */
struct syscall_context {
    /* The path or role of a descriptor ("/etc/hosts", "socket:[10.0.0.1:80]"), or NULL. */
    const char *(*descriptor)(void *ctx, int32_t pid, int fd);
    /* For text that is the same in every run: writes the name of a process or thread in place of
     * its number. Addresses are then ADDRESS, and users and groups "...". */
    void (*task)(void *ctx, int32_t tid, char text[SYSCALL_TASK_TEXT]);
    void *ctx;
};

/* Writes one argument; syscall_write_args writes all, with ", " in between. */
void syscall_write_arg(FILE *out, const struct syscall_event *e, unsigned arg,
                       const struct syscall_context *context);
/* Whether the call has this argument, which may depend on its flags or operation. */
bool syscall_arg_shown(const struct syscall_event *e, unsigned arg);
void syscall_write_args(FILE *out, const struct syscall_event *e,
                        const struct syscall_context *context);
/* Writes an event of any kind as a line in strace's form, without pid, times and newline: `close(3)
 * = -1 EBADF (Bad file descriptor)`, `+++ exited with 1 +++`, `--- SIGCHLD {...} ---`. */
void syscall_write(FILE *out, const struct syscall_event *e, const struct syscall_context *context);
