/*
 * Records in, profile out: keeps the maps of processes, unwinds, names, folds. worker_* but
 * worker_swap are one thread's; the fold and the table of symbols are shared under the lock.
 */
#ifndef ROOFTOP_BACKENDS_SAMPLER_WORKER_H
#define ROOFTOP_BACKENDS_SAMPLER_WORKER_H

#include <pthread.h>

#include "backends/sampler/fold.h"
#include "backends/unwind/record.h"
#include "backends/unwind/symtab.h"
#include "engine/live/snapshot.h"

struct worker;

struct worker_config {
    enum callgraph callgraph;
    size_t nregs;
    const pid_t *only; /* not NULL: samples of these processes, and of those that they start */
    size_t nonly;
    bool keep_idle; /* samples of process 0: with cycles they are work, with a timer they are not */
};

struct worker *worker_new(void);
void worker_free(struct worker *w);
void worker_configure(struct worker *w, const struct worker_config *c);

/* One record of the ring, in the order of time. */
void worker_record(struct worker *w, const void *data, size_t size);
/* Records that were lost on the way. */
void worker_lost(struct worker *w, uint64_t n);

/*
 * Any thread: moves what was folded since the last call into p, allocated from out; p's other
 * fields are the caller's.
 */
void worker_swap(struct worker *w, struct snapshot *out, struct profile *p);

#endif
