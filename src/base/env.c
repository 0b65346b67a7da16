#include "base/env.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static uint64_t (*clock_fn)(void *);
static void *clock_ctx;
static int64_t wall_step;

static uint64_t read_clock_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t env_now_ns(void)
{
    return clock_fn ? clock_fn(clock_ctx) : read_clock_ns(CLOCK_MONOTONIC);
}

uint64_t env_wall_ns(void)
{
    return (clock_fn ? clock_fn(clock_ctx) : read_clock_ns(CLOCK_REALTIME)) + (uint64_t)wall_step;
}

uint64_t env_cpu_ns(void)
{
    return clock_fn ? 0 : read_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

void env_set_clock(uint64_t (*fn)(void *ctx), void *ctx)
{
    clock_fn = fn;
    clock_ctx = ctx;
}

void env_set_wall_step(int64_t ns)
{
    wall_step = ns;
}

void env_random(void *out, size_t n)
{
    unsigned char *p = out;
    uint64_t other = read_clock_ns(CLOCK_REALTIME) ^ (uint64_t)getpid() << 40;
    while (n) {
        ssize_t got = getrandom(p, n, 0);
        if (got <= 0) { /* getrandom is missing or filtered; the bytes only have to be unique */
            other = other * UINT64_C(6364136223846793005) + 1442695040888963407u;
            *p = (unsigned char)(other >> 56);
            got = 1;
        }
        p += got;
        n -= (size_t)got;
    }
}

const char *env_get(const char *name)
{
    const char *v = getenv(name);
    return v && *v ? v : NULL;
}

void env_put(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static const char *path_root = "";

void env_set_root(const char *root)
{
    path_root = root ? root : "";
}

const char *env_path(char *out, size_t size, const char *abs_fmt, ...)
{
    int n = snprintf(out, size, "%s", path_root);
    if (n < 0 || (size_t)n >= size)
        return out;
    va_list ap;
    va_start(ap, abs_fmt);
    vsnprintf(out + n, size - (size_t)n, abs_fmt, ap);
    va_end(ap);
    return out;
}
