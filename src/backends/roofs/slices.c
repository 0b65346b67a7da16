#include "backends/roofs/roofs_impl.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "base/order.h"

/* Additions in a slice of the clock, about a fifth of a slice of work at 3 GHz. */
enum { CLOCK_ITERATIONS = 1500, TRIES = 4 };

uint64_t slices_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

double slices_median(double *values, size_t n, double *spread)
{
    if (n == 0) {
        *spread = NAN;
        return NAN;
    }
    qsort(values, n, sizeof *values, order_doubles);
    double median = n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
    *spread = (values[3 * n / 4] - values[n / 4]) / median;
    return median;
}

long slices_switches(void)
{
    struct rusage u;
    getrusage(RUSAGE_THREAD, &u);
    return u.ru_nivcsw;
}

/* Measures the length of a cycle: ns for each addition of the chain. */
static double cycle_ns(void)
{
    uint64_t begin = slices_now();
    clock_loop(CLOCK_ITERATIONS);
    return (double)(slices_now() - begin) / (CLOCK_ITERATIONS * (double)CLOCK_CHAIN);
}

static uint64_t time_slice(const struct slice_work *w, uint64_t n)
{
    uint64_t begin = slices_now();
    w->run(w, n);
    return slices_now() - begin;
}

/* The number of iterations that take about slice_ns. Tries again if they took longer, because after
 * an interruption the slices would be so short that reading the clock matters. */
static uint64_t iterations_for(const struct slice_work *w, uint64_t slice_ns)
{
    uint64_t n = 1;
    for (int i = 0; i < 40; i++) {
        uint64_t took = time_slice(w, n);
        for (int again = 0; again < 2 && took >= slice_ns / 2; again++) {
            uint64_t other = time_slice(w, n);
            took = other < took ? other : took;
        }
        if (took >= slice_ns / 2)
            return took ? (uint64_t)((double)n * (double)slice_ns / (double)took) + 1 : n;
        n *= 2;
    }
    return n;
}

/* Measures a slice between two slices of the clock. Returns false if something else ran meanwhile.
 */
static bool take_slice(const struct slice_work *w, uint64_t n, double *per_cycle, double *clock)
{
    long before = slices_switches();
    double first = cycle_ns();
    uint64_t begin = slices_now();
    w->run(w, n);
    double took = (double)(slices_now() - begin);
    double cycle = (first + cycle_ns()) / 2;
    *per_cycle = took > 0 ? w->amount * (double)n / (took / cycle) : NAN;
    *clock = 1e9 / cycle;
    return slices_switches() == before && took > 0;
}

struct slice_result slices_run(const struct slice_work *w, uint64_t slice_ns, size_t slices)
{
    double per_cycle[SLICES_MAX] = {0}, clock[SLICES_MAX] = {0}, ignored;
    struct slice_result r = {.slices = 0};
    slices = slices < SLICES_MAX ? slices : SLICES_MAX;
    uint64_t n = iterations_for(w, slice_ns);
    uint64_t begin = slices_now(), most = slices * TRIES * (slice_ns + slice_ns / 2);
    bool cold = true;
    w->run(w, n); /* wakes the unit and lets the clock settle */
    while (r.slices < slices && slices_now() - begin < most) {
        if (cold && w->warm)
            w->run(w, w->warm);
        cold = !take_slice(w, n, &per_cycle[r.slices], &clock[r.slices]);
        r.slices += !cold;
    }
    r.per_cycle = slices_median(per_cycle, r.slices, &r.spread);
    if (r.slices < SLICES_LEAST)
        r.spread = NAN;
    r.clock = slices_median(clock, r.slices, &ignored);
    r.rate = r.per_cycle * r.clock;
    return r;
}
