/* A few threads that do slices of one job together. */
#ifndef TRANSFORMER_POOL_H
#define TRANSFORMER_POOL_H

#include <stddef.h>

struct pool;
/* threads: their number, including the caller's own. NULL if they cannot be started. */
struct pool *pool_new(int threads);
void pool_free(struct pool *p);
int pool_threads(const struct pool *p);
/* Calls slice(ctx, i, threads) on every thread, i = 0 on the caller's; returns when all have. */
void pool_run(struct pool *p, void (*slice)(void *ctx, int i, int n), void *ctx);

#endif
