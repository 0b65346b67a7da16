/* What the files of backends/functions share among themselves. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/perf_common/context.h"
#include "backends/perf_common/explain.h"
#include "backends/perf_common/perf_ring.h"
#include "backends/perf_common/sys.h"
#include "backends/perf_event/encoding.h"
#include "backends/perf_common/perf_record.h"
#include "backends/unwind/symtab.h"
#include "base/hash_table.h"
#include "engine/functions/hot_stacks.h"
#include "engine/live/snapshot.h"
#include "engine/live/source.h"
#include "engine/live/target.h"

/*
 * The events that sample a target, and the rings that they write to: opened, enabled, closed.
 *
 * There is one ring for each CPU. If a target has more threads than there are descriptors, whole
 * CPUs are sampled, if that is allowed, and the reader keeps the samples of the target. Events that
 * follow tasks are opened for each task and CPU, because the kernel gives an inherited event no
 * ring of its own. They all write to the ring of their CPU. That ring belongs to an event of ours
 * that counts nothing, so that it outlives the tasks.
 *
 * cycles is sampled, or cpu-clock (a timer) if cycles cannot be. cpu-clock also fires on idle
 * CPUs: the kernel drops such samples (exclude_idle), and samples of process 0 are not kept.
 */
struct tap_config {
    const struct perf_sys *sys;
    const struct perf_context *context;
    const struct target *target;
    pid_t command;      /* TARGET_COMMAND */
    bool command_waits; /* it has not executed yet: sampling starts with the exec */
    struct sampling sampling;
    const _Atomic bool *quit; /* stops the opening early; NULL: never */
};

struct tap_ring {
    int cpu, fd;
    struct perf_ring ring;
    size_t mapped; /* bytes; 0: not mapped */
};

struct tap {
    const struct perf_sys *sys;
    const char *event; /* "cycles", "cpu-clock" */
    enum callgraph callgraph;
    bool cpu_clock, kernel_excluded;
    double hz;    /* the rate in use; lower than requested if the kernel limits it */
    size_t nregs; /* registers in a sample; 0: no dumps */
    struct tap_ring *rings;
    size_t nrings;
    /* not NULL: whole CPUs are sampled for these processes and what they start from now on */
    pid_t *only;
    size_t nonly;
    int *fds; /* the sampling events */
    size_t nfds, cap_fds;
    int cgroup_fd;
    size_t tasks, tasks_left; /* threads found; threads that could not be opened */
    int error;                /* positive errno of the first error */
    char why[320];            /* how it differs from the request; "": not at all */
    char help[320];           /* what would help; "": nothing */
};

/* Bytes of the user stack to copy: for all callers with CALLGRAPH_DWARF; with CALLGRAPH_FP only for
 * the innermost function, which mostly has no frame pointer. */
enum { TAP_STACK_BYTES = 8192, TAP_STACK_BYTES_FP = 512 };

/* Opens and enables the events. Always fills s, which tap_close frees. Returns whether anything is
 * sampled. */
bool tap_open(struct tap *s, const struct tap_config *c);
void tap_close(struct tap *s); /* allowed on a zeroed tap */

/* Lists the process, its descendants, and the processes of its session; the caller frees *pids.
 * Returns how many. */
size_t tap_family(pid_t pid, pid_t **pids);

/* Passes batches of records, bounded in bytes, from the thread that empties the rings to the thread
 * that finds names, and puts the records in order of time. Each ring alone is in order, but a
 * mapping made on one CPU must be known before a later sample from another CPU. */

/* The records of one pass over all rings. */
struct batch {
    struct batch *next;
    struct batch_entry {
        uint64_t time;
        size_t at, size;
    } * entries;
    size_t n, cap, used, cap_bytes;
    uint8_t *bytes;
    size_t left;      /* entries not yet returned */
    uint64_t until;   /* complete up to this time; UINT64_MAX: the last batch */
    uint64_t request; /* number of the request that this pass answers */
    uint64_t lost;    /* records that did not fit or were invalid */
};

void batch_add(struct batch *b, const void *record, size_t size);

struct batch_queue {
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct batch *first, *last;
    size_t bytes; /* queued or being processed */
    bool closed;
};

void batch_queue_init(struct batch_queue *q);
void batch_queue_destroy(struct batch_queue *q);
void batch_queue_put(struct batch_queue *q, struct batch *b);
/* Waits for a batch; NULL once the queue is closed. */
struct batch *batch_queue_take(struct batch_queue *q);
void batch_queue_close(struct batch_queue *q);
size_t batch_queue_bytes(struct batch_queue *q);

/* Returns records in order of time. */
struct batch_order {
    struct order_item {
        uint64_t time, number;
        struct batch *batch;
        size_t entry;
    } * items;
    size_t n, cap, next;
    uint64_t numbered, until;
};

/* Adds a batch. The order owns it from now on and releases it once all its records were returned.
 * Take all ready records before adding the next batch. */
void order_add(struct batch_order *o, struct batch_queue *q, struct batch *b);
/* The next record, if no earlier one can still arrive, valid until the next call; else NULL. */
const void *order_next(struct batch_order *o, struct batch_queue *q, size_t *size, uint64_t *time);
void order_free(struct batch_order *o, struct batch_queue *q);

/* Folds call stacks into a tree of calls. Symbols are plain numbers here; stacks begin with the
 * outermost frame. Used by one thread, or under the owner's lock. */

/* The position of a sample's innermost frame. */
struct fold_place {
    uint64_t address;
    const char *file; /* borrowed until the next reset */
    int line;
};

struct fold {
    struct hot_node *nodes; /* parents come before their children */
    size_t nnodes, cap_nodes;
    struct hot_place *places;
    size_t nplaces, cap_places;
    uint64_t samples;
    struct hash_table by_call, by_place;
};

enum { FOLD_NODES_MAX = 1 << 16, FOLD_PLACES_MAX = 1 << 16 };

/* Adds one sample with the stack symbols[0..n), n >= 1. When FOLD_NODES_MAX is reached, new nodes
 * are not made: the sample counts for the last known frame. */
void fold_add(struct fold *f, const uint32_t *symbols, size_t n, const struct fold_place *place);
size_t fold_memory(const struct fold *f); /* bytes */
void fold_reset(struct fold *f);          /* keeps the memory; a zeroed fold is empty */
void fold_free(struct fold *f);

/* The sampler's lines of `rooftop doctor`. */
void sampler_probe(probe_sink sink, void *ctx);

/* Sampling while it is on. One thread empties the rings and sleeps; another finds names and folds.
 * The caller waits for neither: when names take long (a large DWARF file), results come later, but
 * nothing is lost as long as it fits into the queue between the two threads. */
struct sampler_run;

/* Starts sampling. A command that waits for its start is sampled before this returns; threads of
 * other targets are opened on a separate thread. What config points to is copied. */
struct sampler_run *run_start(const struct tap_config *config);

/* Writes what was folded since the last call to out->stacks, and notices. It first requests the
 * newest records and waits at most wait_ms for them. all: also records that are too recent to be
 * certainly complete (the target has ended). */
void run_collect(struct sampler_run *r, struct snapshot *out, unsigned wait_ms, bool all);

/* Ends sampling: the events are closed when this returns. A worker that still reads a large file
 * ends later by itself. */
void run_stop(struct sampler_run *r);

/* What tap.c (opening) and tap_choose.c (choosing) share. */
struct tap_opening {
    struct tap *s;
    const struct tap_config *c;
    struct perf_encoding *cycles; /* one for each kind of core */
    size_t ncycles;
    size_t ring_bytes;
    bool ring_refused; /* the limit of locked memory was exceeded */
};

/* Fields of every sample, so that samples can be sorted by time. */
enum {
    SAMPLED_FIELDS =
        PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD
};
/* The fields for a kind of call graph; with dumps, also the user's registers and stack. */
uint64_t tap_sample_type(enum callgraph callgraph, bool dumps);
/* e NULL: cpu-clock */
void tap_fill_attr(const struct tap_opening *o, const struct perf_encoding *e,
                   struct perf_event_attr *a);

/* Connects an event to its CPU's ring, which the first event of the CPU creates. Returns 0 or
 * -errno. */
int tap_attach(struct tap_opening *o, int fd, int cpu, bool of_task);

void tap_choose_rate(struct tap_opening *o);
void tap_choose_callgraph(struct tap_opening *o);
void tap_choose_event(struct tap_opening *o);
/* Stores the reason for an errno in s->why and help, unless there is one already. */
void tap_say(struct tap *s, const struct tap_config *c, int err, enum explain_event event,
             const char *prefix);

/* Turns records into profiles: keeps the mappings of processes, unwinds, finds names, folds. All
 * functions except worker_swap belong to one thread; the fold and the table of symbols are shared
 * under the lock. */
struct sampler_worker;

/* Limit of a worker's bytes for names, files, mappings and folded stacks. */
enum { WORKER_BYTES_MAX = 160 << 20 };

struct worker_config {
    enum callgraph callgraph;
    size_t nregs;
    const pid_t *only; /* not NULL: only samples of these processes and of those that they start */
    size_t nonly;
    /* keep samples of process 0: they are work with cycles, idle time with a timer */
    bool keep_idle;
};

struct sampler_worker *worker_new(void);
void worker_free(struct sampler_worker *w);
void worker_configure(struct sampler_worker *w, const struct worker_config *c);

/* Processes one record; records come in order of time. */
void worker_record(struct sampler_worker *w, const void *data, size_t size);
/* Bytes that it keeps, roughly. Only for the thread of worker_record. */
size_t worker_memory(struct sampler_worker *w);
/* Counts records that were lost before. */
void worker_lost(struct sampler_worker *w, uint64_t n);

/* Moves what was folded since the last call into p, allocated from out; the caller sets the other
 * fields of p. Any thread may call it. */
void worker_swap(struct sampler_worker *w, struct snapshot *out, struct hot_stacks *p);
