/* A few threads that share the blocks of a large piece of work, again and again. */
#ifndef ROOFTOP_BACKENDS_REPLAY_WORKERS_H
#define ROOFTOP_BACKENDS_REPLAY_WORKERS_H

#include <stddef.h>

struct replay_workers;

/* threads 0: as many as CPUs, eight at most. The caller is one of them. */
struct replay_workers *replay_workers_start(unsigned threads);
void replay_workers_stop(struct replay_workers *w); /* NULL allowed */
/* item(ctx, i) for all i below n, at once and in any order; returns when all are done. tick (may be
 * NULL) is called now and then on the caller's thread. */
void replay_workers_run(struct replay_workers *w, size_t n, void (*item)(void *ctx, size_t i),
                        void (*tick)(void *ctx), void *ctx);
unsigned replay_workers_threads(const struct replay_workers *w);

#endif
