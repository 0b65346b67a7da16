#include "backends/roofs/roofs_impl.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum {
    CHUNK = 16 << 10, /* bytes of an array between two pauses */
    ITERATIONS = 32,  /* iterations of the circle in a slice */
    GAP_NS = 50000,   /* longer time between two looks at the clock: the thread did not run */
    GAPS_MAX = 512,
    RUNS_MAX = 6, /* runs for a point, until enough slices were undisturbed: */
    ENOUGH = 64,
    LEAST = 8 /* with fewer the point is left out */
};
#define LINE 64.0

/* The part of their time in which the threads make traffic. */
static const double busy[] = {0, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1};
enum { STEPS = sizeof busy / sizeof *busy };

/* A stored line is read before it is written, so in a copy two of three moved lines are reads. */
static const struct {
    const char *loop;
    unsigned reads, writes; /* lines that memory moves for each line of an array */
} curves[] = {{"load", 1, 0}, {"triad", 3, 1}, {"copy", 2, 1}, {"store", 1, 1}};

unsigned loaded_curves(void)
{
    return sizeof curves / sizeof *curves;
}

/* A time in which the kernel ran something else instead of a thread that makes traffic. */
struct gap {
    uint64_t begin, end;
};
struct traffic {
    struct stream_part part;
    _Atomic uint64_t bytes; /* bytes that memory moved so far */
    uint64_t seen;          /* time of its last look at the clock */
    struct gap gaps[GAPS_MAX];
    size_t ngaps;
    char apart[64]; /* so that no two counters share a line */
};
struct loaded_slice {
    uint64_t begin, end;
    double latency, bytes; /* latency of a load in s; bytes per s that all threads moved */
};
struct loaded_run {
    const struct loaded_wish *wish;
    struct traffic *traffic; /* traffic of the threads 1 to cpus - 1 */
    double moved;            /* bytes that memory moves for each byte of an array */
    double busy;
    uint64_t began; /* ns */
    _Atomic bool over;
    struct loaded_slice slice[SLICES_MAX];
    size_t nslices;
};

static uint64_t look_at_clock(struct traffic *t)
{
    uint64_t now = slices_now();
    if (now - t->seen > GAP_NS && t->ngaps < GAPS_MAX)
        t->gaps[t->ngaps++] = (struct gap){t->seen, now};
    t->seen = now;
    return now;
}

static void make_traffic(struct loaded_run *r, struct traffic *t)
{
    t->seen = r->began; /* the time before it runs is a gap */
    t->ngaps = 0;
    while (!atomic_load_explicit(&r->over, memory_order_relaxed)) {
        uint64_t begin = look_at_clock(t);
        if (r->busy <= 0)
            continue;
        double bytes = (double)stream_pass(&t->part, 1) * r->moved;
        atomic_fetch_add_explicit(&t->bytes, (uint64_t)bytes, memory_order_relaxed);
        uint64_t took = look_at_clock(t) - begin;
        uint64_t until = begin + (uint64_t)((double)(took < GAP_NS ? took : GAP_NS) / r->busy);
        while (look_at_clock(t) < until && !atomic_load_explicit(&r->over, memory_order_relaxed))
            ;
    }
    look_at_clock(t);
}

static double all_bytes(struct loaded_run *r)
{
    double sum = 0;
    for (uint32_t i = 0; i + 1 < r->wish->cpus; i++)
        sum += (double)atomic_load_explicit(&r->traffic[i].bytes, memory_order_relaxed);
    return sum;
}

/* Takes slices until the time is over. */
static void take_slices(struct loaded_run *r)
{
    uint64_t begin = slices_now();
    r->nslices = 0;
    while (r->nslices < SLICES_MAX && slices_now() - begin < r->wish->run_ns) {
        struct loaded_slice *s = &r->slice[r->nslices];
        double before = all_bytes(r), loads = (double)ITERATIONS * CHASE_LOADS;
        long switched = slices_switches();
        s->begin = slices_now();
        chase_run(r->wish->chase, ITERATIONS);
        s->end = slices_now();
        double seconds = (double)(s->end - s->begin) / 1e9;
        s->latency = seconds / loads;
        s->bytes = (all_bytes(r) - before + loads * LINE) / seconds;
        r->nslices += slices_switches() == switched;
    }
}

static void work_loaded(void *own, uint32_t i)
{
    struct loaded_run *r = own;
    if (i > 0) {
        make_traffic(r, &r->traffic[i - 1]);
        return;
    }
    take_slices(r);
    atomic_store_explicit(&r->over, true, memory_order_relaxed);
}

/* Whether all threads made their traffic during a slice. */
static bool is_undisturbed(const struct loaded_run *r, const struct loaded_slice *s)
{
    for (uint32_t i = 0; i + 1 < r->wish->cpus; i++) {
        const struct traffic *t = &r->traffic[i];
        if (t->ngaps == GAPS_MAX)
            return false;
        for (size_t g = 0; g < t->ngaps; g++)
            if (t->gaps[g].begin < s->end && t->gaps[g].end > s->begin)
                return false;
    }
    return true;
}

static int run_threads(struct loaded_run *r, void (*work)(void *own, uint32_t i), void *own)
{
    r->wish->crew->n = r->wish->cpus;
    r->wish->crew->work = work;
    r->wish->crew->own = own;
    return crew_run(r->wish->crew);
}

static int measure_point(struct loaded_run *r, unsigned k, double part, struct host_roofs *out)
{
    double latency[SLICES_MAX], bytes[SLICES_MAX], ignored;
    size_t n = 0;
    for (int run = 0; run < RUNS_MAX && n < ENOUGH; run++) {
        r->busy = part;
        r->began = slices_now();
        atomic_store(&r->over, false);
        int rc = run_threads(r, work_loaded, r);
        if (rc != 0)
            return rc;
        for (size_t i = 0; i < r->nslices && n < SLICES_MAX; i++)
            if (is_undisturbed(r, &r->slice[i])) {
                latency[n] = r->slice[i].latency;
                bytes[n++] = r->slice[i].bytes;
            }
    }
    struct host_roof row = {.kind = HOST_ROOF_LOADED,
                            .level = "DRAM",
                            .threads = r->wish->cpus,
                            .width = r->traffic[0].part.loop->width,
                            .working_set = r->wish->chase->bytes,
                            .clock = NAN,
                            .per_cycle = NAN,
                            .theory = NAN,
                            .reads =
                                (double)curves[k].reads / (curves[k].reads + curves[k].writes)};
    snprintf(row.name, sizeof row.name, "%s", curves[k].loop);
    row.load = slices_median(bytes, n, &ignored);
    row.value = slices_median(latency, n, &row.spread);
    if (n >= LEAST)
        host_roofs_add(out, &row);
    return 0;
}

static void make_arrays(void *own, uint32_t i)
{
    struct loaded_run *r = own;
    if (i > 0)
        stream_take(&r->traffic[i - 1].part, &r->wish->room[i], r->wish->share);
}

/* Finds the widest loop of a name that works here. */
static const struct stream_loop *find_stream_loop(const char *name)
{
    for (const struct stream_loop *l = stream_loops; l->name; l++)
        if (strcmp(l->name, name) == 0 && l->supported())
            return l;
    return NULL;
}

int loaded_measure(const struct loaded_wish *wish, unsigned k, struct host_roofs *out)
{
    const struct stream_loop *loop = find_stream_loop(curves[k].loop);
    struct loaded_run r = {.wish = wish};
    if (!loop)
        return 0;
    size_t array = wish->share / loop->arrays;
    array -= array % CHUNK;
    r.traffic = xcalloc(wish->cpus, sizeof *r.traffic);
    for (uint32_t i = 0; i < wish->cpus; i++)
        r.traffic[i].part = (struct stream_part){.loop = loop, .array = array, .chunk = CHUNK};
    r.moved = curves[k].reads + curves[k].writes;
    int rc = array ? run_threads(&r, make_arrays, &r) : -ENOMEM;
    for (uint32_t i = 0; i + 1 < wish->cpus && rc == 0; i++)
        rc = r.traffic[i].part.memory ? 0 : -ENOMEM;
    for (int s = k == 0 ? 0 : 1; s < STEPS && rc == 0;
         s++) /* without load all curves are the same */
        rc = measure_point(&r, k, busy[s], out);
    free(r.traffic);
    return rc;
}
