/*
 * A program with all that it starts. Between it and this process stands one of ours that adopts
 * (PR_SET_CHILD_SUBREAPER): what loses its parent, forks twice or begins a session of its own
 * becomes its child, and is ended with the rest. Where this process is killed, it ends them, too.
 * What escapes: a program that kills the one that adopts with SIGKILL. It is no sandbox.
 */
#pragma once

#include <sys/types.h>

enum family_until {
    FAMILY_FIRST, /* when the program ends, what it left behind is ended */
    FAMILY_LAST,  /* what it left behind is waited for */
};

/*
 * Starts a process, in a group of its own, with default signals, that calls become(ctx) and should
 * not return from it: only calls that are safe after fork. Returns the pid of the one that adopts,
 * to wait for; it ends as the program does: with its status, or by its signal. It keeps none of
 * this process' descriptors but 0 to 2. Returns -1 with errno.
 */
pid_t family_start(void (*become)(const void *ctx), const void *ctx, enum family_until until);

/* Ends all of them, those that have ended included, and waits. *status: as waitpid gives it. */
void family_end(pid_t pid, int *status);
