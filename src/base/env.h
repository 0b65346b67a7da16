/*
 * The only door to time, the environment and randomness, so that tests can close it.
 */
#ifndef ROOFTOP_BASE_ENV_H
#define ROOFTOP_BASE_ENV_H

#include <stdint.h>

/* CLOCK_MONOTONIC in nanoseconds, or what env_set_clock's function returns. */
uint64_t env_now_ns(void);
/* CLOCK_REALTIME in nanoseconds since the epoch; follows the injected clock when there is one. */
uint64_t env_wall_ns(void);
/* Injects a clock: both functions above return fn(ctx). NULL restores the real ones. */
void env_set_clock(uint64_t (*fn)(void *ctx), void *ctx);

/* getenv; NULL where unset or empty. */
const char *env_get(const char *name);

#endif
