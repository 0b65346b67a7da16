/*
 * What a user does to a process: a signal, another nice value. The process is who it was shown as:
 * its start time is compared first, and a signal goes through a descriptor of the process, so that
 * one that got its number meanwhile is never hit.
 */
#ifndef ROOFTOP_ENGINE_LIVE_CONTROL_H
#define ROOFTOP_ENGINE_LIVE_CONTROL_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* 0 or -errno: ESRCH it has ended, or its number is another's now; EPERM. */
int control_signal(pid_t pid, uint64_t start_ticks, int signo, struct error *err);

/* Sets the nice value of all threads of the process: one thread's alone, as setpriority(2) does it,
 * is not what a user means. -EACCES: only root may lower it here. */
int control_nice(pid_t pid, uint64_t start_ticks, int nice, struct error *err);

#endif
