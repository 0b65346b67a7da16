/* Lets go of many events without waiting for the kernel. */
#ifndef ROOFTOP_BACKENDS_USDT_EVENTS_CLOSE_H
#define ROOFTOP_BACKENDS_USDT_EVENTS_CLOSE_H

#include <stddef.h>

#include "backends/perf_common/sys.h"

/* Sorts fds. The kernel's own are closed by a process that outlives this call, and us, as long as
 * that takes; where there can be none, here. */
void usdt_close_events(const struct perf_sys *sys, int *fds, size_t n);

#endif
