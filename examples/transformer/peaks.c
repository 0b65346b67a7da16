#include "peaks.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 5, TRIES = 6, SPIN = 400000 };
#define GOOD_SPREAD 0.02
static const size_t buffer_bytes = (size_t)128 << 20;

struct job {
    const struct kernels *k;
    const float *buffer;
    size_t n;
    volatile float sink[64];
};

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void spin(void *ctx, int i, int n)
{
    struct job *j = ctx;
    (void)n;
    j->sink[i & 63] = j->k->spin(SPIN);
}

static void read_all(void *ctx, int i, int n)
{
    struct job *j = ctx;
    size_t from = j->n * (size_t)i / (size_t)n, to = j->n * (size_t)(i + 1) / (size_t)n;
    j->sink[i & 63] = j->k->sum(j->buffer + from, to - from);
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The best of a few: a peak is what was possible once. Only where several came near to it was it no
 * accident: spread is how much longer the third of them took. Where that is bad, the machine was
 * doing something else, and it is measured again, a bounded number of times. */
static double best(struct pool *p, void (*slice)(void *, int, int), struct job *j, double *spread)
{
    uint64_t took[ROUNDS * TRIES];
    int n = 0;
    do {
        for (int r = 0; r < ROUNDS; r++) {
            uint64_t begin = now();
            pool_run(p, slice, j);
            took[n++] = now() - begin;
        }
        qsort(took, (size_t)n, sizeof *took, ascending);
        *spread = (double)(took[2] - took[0]) / (double)took[0];
    } while (*spread > GOOD_SPREAD && n + ROUNDS <= ROUNDS * TRIES);
    return (double)took[0] / 1e9;
}

struct peaks peaks_measure(const struct kernels *k, struct pool *p)
{
    struct peaks peaks = {0, 0, 0, 0};
    float *buffer = malloc(buffer_bytes);
    struct job j = {.k = k, .buffer = buffer, .n = buffer_bytes / sizeof(float)};
    peaks.flops = spin_flops(k) * SPIN * pool_threads(p) / best(p, spin, &j, &peaks.flops_spread);
    if (buffer) {
        memset(buffer, 0, buffer_bytes);
        peaks.bytes = (double)buffer_bytes / best(p, read_all, &j, &peaks.bytes_spread);
    }
    free(buffer);
    return peaks;
}
