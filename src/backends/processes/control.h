/*
 * Sends a signal to a process, or changes its nice value. A number may be reused by a new process,
 * so the start time is compared first, and signals go through a process descriptor (pidfd).
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* Returns 0 or -errno: -ESRCH if the process has ended or a new process has its number, -EPERM. */
int control_signal(pid_t pid, uint64_t start_ticks, int signo, struct error *err);

/* Sets the nice value of all threads of the process: setpriority(2) changes only one thread.
 * -EACCES: only root may lower the value. */
int control_nice(pid_t pid, uint64_t start_ticks, int nice, struct error *err);
