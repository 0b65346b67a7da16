/*
 * What descriptors stand for, followed from the calls of a trace: which file, pipe or socket a
 * process means by 3. It knows what the trace showed; a descriptor from before the trace is
 * unknown, except for 0, 1 and 2, which are the standard streams of a command, and those that an
 * event tells (SYSCALL_HELD).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/syscalls/event.h"

enum descriptor_kind {
    DESCRIPTOR_STANDARD, /* name: stdin, stdout, stderr */
    DESCRIPTOR_FILE,     /* name: its path, below the directory that it was opened from */
    DESCRIPTOR_PIPE,     /* name: "pipe 1", in order of creation; both ends have one name */
    DESCRIPTOR_SOCKET,   /* name: "socket 1", or the address that it was connected or bound to */
    DESCRIPTOR_HANDLE    /* name: of the call that made it: "epoll_create1 1" */
};

/* What one or many descriptors stand for. Files with the same path are one. */
struct descriptor_object {
    char *name;
    uint8_t kind;   /* enum descriptor_kind */
    uint32_t made;  /* times that it was opened or made */
    uint32_t open;  /* descriptors that stand for it now, in all processes */
    uint32_t index; /* its number: 0, 1, ... in order of appearance */
};

struct descriptors;
struct descriptors *descriptors_new(void);
/* Follows an event. Look up what its descriptors stood for before. */
void descriptors_follow(struct descriptors *d, const struct syscall_event *e);
/* NULL: unknown. The object lives as long as d. */
const struct descriptor_object *descriptors_of(const struct descriptors *d, int32_t pid, int fd);
/*
 * The descriptor that a path of n bytes names, which an open of it opens again: /dev/fd/3,
 * /dev/stdin, /proc/self/fd/3. *pid is the process that asks, and becomes that whose descriptor it
 * is. -1: the path names none.
 */
int descriptors_named(const char *path, size_t n, int32_t *pid);
/* Which of the two ends of a pipe or a pair of sockets it is: 0 or 1, as the call that made them
 * gave them. */
int descriptors_end(const struct descriptors *d, int32_t pid, int fd);
/* All objects that were ever seen. */
size_t descriptors_count(const struct descriptors *d);
const struct descriptor_object *descriptors_at(const struct descriptors *d, size_t i);
/* Number of descriptors that the process has open now, of those that the trace saw open. */
uint32_t descriptors_open(const struct descriptors *d, int32_t pid);
/*
 * In descriptors_wait.c. Whether a call waited: it reads, writes, connects, accepts or controls a
 * pipe, a socket, a terminal or a handle such as an eventfd, or reads standard input, and took
 * DESCRIPTOR_WAIT_NS or more. Moving what a full pipe holds takes less than a tenth of that, so its
 * thread slept until the other end did something. Ask before the call is followed.
 */
enum { DESCRIPTOR_WAIT_NS = 1000000 };
bool descriptors_waited(const struct descriptors *d, const struct syscall_event *e);
/*
 * The path that argument `path` of a call names, as the program gave it, below the directory that
 * argument `dirfd` (-1: none) stands for. False: its bytes were not kept.
 */
bool descriptors_path(const struct descriptors *d, const struct syscall_event *e, int dirfd,
                      int path, char *out, size_t size);
void descriptors_free(struct descriptors *d);
