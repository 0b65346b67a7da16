/*
 * Advice that changes the machine for others than who asks, in one place: the least that helps
 * comes first, and each says what else it does and how it is undone.
 */
#ifndef ROOFTOP_BACKENDS_COMMON_ADVICE_H
#define ROOFTOP_BACKENDS_COMMON_ADVICE_H

#include <stddef.h>

enum { ADVICE_BYTES = 320 };

#define ADVICE_HIDEPID                                                                             \
    "run rooftop with sudo, or as a member of the group that /proc's mount option gid= names"
#define ADVICE_WATCHDOG                                                                            \
    "`sudo sysctl kernel.nmi_watchdog=0` frees it until the next boot (=1 undoes it); the kernel " \
    "does not notice CPUs that hang meanwhile"
#define ADVICE_TRACEFS                                                                             \
    "run rooftop with sudo, or let one group read it until the next boot: `sudo mount -o "         \
    "remount,gid=GROUP,mode=750 /sys/kernel/tracing` (mode=700 undoes it)"

/*
 * To be allowed what kernel.perf_event_paranoid, which is now at this level, forbids above `need`.
 * Debian's and Ubuntu's levels from 3 up leave no right but root's. Returns out.
 */
const char *advice_paranoid(int now, int need, char out[ADVICE_BYTES]);
/* To be allowed more memory for buffers of perf_event. Returns out.
 *   Source: Documentation/admin-guide/sysctl/kernel.rst, perf_event_mlock_kb; perf_mmap of
 *   kernel/events/core.c: for each CPU and user, beyond it RLIMIT_MEMLOCK of the process. */
const char *advice_locked_memory(char out[ADVICE_BYTES]);

#endif
