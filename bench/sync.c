/*
 * What each sync mode costs a program whose work a device does: passes of 28 layers of 12 bricks,
 * each brick one kernel, against the same passes with nothing recorded. The device is simulated: it
 * runs what is enqueued one after another while the host goes on; a launch takes the host LAUNCH
 * ns, a stamp STAMP, a wait returns WAKE after the device is done. These are what CUDA takes on
 * common machines, in round numbers: the mode's cost is mostly them, and how full the queue is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "rooftop/brick.h"

enum { LAYERS = 28, BRICKS = 12, ROUNDS = 21, MODES = 4 };
enum { LAUNCH = 2500, STAMP = 1000, WAKE = 8000, EVENTS = 2 * LAYERS * (BRICKS + 1) + 2 };

/* CPU time, because waiting spins: time that other programs take does not count. */
static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void spin_until(uint64_t when)
{
    while (now() < when) {
    }
}

static struct device {
    uint64_t done; /* time at which all enqueued work will have run */
    uint64_t stamp[EVENTS + 1];
    uint32_t stamps, waits;
} device;

static void launch(uint64_t ns)
{
    uint64_t at = now();
    spin_until(at + LAUNCH);
    device.done = (device.done > at + LAUNCH ? device.done : at + LAUNCH) + ns;
}

static int synchronize(void *context)
{
    (void)context;
    device.waits++;
    spin_until(device.done);
    spin_until(now() + WAKE);
    device.stamps = 0;
    return 0;
}

static int record(void *context, uint32_t *event)
{
    (void)context;
    if (device.stamps == EVENTS)
        return -1;
    uint64_t at = now() + STAMP;
    spin_until(at);
    *event = ++device.stamps;
    device.stamp[*event] = device.done > at ? device.done : at;
    return 0;
}

static int resolve(void *context, uint32_t event, uint64_t *ns)
{
    (void)context;
    *ns = device.stamp[event];
    return 0;
}

/* One pass; in every mode the program waits for the device at its end. */
static double pass(enum rooftop_sync mode, uint64_t kernel)
{
    rooftop_set_sync(mode);
    uint64_t begin = now();
    for (uint32_t l = 0; l < LAYERS; l++) {
        rooftop_timer layer = rooftop_start(rooftop_layer(l));
        for (rooftop_id b = 0; b < BRICKS; b++) {
            rooftop_timer t = rooftop_start(b);
            launch(kernel);
            rooftop_stop(t, 4096);
        }
        rooftop_stop(layer, 0);
    }
    if (mode == ROOFTOP_NONE)
        synchronize(NULL);
    else
        rooftop_finalize(0);
    return (double)(now() - begin);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The modes take turns, so that other load on the machine affects all. Prints the median of each
 * mode's overhead over the pass without recording next to it. */
static void measure(uint64_t kernel)
{
    static const enum rooftop_sync modes[MODES] = {ROOFTOP_NONE, ROOFTOP_DEFERRED,
                                                   ROOFTOP_PER_LAYER, ROOFTOP_IMMEDIATE};
    static double more[MODES][ROUNDS];
    double none = 0;
    uint32_t waits[MODES] = {0};
    for (int i = 0; i < ROUNDS; i++)
        for (int m = 0; m < MODES; m++) {
            device.waits = 0;
            double took = pass(modes[m], kernel);
            none = m == 0 ? took : none;
            more[m][i] = 100 * (took / none - 1);
            waits[m] = device.waits;
        }
    for (int m = 1; m < MODES; m++)
        qsort(more[m], ROUNDS, sizeof **more, ascending);
    printf("kernels of %3.0f us: deferred %+.1f %% (%u waits), per layer %+.1f %% (%u), immediate "
           "%+.1f %% (%u)\n",
           (double)kernel / 1e3, more[1][ROUNDS / 2], waits[1], more[2][ROUNDS / 2], waits[2],
           more[3][ROUNDS / 2], waits[3]);
}

int main(void)
{
    static const uint64_t kernels[] = {2000, 5000, 10000, 20000, 50000, 100000};
    const rooftop_device hooks = {.synchronize = synchronize, .record = record, .resolve = resolve};
    rooftop_set_device(&hooks);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        measure(kernels[i]);
    if (rooftop_dropped() || *rooftop_error()) {
        fprintf(stderr, "sync: not all was recorded: %s\n", rooftop_error());
        return 1;
    }
    return 0;
}
