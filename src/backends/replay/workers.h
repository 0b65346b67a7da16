/* A few threads that share the blocks of a large job, repeatedly. */
#pragma once

#include <stddef.h>

struct replay_workers;

/* Starts threads, including the caller. threads 0: one for each CPU, at most eight. */
struct replay_workers *replay_workers_start(unsigned threads);
void replay_workers_stop(struct replay_workers *w); /* NULL is allowed */
/*
 * Calls item(ctx, i) for all i below n, in parallel and in any order; returns when all are done.
 * tick (may be NULL) is called repeatedly on the caller's thread.
 */
void replay_workers_run(struct replay_workers *w, size_t n, void (*item)(void *ctx, size_t i),
                        void (*tick)(void *ctx), void *ctx);
unsigned replay_workers_threads(const struct replay_workers *w);
