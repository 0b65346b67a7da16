/* What the files of backends/counters share among themselves. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/perf_common/context.h"
#include "backends/perf_common/group_plan.h"
#include "backends/perf_common/selftest.h"
#include "backends/perf_common/sys.h"
#include "backends/perf_common/tally.h"
#include "backends/perf_common/tasks.h"
#include "backends/perf_event/catalog.h"
#include "backends/perf_event/encoding.h"
#include "base/arena.h"
#include "base/error.h"
#include "engine/counters/event_catalog.h"
#include "engine/live/snapshot.h"
#include "engine/live/source.h"
#include "engine/live/target.h"

/* The events to count, resolved: the rows of the catalog, of -e and of the user's file. */
struct user_tables;

/* One encoding of an event; an event has several if several PMUs count it (hybrid CPUs, memory
 * channels). */
struct event_part {
    struct perf_encoding enc;
    size_t row; /* index in rows */
    int set;    /* number of the event's set in the plan */
};

/* One counter of the snapshot, identified by set and name. */
struct event_row {
    const char *set, *name, *desc; /* static if fixed, else in the table's arena */
    bool fixed;                    /* a row of the catalog */
    const char *spec;              /* as requested */
    const char *encoded;           /* spec with its encoding; only spec if there are no parts */
    bool user;
    size_t first;    /* its parts begin at parts[first] */
    unsigned parts;  /* number of parts; 0: it could not be resolved */
    const char *why; /* the reason for 0 parts, and what would help */
};

struct event_table {
    struct event_row *rows;
    size_t nrows;
    struct event_part *parts;
    size_t nparts;
    struct arena arena;
};

/* Builds the table. event_spec (-e, may be NULL) replaces the default hardware sets of arch, but
 * not those of ports; software and system-wide rows stay. A set that `sets` leaves out gets rows
 * without parts, whose reason says how to count it. Errors: a bad event_spec, or a bad event in the
 * user's file (ERROR_INPUT with FILE:LINE). A known event that this machine lacks becomes a row
 * without parts. Free it with events_free. */
int events_build(struct event_table *t, const struct arch_def *arch, const char *event_spec,
                 enum target_sets sets, const struct user_tables *user, struct error *err);
void events_free(struct event_table *t);
/* Plans all parts; where[i] is the place of parts[i]. Free it with group_plan_free. */
struct group_plan *events_plan(const struct event_table *t, const struct plan_limits *limits);

/* Turns a tally into counters of a snapshot: units, rates, reasons. */
struct emit_input {
    const struct event_table *events;
    const struct perf_context *context;
    enum target_kind kind;
    uid_t owner;         /* TARGET_PIDS: the owner of the process */
    unsigned long files; /* descriptors needed; 0: unknown */
    double interval_s;   /* 0: first sample, every value is pending */
    bool attaching; /* threads are still being attached: values are pending rather than missing */
    const char *coverage; /* "1,999 of 10,001 threads" if not all could be opened, else NULL */
    bool stopped;         /* the kernel stopped counting tasks that still run: struct stopped */
    const struct tally *tally;
    struct still *still; /* for each row, kept between samples; NULL: not checked */
};

/* Whether a counter that must move ever did. */
struct still {
    bool moved;
    double seconds; /* for how long it counted without a change */
};
enum { EMIT_STILL_MS = 200 };
#define EMIT_STOPPED                                                                               \
    "the kernel ended the counting when the command ran a set-user-ID program (sudo, ping)"

/* Appends one counter for each row of the table. */
void emit_counters(const struct emit_input *in, struct snapshot *out);

/* The events of `rooftop doctor events`: names of all kinds, and whether each opens now. */
extern const struct event_ops perf_event_ops;

/* Input of the notices, which tell the user more about the counting than the numbers. */
struct notice_input {
    const struct emit_input *emit;
    const struct tasks_status *tasks; /* NULL: no tasks are watched */
    const struct selftest *selftest;
    const char *split; /* events of the last group that was split; NULL: none */
};

void notices_add(const struct notice_input *in, struct snapshot *out);
/* Formats 12345 as "12,345". Returns out. */
const char *thousands(unsigned long n, char out[28]);

/* The perf backend's lines of `rooftop doctor`. */
void perf_probe(probe_sink sink, void *ctx);

/* Counts on CPUs. One thread, pinned to each CPU, opens and reads that CPU's groups, because
 * reading another CPU's counters costs an interrupt there (19 us instead of 0.4 us). A sample wakes
 * all threads once and waits a limited time for their answers. A late answer is counted in the next
 * sample. */
struct readers;

struct readers_config {
    const struct perf_sys *sys;
    const bool
        /* TARGET_MAX_CPUS flags: CPUs on which core and software groups are counted; copied */
        *cpus;
    /* -1, or the cgroup's directory: core and software groups then count only its tasks */
    int cgroup_fd;
    bool uncore_only; /* tasks are watched: only events of the whole machine are read here */
    /* With at most this many CPUs the caller reads all: waking a thread costs as much as the
     * interrupt that it saves. */
    int direct_max;
};

/* plan, and every plan set later, is borrowed until readers_free. */
struct readers *readers_new(const struct readers_config *config, const struct group_plan *plan);
void readers_set_plan(struct readers *r, const struct group_plan *plan);
/* Takes one sample into tally (made for the current plan). position[cpu] is a CPU's row in the
 * tally, or -1; NULL: no rows. Waits at most timeout_ns. */
void readers_sample(struct readers *r, uint64_t timeout_ns, const int *position, struct tally *t);
int readers_count(const struct readers *r); /* CPUs that are read */
void readers_free(struct readers *r);       /* ends the threads and closes all events */

/* Detects counters that the kernel has stopped while their target still runs. When a watched
 * command executes a set-user-ID program (sudo, ping), the kernel silently removes its events
 * (begin_new_exec in fs/exec.c), which then read 0 for ever. The CPU time in /proc shows that 0 is
 * wrong. */
struct stopped {  /* all zero: nothing seen yet */
    double cpu_s; /* CPU time of the target when it was last counted */
    bool known, now;
};

/* Checks a sample. all: every thread is attached. Returns whether tasks run but are not counted. */
bool stopped_look(struct stopped *s, const struct tally *y, const struct snapshot *out, bool all);
