/*
 * Starts rooftop again as a child, for work that may crash or hang: questions to the HSA runtime,
 * and replays. After a fork without exec, locks of other threads would stay locked.
 */
#pragma once

#include <sys/types.h>

#include "base/error.h"

/* Returns the program to start: $ROOFTOP_SELF (if rooftop runs only through a script, for another
 * loader or an emulated GPU), else this executable. */
const char *self_program(void);

/* Starts it with these arguments (argv[0] is set here) and default signals, in a process group of
 * its own. The kernel ends it when the thread that started it ends. Its input is /dev/null. *out_fd
 * and *err_fd receive descriptors to read its output and its messages, which the caller closes;
 * out_fd or err_fd NULL: /dev/null. Returns 0 with *pid, which the caller ends with self_end, or
 * -errno with err. */
int self_start(char **argv, pid_t *pid, int *out_fd, int *err_fd, struct error *err);

/* Ends the process and its group, and waits for at most wait_ms. Returns its status as waitpid
 * gives it, or -1 if a driver still holds it; then it is reaped when the driver releases it. */
int self_end(pid_t pid, int wait_ms);
