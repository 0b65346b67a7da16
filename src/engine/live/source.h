/*
 * The interface a live backend fills. One backend is one folder under backends/ that exports one
 * `const struct source_ops`, and a SOURCE in capabilities.def.
 *
 * All calls come from the sampling thread (probe: from any one thread). A source never prints.
 */
#pragma once

#include "base/error.h"
#include "engine/counters/event_catalog.h"
#include "engine/live/snapshot.h"
#include "engine/live/target.h"

enum probe_state { PROBE_NO, PROBE_PARTIAL, PROBE_YES };

/* One line of `rooftop doctor`. Strings are copied by the sink. */
struct probe_finding {
    const char *id;    /* stable: "perf.hardware", "perf.system-wide", "rapl", … */
    const char *label; /* "hardware counters" */
    enum probe_state state;
    /* what was found, or why not: "perf_event_open: ENOENT, no PMU (virtual machine)" */
    const char *why;
    /* the exact command that would enable it; NULL = nothing would, or already there */
    const char *enable;
};
typedef void (*probe_sink)(void *ctx, const struct probe_finding *c);

struct brick_stream; /* engine/bricks/brick_stream.h */
struct user_tables;  /* events and metrics from the user's file: engine/live/user_tables.h */

struct call_feed;
struct source_config {
    const struct target *target;
    const struct user_tables *user; /* NULL: none */
    struct host *host;              /* the "proc" source fills it in open; others may refine pmu */
    const char *roofs;        /* a file of roofs for bricks (roofline_open.h); NULL: this host's */
    const char *brick_folder; /* TARGET_COMMAND: where it records its bricks; the "command"
                                 source's; NULL = the shared folder */
    struct call_feed *calls;  /* system calls of the target, if it is traced; NULL: none */
    pid_t command_pid; /* TARGET_COMMAND: set by the "command" source's open, stopped before exec */
    struct brick_stream *bricks; /* receives spans as they end; NULL: nobody does */
};

struct source; /* never defined: what a backend opens, its own struct NAME_source */

struct source_ops {
    const char *name;    /* "perf" */
    const char *summary; /* one line for docs and doctor */
    /* Reports what this backend could do here, or why not. Leaves nothing open. */
    void (*probe)(probe_sink sink, void *ctx);
    /* The part of a source that may crash or hang; engine/live/ask.h calls it in a child process.
     * Returns an answer of n bytes in the source's own form, which the caller frees. NULL if the
     * source has no such part. */
    void *(*ask)(size_t *n);
    /*
     * 0 and *out, or -errno with err when the target itself is bad (unknown event, PID gone, ...).
     * Something unavailable is no error: open succeeds and poll reports missing values.
     */
    int (*open)(struct source **out, struct source_config *config, struct error *err);
    /* After every source was opened and polled once; "command" lets its child go here. May be NULL.
     */
    int (*start)(struct source *self, struct error *err);
    /* Fills the snapshot with what happened since the previous poll. now_ns is the tick's time. */
    void (*poll)(struct source *self, struct snapshot *out, uint64_t now_ns);
    /* Between two polls: hands over requested data as it arrives. NULL: the source has none. */
    void (*follow)(struct source *self);
    void (*close)(struct source *self);
    const struct event_ops *events; /* the events that it can count; NULL: none */
    /* Writes all recorded output of a command to path; NULL where the source has none. */
    int (*save_output)(struct source *self, const char *path, struct error *err);
};

/* All of capabilities.def: NULL-terminated, in open and poll order. */
extern const struct source_ops *const backends[];
