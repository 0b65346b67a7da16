/* The tracer in a process of its own: rooftop starts itself for it (engine/syscalls/picture). */
#ifndef ROOFTOP_CLI_SYSCALLS_TRACE_CHILD_H
#define ROOFTOP_CLI_SYSCALLS_TRACE_CHILD_H

#include "cli/options/options.h"

/* Traces the processes of -p and their descendants until SIGTERM, or until nobody reads, and writes
 * records to standard output. Returns the exit status. */
int trace_child_run(const struct options *o);

#endif
