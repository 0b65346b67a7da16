/*
 * Turns records into profiles: keeps the mappings of processes, unwinds, finds names, folds. All
 * functions except worker_swap belong to one thread; the fold and the table of symbols are shared
 * under the lock.
 */
#ifndef ROOFTOP_BACKENDS_SAMPLER_WORKER_H
#define ROOFTOP_BACKENDS_SAMPLER_WORKER_H

#include <pthread.h>

#include "backends/sampler/fold.h"
#include "backends/unwind/record.h"
#include "backends/unwind/symtab.h"
#include "engine/live/snapshot.h"

struct sampler_worker;

/* What a worker keeps at most, in bytes: names, files, mappings and folded stacks. */
enum { WORKER_BYTES_MAX = 128 << 20 };

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

/*
 * Moves what was folded since the last call into p, allocated from out; the caller sets the other
 * fields of p. Any thread may call it.
 */
void worker_swap(struct sampler_worker *w, struct snapshot *out, struct hot_stacks *p);

#endif
