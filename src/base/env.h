/*
 * The only door to time, the environment and randomness, so that tests can close it.
 */
#ifndef ROOFTOP_BASE_ENV_H
#define ROOFTOP_BASE_ENV_H

#include <stddef.h>
#include <stdint.h>

/* CLOCK_MONOTONIC in nanoseconds, or what env_set_clock's function returns. */
uint64_t env_now_ns(void);
/* CLOCK_REALTIME in nanoseconds since the epoch; follows the injected clock when there is one. */
uint64_t env_wall_ns(void);
/* CPU time this process has used in all its threads, nanoseconds; follows the injected clock too
 * (0). */
uint64_t env_cpu_ns(void);
/* Injects a clock: both functions above return fn(ctx). NULL restores the real ones. */
void env_set_clock(uint64_t (*fn)(void *ctx), void *ctx);

/* Steps CLOCK_REALTIME, as NTP and `date -s` do; the monotonic clock knows nothing of it. 0 undoes
 * it. */
void env_set_wall_step(int64_t ns);

/* getenv; NULL where unset or empty. */
const char *env_get(const char *name);
/* setenv; value NULL unsets. Only while there is one thread. */
void env_put(const char *name, const char *value);

/*
 * Where /proc, /sys and /etc are read: abs prefixed by the injected root ("" by default), in out.
 * Tests point the root at a recorded tree. Returns out.
 */
const char *env_path(char *out, size_t size, const char *abs_fmt, ...)
    __attribute__((format(printf, 3, 4)));
void env_set_root(const char *root); /* borrowed; NULL restores the real one */

#endif
