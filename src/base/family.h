/*
 * Runs a program so that all processes that it starts can be ended with it. The program's parent is
 * the adopter, a fork of this process with PR_SET_CHILD_SUBREAPER: it becomes the parent of
 * processes that lose theirs, fork twice or begin a session. It ends all of them, also if this
 * process is killed. This is no sandbox: a program can escape by killing the adopter with SIGKILL.
 */
#pragma once

#include <sys/types.h>

enum family_until {
    FAMILY_FIRST, /* when the program ends, the processes that it left are ended */
    FAMILY_LAST,  /* the processes that it left are waited for */
};

/* Starts a process in a group of its own, with default signals. It calls become(ctx), which should
 * not return and may use only calls that are safe after fork. Returns the adopter's pid, to wait
 * for, or -1 with errno. The adopter ends as the program does: with its status, or by its signal.
 * Of this process' descriptors it keeps only 0 to 2. */
pid_t family_start(void (*become)(const void *ctx), const void *ctx, enum family_until until);

/* Ends the program and all that it started, and waits. *status receives the adopter's, as from
 * waitpid. */
void family_end(pid_t pid, int *status);
