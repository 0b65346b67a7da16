/* Closes many events without waiting for the kernel. */
#ifndef ROOFTOP_BACKENDS_USDT_EVENTS_CLOSE_H
#define ROOFTOP_BACKENDS_USDT_EVENTS_CLOSE_H

#include <stddef.h>

#include "backends/perf_common/sys.h"

/*
 * Sorts fds. A process that may outlive this call and us closes the kernel's events; if none can be
 * started, they are closed here.
 */
void usdt_close_events(const struct perf_sys *sys, int *fds, size_t n);

#endif
