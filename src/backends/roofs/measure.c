/*
 * Measures the roofs of this host.
 *
 * Operations and L1 alternate, slice by slice of a fraction of a millisecond, with a chain of
 * additions that takes one cycle each: so each slice is divided by the clock of the same instant,
 * and the median is taken. A slice in which the kernel ran something else on this thread is left
 * out. Larger levels run for a longer time, several times, and the median is taken.
 */
#include "engine/roofs/roofs_meter.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/perf_event/catalog.h"
#include "backends/roofs/roofs_impl.h"
#include "base/arena.h"
#include "base/watch.h"

enum {
    REPEATS = 7,
    SLICE_NS = 200000,
    LONG_NS = 60000000,     /* duration of a run through a shared level */
    LOADED_NS = 60000000,   /* duration for a point of latency under load */
    WARMED_MOST = 16 << 20, /* bytes that are loaded into the caches again after an interruption */
    CHUNK = 256 << 10,      /* bytes of an array for one iteration */
    QUIET_TRIES = 4,
    CALM_S = 30, /* for this time a row is measured again if the machine was busy */
    QUICK_CALM_S = 5,
    SMALL_PAGES_LEAST = 2 << 20, /* with less memory no page is huge */
    QUICK_SMALL_MOST = 128 << 20,
};
#define QUIET_SPREAD 0.01

/* --- a roof --- */

struct roofs_run {
    struct host_roofs *out;
    const struct roofs_wish *wish;
    const char *arch;
    struct crew crew;
    uint32_t all;                    /* number of CPUs that may be used */
    size_t dram;                     /* bytes that fit in no cache */
    struct stream_room *room;        /* for each thread */
    const struct memory_level *last; /* DRAM */
    size_t slices, repeats;
    uint64_t calm_until; /* after this time a row is measured only once, even on a busy machine */
    unsigned done, of;
    int failed;
};

/* Reports the next step. Returns false if the user cancelled. */
static bool go_on(struct roofs_run *r, const char *what)
{
    if (r->failed == 0 && watch_given_up())
        r->failed = -ECANCELED;
    if (r->failed == 0 && r->wish->progress)
        r->wish->progress(r->wish->ctx, what, r->done, r->of);
    r->done++;
    return r->failed == 0;
}

struct sliced {
    const struct slice_work *work; /* one for each thread */
    struct slice_result *result;
    size_t slices;
    uint64_t calm_until;
};

/* Measures again if the slices differ, because the machine did something else, and keeps the best
 * of a few tries. On a machine that is always busy that would take minutes, so it has a time limit.
 */
static void run_sliced(void *own, uint32_t i)
{
    struct sliced *s = own;
    for (int try = 0; try < QUIET_TRIES; try++) {
        struct slice_result r = slices_run(&s->work[i], SLICE_NS, s->slices);
        bool quieter = isnan(s->result[i].spread) ? r.slices > s->result[i].slices
                                                  : r.spread < s->result[i].spread;
        if (try == 0 || quieter)
            s->result[i] = r;
        if (r.spread <= QUIET_SPREAD || slices_now() > s->calm_until)
            break;
    }
}

/* Sums the rates of the threads; the rest is their mean. */
static void add_sliced(struct roofs_run *r, struct host_roof *row, const struct slice_result *of)
{
    double n = row->threads;
    row->value = row->clock = row->per_cycle = row->spread = 0;
    for (uint32_t i = 0; i < row->threads; i++) {
        row->value += of[i].rate;
        row->clock += of[i].clock / n;
        row->per_cycle += of[i].per_cycle / n;
        row->spread += of[i].spread / n;
        if (of[i].slices == 0)
            snprintf(row->refused, sizeof row->refused,
                     "the kernel interrupted every slice: this machine is too busy");
    }
    host_roofs_add(r->out, row);
}

static void measure_slices(struct roofs_run *r, struct host_roof *row,
                           const struct slice_work *work)
{
    struct slice_result *result = xcalloc(row->threads, sizeof *result);
    struct sliced s = {work, result, r->slices, r->calm_until};
    r->crew.n = row->threads;
    r->crew.work = run_sliced;
    r->crew.own = &s;
    r->failed = crew_run(&r->crew);
    if (r->failed == 0)
        add_sliced(r, row, result);
    free(result);
}

/* --- operations --- */

static void run_flops(const struct slice_work *w, uint64_t n)
{
    ((const struct flop_loop *)w->own)->run(n);
}

/* Whether an earlier loop of the table has the same name and works here. */
static bool flops_are_measured(const struct flop_loop *l)
{
    for (const struct flop_loop *e = flop_loops; e < l; e++)
        if (strcmp(e->name, l->name) == 0 && strcmp(e->type, l->type) == 0 && e->supported())
            return true;
    return !l->supported();
}

static void measure_flops(struct roofs_run *r, const struct flop_loop *l, uint32_t threads)
{
    struct host_roof row = {.kind = HOST_ROOF_OPERATIONS, .threads = threads, .theory = NAN};
    struct slice_work *work = xcalloc(threads, sizeof *work);
    snprintf(row.name, sizeof row.name, "%s", l->name);
    snprintf(row.type, sizeof row.type, "%s", l->type);
    row.width = l->width;
    if (l->bits)
        row.theory = roof_theory_flops(r->arch, l->width, l->bits, l->mix);
    for (uint32_t i = 0; i < threads; i++)
        work[i] = (struct slice_work){run_flops, (void *)l, l->operations, 0};
    if (go_on(r, l->name))
        measure_slices(r, &row, work);
    free(work);
}

/* --- bandwidth --- */

struct parts {
    struct roofs_run *run;
    struct stream_part *part; /* one for each thread */
};

/* Gives a thread its memory. The first thread also measures alone, with all of the memory. */
static void take_memory(void *own, uint32_t i)
{
    const struct parts *p = own;
    stream_take(&p->part[i], &p->run->room[i], level_share(p->run->last, i == 0 ? 1 : p->run->all));
}

static void run_stream_slice(const struct slice_work *w, uint64_t n)
{
    struct stream_part *p = w->own;
    if (p->array <= CHUNK) {
        stream_pass(p, n);
        return;
    }
    for (uint64_t i = 0; i < n; i++)
        stream_pass(p, 1);
}

static void run_long(void *own, uint32_t i)
{
    struct stream_part *p = (struct stream_part *)own + i;
    uint64_t begin = slices_now(), now;
    size_t bytes = 0;
    do {
        bytes += stream_pass(p, 1);
        now = slices_now();
    } while (now - begin < p->until_ns);
    p->seconds = (double)(now - begin) / 1e9;
    p->bytes = (double)bytes * p->loop->moved;
}

/* Measures a level that the threads share: all threads run without a pause. */
static void measure_shared(struct roofs_run *r, struct host_roof *row, struct stream_part *parts)
{
    double rates[REPEATS];
    size_t n = 0;
    r->crew.n = row->threads;
    r->crew.work = run_long;
    r->crew.own = parts;
    crew_run(&r->crew); /* warms the caches */
    for (; n < r->repeats && r->failed == 0; n++) {
        r->failed = crew_run(&r->crew);
        rates[n] = 0;
        for (uint32_t i = 0; i < row->threads; i++)
            rates[n] += parts[i].bytes / parts[i].seconds;
    }
    row->clock = row->per_cycle = NAN;
    row->value = slices_median(rates, n, &row->spread);
    if (r->failed == 0)
        host_roofs_add(r->out, row);
}

/* Measures a level that each thread has for itself, or with one thread alone. */
static void measure_own(struct roofs_run *r, struct host_roof *row, struct stream_part *parts)
{
    struct slice_work *work = xcalloc(row->threads, sizeof *work);
    for (uint32_t i = 0; i < row->threads; i++) {
        size_t chunk = parts[i].array < CHUNK ? parts[i].array : CHUNK;
        /* what fits in no cache needs no warming */
        uint64_t passes = row->level[0] == 'D' ? 0 : parts[i].array / chunk;
        work[i] = (struct slice_work){run_stream_slice, &parts[i],
                                      (double)chunk * parts[i].loop->moved, passes};
    }
    measure_slices(r, row, work);
    free(work);
}

static void make_parts(struct roofs_run *r, struct stream_part *parts, uint32_t threads)
{
    struct parts of = {r, parts};
    r->crew.n = threads;
    r->crew.work = take_memory;
    r->crew.own = &of;
    r->failed = crew_run(&r->crew);
    for (uint32_t i = 0; i < threads && r->failed == 0; i++)
        if (!parts[i].memory)
            r->failed = -ENOMEM;
}

static void measure_stream_roof(struct roofs_run *r, const struct stream_loop *l,
                                const struct memory_level *level, uint32_t threads)
{
    struct host_roof row = {.kind = HOST_ROOF_BANDWIDTH, .threads = threads, .theory = NAN};
    struct stream_part *parts = xcalloc(threads, sizeof *parts);
    size_t share = level_share(level, threads) / l->arrays;
    size_t grain = share > CHUNK ? CHUNK : STREAM_GRAIN; /* all chunks are whole */
    size_t array = share - share % grain;
    bool shared = threads > 1 && level->sharing > 2; /* two: the threads of one core */
    if (l->past_caches && strcmp(level->name, "DRAM") != 0) {
        free(parts);
        return;
    }
    snprintf(row.name, sizeof row.name, "%s", l->name);
    snprintf(row.level, sizeof row.level, "%s", level->name);
    row.width = l->width;
    row.working_set = array * l->arrays;
    for (uint32_t i = 0; i < threads; i++)
        parts[i] =
            (struct stream_part){.loop = l, .array = array, .chunk = CHUNK, .until_ns = LONG_NS};
    if (array >= STREAM_GRAIN && r->failed == 0)
        make_parts(r, parts, threads);
    if (array >= STREAM_GRAIN && go_on(r, l->name)) {
        if (strcmp(level->name, "L1") == 0)
            row.theory = roof_theory_l1(r->arch, l->width, l->name);
        if (shared)
            measure_shared(r, &row, parts);
        else
            measure_own(r, &row, parts);
    }
    free(parts);
}

/* Whether a loop of this name is measured already. Only the first loop of each name that works here
 * is used, but in L1 and L2 also those of half its width, of which the best stays: wide vectors may
 * take two passes and start less often (Zen 4 loads 64 bytes of L1 in a cycle with 256 bits, 60
 * with 512), and the order of loads decides how many are in flight from L2 (Zen 5: 63 bytes in a
 * cycle with four loads in an iteration, 52 with sixteen). */
static bool stream_is_measured(const struct stream_loop *l, const struct memory_level *level)
{
    const struct stream_loop *first = stream_loops;
    while (strcmp(first->name, l->name) != 0 || !first->supported())
        if (first++ == l)
            return true; /* no loop works here */
    bool all = strcmp(level->name, "L1") == 0 || strcmp(level->name, "L2") == 0;
    return !l->supported() || (l != first && (!all || 2 * l->width < first->width));
}

/* If the last two rows are one loop with two vector widths, keeps the faster and drops the other.
 */
static void keep_the_better(struct host_roofs *r)
{
    if (r->n < 2)
        return;
    struct host_roof *a = &r->rows[r->n - 2], *b = a + 1;
    if (a->kind != b->kind || a->threads != b->threads || strcmp(a->name, b->name) != 0 ||
        strcmp(a->level, b->level) != 0)
        return;
    if (a->refused[0] || (!b->refused[0] && b->value > a->value))
        *a = *b;
    r->n--;
}

/* --- latency --- */

static void run_chase_slice(const struct slice_work *w, uint64_t n)
{
    chase_run((struct chase *)w->own, n);
}

struct latency_work {
    struct chase *chase;
    size_t bytes;
    struct sliced sliced;
};

/* Grows the circle on the CPU that measures, so that its new memory is near. */
static void work_latency(void *own, uint32_t i)
{
    struct latency_work *l = own;
    chase_grow(l->chase, l->bytes);
    run_sliced(&l->sliced, i);
}

static void measure_latency(struct roofs_run *r, struct chase *c, size_t bytes,
                            enum roof_pages pages)
{
    struct host_roof row = {
        .kind = HOST_ROOF_LATENCY, .threads = 1, .working_set = bytes, .theory = NAN};
    if (!go_on(r, "latency"))
        return;
    snprintf(row.name, sizeof row.name, "load after load%s",
             pages == PAGES_SMALL ? ", small pages" : "");
    uint64_t loads = bytes / 64;
    /* Loads the circle into the caches again after each interruption. A larger one stays where it
     * is, as chase_grow has just written it; a pass through 512 MiB takes a second. */
    struct slice_work work = {run_chase_slice, c, CHASE_LOADS,
                              bytes <= WARMED_MOST ? loads / CHASE_LOADS : 0};
    struct slice_result result = {.slices = 0};
    struct latency_work l = {c, bytes, {&work, &result, r->slices, r->calm_until}};
    r->crew.n = 1;
    r->crew.work = work_latency;
    r->crew.own = &l;
    r->failed = crew_run(&r->crew);
    row.value = 1 / result.rate;
    row.clock = result.clock;
    row.per_cycle = 1 / result.per_cycle; /* cycles of a load */
    row.spread = result.spread;
    if (result.slices > 0)
        host_roofs_add(r->out, &row);
}

/* The circle grows from size to size. */
static void measure_latencies(struct roofs_run *r, struct chase *c, size_t least,
                              enum roof_pages pages)
{
    for (size_t bytes = least; bytes <= c->most && r->failed == 0; bytes *= 2)
        measure_latency(r, c, bytes, pages);
}

/* Bytes of the largest circle with small pages. A limit is enough to show the walks through page
 * tables, and writing a gigabyte of small pages takes seconds. */
static size_t small_most(const struct roofs_run *r)
{
    return r->wish->quick && r->dram > QUICK_SMALL_MOST ? QUICK_SMALL_MOST : r->dram;
}

/* --- all --- */

/* --- latency under load --- */

static void measure_loaded(struct roofs_run *r, struct chase *c)
{
    struct loaded_wish wish = {.crew = &r->crew,
                               .cpus = r->all,
                               .chase = c,
                               .room = r->room,
                               .share = level_share(r->last, r->all),
                               .run_ns = r->wish->quick ? LOADED_NS / 3 : LOADED_NS};
    chase_grow(c, r->dram);
    for (unsigned k = 0; k < loaded_curves() && r->failed == 0; k++)
        if (go_on(r, "latency under load"))
            r->failed = loaded_measure(&wish, k, r->out);
}

static void measure_nodes(struct roofs_run *r, const struct numa_nodes *nodes)
{
    struct numa_wish wish = {.crew = &r->crew, .bytes = r->dram, .slices = r->slices};
    for (uint32_t i = 0; i < nodes->n; i++)
        for (uint32_t k = 0; k < nodes->n && r->failed == 0; k++) {
            wish.from = &nodes->node[i];
            wish.to = &nodes->node[k];
            if (wish.from->cpu >= 0 && wish.to->memory && go_on(r, "NUMA nodes"))
                r->failed = numa_measure(&wish, r->out);
        }
}

static unsigned count_pairs(const struct numa_nodes *nodes)
{
    unsigned from = 0, to = 0;
    for (uint32_t i = 0; i < nodes->n; i++) {
        from += nodes->node[i].cpu >= 0;
        to += nodes->node[i].memory;
    }
    return from * to;
}

static unsigned count_roof_rows(const struct memory_levels *levels, unsigned latencies,
                                bool several)
{
    unsigned loops = 0, streams = 0;
    for (const struct flop_loop *l = flop_loops; l->name; l++)
        loops += !flops_are_measured(l);
    for (const struct stream_loop *l = stream_loops; l->name; l++)
        for (size_t i = 0; i < levels->n; i++)
            streams += !stream_is_measured(l, &levels->level[i]) &&
                       (!l->past_caches || i + 1 == levels->n);
    const unsigned alone = loops + streams + latencies;
    return several ? alone + loops + streams + loaded_curves() : alone;
}

static void measure_throughput(struct roofs_run *r, const struct memory_levels *levels)
{
    const uint32_t counts[] = {1, r->all};
    for (int k = 0; k < (r->all > 1 ? 2 : 1); k++) {
        for (const struct flop_loop *l = flop_loops; l->name && r->failed == 0; l++)
            if (!flops_are_measured(l))
                measure_flops(r, l, counts[k]);
        for (size_t i = 0; i < levels->n; i++)
            for (const struct stream_loop *l = stream_loops; l->name && r->failed == 0; l++)
                if (!stream_is_measured(l, &levels->level[i])) {
                    measure_stream_roof(r, l, &levels->level[i], counts[k]);
                    keep_the_better(r->out);
                }
    }
}

static void free_rooms(struct roofs_run *r)
{
    for (uint32_t i = 0; i < r->all; i++)
        stream_room_free(&r->room[i]);
}

static void measure_all(struct roofs_run *r, const struct memory_levels *levels,
                        const struct numa_nodes *nodes)
{
    struct chase huge, small = {.memory = NULL};
    r->last = &levels->level[levels->n - 1];
    r->room = xcalloc(r->all, sizeof *r->room);
    measure_throughput(r, levels);
    if (r->failed == 0) { /* the first thread's room is as large as DRAM's loops need */
        chase_lay(&huge, r->room[0].memory, r->dram);
        measure_latencies(r, &huge, LATENCY_LEAST, PAGES_HUGE);
    }
    if (r->all > 1 && r->failed == 0)
        measure_loaded(r, &huge);
    free_rooms(r);
    free(r->room);
    if (r->failed == 0)
        r->failed = chase_make(&small, small_most(r), PAGES_SMALL, (struct roof_place){false, 0});
    measure_latencies(r, &small, SMALL_PAGES_LEAST, PAGES_SMALL);
    chase_free(&small);
    measure_nodes(r, nodes);
}

static int measure_roofs(struct host_roofs *out, const struct roofs_wish *wish, struct error *err)
{
    struct roofs_run r = {.out = out,
                          .wish = wish,
                          .arch = arch_of_cpu(),
                          .slices = wish->quick ? 41 : 201,
                          .repeats = wish->quick ? 3 : REPEATS,
                          .calm_until = slices_now() + (wish->quick ? QUICK_CALM_S : CALM_S) *
                                                           (uint64_t)1000000000};
    struct memory_levels levels;
    struct numa_nodes nodes;
    unsigned latencies = 0;
    *out = (struct host_roofs){.quick = wish->quick};
    host_roofs_describe(out);
    levels_read(&levels);
    r.dram = levels_latency_most(&levels);
    r.all = crew_find_cpus(&r.crew);
    if (wish->threads && wish->threads < r.all)
        r.all = wish->threads;
    out->cpus = r.all;
    for (size_t b = LATENCY_LEAST; b <= r.dram; b *= 2)
        latencies += b >= SMALL_PAGES_LEAST && b <= small_most(&r) ? 2 : 1;
    numa_read(&nodes, &r.crew, r.all);
    if (nodes.n < 2) /* there is only near memory */
        nodes.n = 0;
    r.of = count_roof_rows(&levels, latencies, r.all > 1) + count_pairs(&nodes);
    if (!flop_loops[0].name || r.all == 0)
        return error_set(err, ERROR_UNSUPPORTED, ENOTSUP, NULL, "roofs",
                         "there are no loops for this CPU");
    measure_all(&r, &levels, &nodes);
    if (r.failed == -ECANCELED)
        return watch_check("roofs", err);
    if (r.failed != 0)
        error_set(err, ERROR_INTERNAL, -r.failed,
                  "free memory, or measure with fewer CPUs (taskset)", "roofs", "%s",
                  strerror(-r.failed));
    return r.failed;
}

const struct roofs_meter roofs_meter = {measure_roofs};
