/*
 * rooftop started again as a child, for work that may crash or hang: what asks the HSA runtime,
 * and replays. Never fork alone for that: other threads' locks would stay locked.
 */
#ifndef ROOFTOP_BASE_SELF_H
#define ROOFTOP_BASE_SELF_H

#include <sys/types.h>

#include "base/error.h"

/* The program to start: $ROOFTOP_SELF (where it can run only through a script: under another
 * loader, on an emulated GPU), else this executable. */
const char *self_program(void);

/*
 * Starts it with these arguments (argv[0] is put in place here), with default signals, in a process
 * group of its own, ended by the kernel when the thread that started it ends. Its input is
 * /dev/null; *out_fd, *err_fd: where its output and its messages can be read, close-on-exec, to be
 * closed by the caller; NULL: /dev/null. 0 and *pid, to be waited for, or -errno with err.
 */
int self_start(char **argv, pid_t *pid, int *out_fd, int *err_fd, struct error *err);

/* Ends it and its group, and waits for that for at most so long. Its status, as waitpid gives it;
 * or -1: it is still there, held by a driver. It is reaped then when it is let go. */
int self_end(pid_t pid, int wait_ms);

#endif
