/*
 * --syscalls: the system calls inside bricks, for the commands over traces. A command is traced
 * while it records its bricks (without FILE by the dashboard's tracer; with FILE by another rooftop
 * that also keeps the trace there); profiles have their trace in FILE.
 */
#pragma once

#include "cli/options/options.h"
#include "engine/live/engine.h"
#include "engine/syscalls/feed.h"
#include "engine/trace/trace.h"

/* Bytes for the calls that are kept without FILE: 1,677,721 of them. */
enum { TRACE_SYSCALLS_BYTES = 64 << 20 };

struct syscalls_watch;
struct trace_syscalls {
    struct syscalls_watch *watch;  /* NULL: no command is traced without FILE */
    struct call_feed *feed;        /* of the watch */
    struct syscall_recent *recent; /* its calls, after trace_syscalls_end; NULL: none */
    const char *file;              /* NULL: none */
    bool lanes;                    /* the calls are drawn, too: of a timeline */
};

/* Checks the options. ERROR_USAGE if they cannot be satisfied. */
int trace_syscalls_open(struct trace_syscalls *s, const struct options *o, struct error *err);
/* Makes the engine's command a traced one. */
void trace_syscalls_prepare(struct trace_syscalls *s, struct engine_config *config);
/* After the command has ended: waits for the rest of the trace. -errno with err if it could not be
 * traced. */
int trace_syscalls_end(struct trace_syscalls *s, struct error *err);
/* Counts the calls of each node of the trace's graphs, and adds lanes of calls where they are
 * drawn; says on stderr what is not in the counts. */
int trace_syscalls_count(struct trace_syscalls *s, struct trace *t, struct error *err);
void trace_syscalls_close(struct trace_syscalls *s);
