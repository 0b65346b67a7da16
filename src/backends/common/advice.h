/*
 * Advice that changes the machine for all its users, in one place. The smallest change that helps
 * comes first. Each text also says what else the change does and how to undo it.
 */
#pragma once

#include <stddef.h>

enum { ADVICE_BYTES = 320 };

#define ADVICE_HIDEPID                                                                             \
    "run rooftop with sudo, or as a member of the group that /proc's mount option gid= names"
#define ADVICE_PROC "sudo mount -t proc proc /proc"
#define ADVICE_WATCHDOG                                                                            \
    "`sudo sysctl kernel.nmi_watchdog=0` frees it until the next boot (=1 undoes it); the kernel " \
    "does not notice CPUs that hang meanwhile"
#define ADVICE_TRACEFS                                                                             \
    "run rooftop with sudo, or let one group read it until the next boot: `sudo mount -o "         \
    "remount,gid=GROUP,mode=750 /sys/kernel/tracing` (mode=700 undoes it)"

/* Writes how to get the rights that kernel.perf_event_paranoid at level `now` refuses and that
 * level `need` would give. At Debian's and Ubuntu's levels from 3 up only root has rights. Returns
 * out. */
const char *advice_paranoid(int now, int need, char out[ADVICE_BYTES]);
/*
 * Writes how to get more memory for perf_event's buffers. Returns out.
 *   Source: Documentation/admin-guide/sysctl/kernel.rst, perf_event_mlock_kb; perf_mmap in
 *   kernel/events/core.c: the limit is for each CPU and user, and beyond it the process's
 *   RLIMIT_MEMLOCK counts.
 */
const char *advice_locked_memory(char out[ADVICE_BYTES]);
