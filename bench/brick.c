/*
 * Measures what instrumentation costs: start and stop of a brick, compared with two bare reads of
 * the same clock in the same loop, on 1 to N threads; and the cost of a brick that is turned off.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "rooftop/brick.h"

enum { LOOPS = 2000000, ROUNDS = 9, THREADS_MAX = 64 };

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static volatile uint64_t sink;

static double bare(void)
{
    uint64_t begin = now(), sum = 0;
    for (int i = 0; i < LOOPS; i++) {
        uint64_t a = now();
        sum += now() - a;
    }
    sink = sum;
    return (double)(now() - begin) / LOOPS;
}

static double bricks(void)
{
    uint64_t begin = now();
    for (int i = 0; i < LOOPS; i++) {
        rooftop_timer t = rooftop_start(ROOFTOP_RMS_NORM);
        rooftop_stop(t, 4096);
    }
    return (double)(now() - begin) / LOOPS;
}

/* An empty loop that the compiler keeps. What the measured loop takes beyond it is the branch. */
static double empty(void)
{
    uint64_t begin = now();
    for (int i = 0; i < LOOPS; i++)
        __asm__ volatile("" ::: "memory");
    return (double)(now() - begin) / LOOPS;
}

static double off(void)
{
    uint64_t begin = now();
    for (int i = 0; i < LOOPS; i++) {
        rooftop_timer t = rooftop_start(ROOFTOP_RMS_NORM);
        __asm__ volatile("" ::: "memory");
        rooftop_stop(t, 4096);
    }
    return (double)(now() - begin) / LOOPS;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v)
{
    qsort(v, ROUNDS, sizeof *v, ascending);
    return v[ROUNDS / 2];
}

struct result {
    double bare, brick, ratio;
};

/* The two loops take turns, so that other load on the machine affects both. */
static void *measure(void *arg)
{
    struct result *r = arg;
    double b[ROUNDS], s[ROUNDS], q[ROUNDS];
    bricks();
    for (int i = 0; i < ROUNDS; i++) {
        b[i] = bare();
        s[i] = bricks();
        q[i] = s[i] / b[i];
    }
    *r = (struct result){median(b), median(s), median(q)};
    return NULL;
}

int main(int argc, char **argv)
{
    int most = argc > 1 ? atoi(argv[1]) : 4;
    if (most < 1 || most > THREADS_MAX)
        return 2;
    for (int n = 1; n <= most; n *= 2) {
        pthread_t thread[THREADS_MAX];
        struct result r[THREADS_MAX] = {{0, 0, 0}};
        for (int i = 0; i < n; i++)
            if (pthread_create(&thread[i], NULL, measure, &r[i]) != 0)
                return 1;
        double bare_ns = 0, brick_ns = 0, ratio = 0;
        for (int i = 0; i < n; i++) {
            pthread_join(thread[i], NULL);
            bare_ns += r[i].bare / n, brick_ns += r[i].brick / n, ratio += r[i].ratio / n;
        }
        printf("threads %d bare %.2f ns brick %.2f ns ratio %.3f\n", n, bare_ns, brick_ns, ratio);
    }
    rooftop_set_sync(ROOFTOP_NONE);
    double e[ROUNDS], o[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        e[i] = empty();
        o[i] = off();
    }
    double loop = median(e);
    printf("off %.3f ns (loop %.3f ns)\n", median(o) - loop, loop);
    return 0;
}
