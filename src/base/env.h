/* The only access to time, the environment and randomness, so that tests can replace them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* CLOCK_MONOTONIC in nanoseconds, or what env_set_clock's function returns. */
uint64_t env_now_ns(void);
/* CLOCK_REALTIME in nanoseconds since the epoch; follows the injected clock when there is one. */
uint64_t env_wall_ns(void);
/* CPU time that this process has used in all its threads, in nanoseconds; 0 while a clock is
 * injected. */
uint64_t env_cpu_ns(void);
/* Injects a clock: env_now_ns and env_wall_ns return fn(ctx). NULL restores the real ones. */
void env_set_clock(uint64_t (*fn)(void *ctx), void *ctx);

/* Simulates a step of CLOCK_REALTIME by ns, as NTP and `date -s` make it. The monotonic clock does
 * not change; 0 undoes the step. */
void env_set_wall_step(int64_t ns);

/* Fills n bytes that nobody can guess, for identifiers. */
void env_random(void *out, size_t n);

/* Like getenv, but returns NULL for an empty variable, too. */
const char *env_get(const char *name);
/* setenv; value NULL unsets. Call it only while there is one thread. */
void env_put(const char *name, const char *value);

/* Formats a path in /proc, /sys or /etc and puts the injected root ("" by default) in front of it.
 * Tests set the root to a recorded tree. Returns out. */
const char *env_path(char *out, size_t size, const char *abs_fmt, ...)
    __attribute__((format(printf, 3, 4)));
void env_set_root(const char *root); /* borrowed; NULL restores the real root */
