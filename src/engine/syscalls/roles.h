/*
 * What a call does, for all rooms but the decoder: descriptors, facts, canonical traces. Calls that
 * do the same thing in different forms (open, openat, openat2, creat) have one role.
 */
#pragma once

#include <stdbool.h>

#include "engine/syscalls/event.h"

enum syscall_role {
    ROLE_NONE,
    ROLE_READ,   /* moves result bytes from a descriptor */
    ROLE_WRITE,  /* moves result bytes to a descriptor */
    ROLE_COPY,   /* sendfile, splice, copy_file_range: between two descriptors */
    ROLE_OPEN,   /* result: a new descriptor of a path */
    ROLE_CLOSE,  /* ends the descriptor */
    ROLE_CLOSES, /* close_range: a range of descriptors */
    ROLE_DUP,    /* result: a new descriptor for the same thing (dup, dup2, dup3) */
    ROLE_FCNTL,  /* may duplicate a descriptor */
    ROLE_PIPE,   /* two descriptors at an address */
    ROLE_SOCKET, /* result: a new socket */
    ROLE_PAIR,   /* socketpair: two descriptors at an address */
    ROLE_CONNECT,
    ROLE_BIND,
    ROLE_ACCEPT, /* result: a new connected socket */
    ROLE_HANDLE, /* result: a new descriptor of another kind: epoll, eventfd, timerfd, memfd */
    ROLE_STAT,
    ROLE_ACCESS,
    ROLE_REMOVE,
    ROLE_RENAME,
    ROLE_MKDIR,
    ROLE_NODE, /* mknod: a fifo, a device, an empty file */
    ROLE_LINK,
    ROLE_ATTRIBUTES, /* changes a file's mode, owner, times or size */
    ROLE_CHDIR,
    ROLE_SYNC,
    ROLE_POLL, /* waits for descriptors */
    ROLE_SLEEP,
    ROLE_YIELD,
    ROLE_FUTEX,
    ROLE_WAIT, /* waits for a child */
    ROLE_FORK,
    ROLE_EXEC,
    ROLE_EXIT,
    ROLE_MAP,
    ROLE_UNMAP,
    ROLE_REMAP,
    ROLE_BREAK,
    ROLE_IOCTL,
    ROLE_SIGNAL, /* sends a signal */
    ROLE_NAME,   /* getsockname: the kernel tells the socket's address */
    ROLE_RING,   /* io_uring_setup */
    ROLES
};

/* Which argument has which meaning; -1: the call has no such argument. */
struct syscall_duty {
    uint8_t role; /* enum syscall_role */
    int8_t fd, path, size;
    int8_t other; /* the second descriptor or path: dup's new number, rename's new name */
};

/* The duty of a call; ROLE_NONE and no arguments for calls without one. Never NULL. */
const struct syscall_duty *syscall_duty(unsigned abi, uint32_t number);
/* The number of the task that a call made, and whether it is a thread of the same process. 0: the
 * call made none, or an unknown one. */
int32_t syscall_made_task(const struct syscall_event *e, bool *thread);
/* The role's name: "read", "open"; for documents. */
const char *syscall_role_name(enum syscall_role role);
/* Whether a call of this name waits for something else (waits.def): "poll", "wait4 [i386]". */
bool syscall_waits(const char *name);
