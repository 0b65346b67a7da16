/* The table of kernels, of traces made here node by node. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/graph/execution.h"
#include "engine/kernels/kernel_parts.h"
#include "engine/kernels/kernels.h"
#include "engine/kernels/kernels_list.h"
#include "export/kernels/kernels_export.h"
#include "export/kernels/kernels_report.h"
#include "support/test.h"

#define NONE TRACE_UNKNOWN

/* --- traces --- */

struct dispatch {
    const char *name;
    uint64_t start, duration;
    uint32_t grid, block, vgprs, lds;
    uint64_t launch; /* start of the launching call; 0 = none */
    bool copy;
    uint32_t queue;
};

struct made {
    struct trace t;
    struct critical_path path;
    struct kernels k;
    uint32_t queue[2], thread;
};

static void begin(struct made *m)
{
    *m = (struct made){.queue = {GRAPH_NONE, GRAPH_NONE}, .thread = GRAPH_NONE};
    struct graph *g = m->t.calls = graph_new();
    m->t.sums = graph_new();
    uint32_t program = graph_add(g, NODE_PROGRAM, graph_intern(g, "app"), GRAPH_NONE, EDGE_CONTAINS,
                                 GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    for (int i = 0; i < 2; i++)
        m->queue[i] = graph_add(g, NODE_QUEUE, graph_intern(g, i ? "queue 1" : "queue 0"), program,
                                EDGE_LAUNCHES, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    m->thread = graph_add(g, NODE_THREAD, graph_intern(g, "thread"), program, EDGE_LAUNCHES,
                          GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    trace_add_agent(&m->t, &(struct trace_agent){.name = graph_intern(g, "gfx942"),
                                                 .model = GRAPH_NONE,
                                                 .host = GRAPH_NONE,
                                                 .gpu = true,
                                                 .units = 4,
                                                 .clock_mhz = NONE});
}

static uint32_t add(struct made *m, const struct dispatch *d)
{
    struct graph *g = m->t.calls;
    uint32_t v = graph_add(g, d->copy ? NODE_TRANSFER : NODE_KERNEL, graph_intern(g, d->name),
                           m->queue[d->queue], EDGE_CONTAINS, d->start, d->duration);
    struct graph_detail *detail = graph_detail(g, v);
    if (d->copy) {
        detail->transfer.bytes = 4096;
    } else {
        detail->kernel.grid[0] = d->grid;
        detail->kernel.block[0] = d->block;
        detail->kernel.grid[1] = detail->kernel.grid[2] = 1;
        detail->kernel.block[1] = detail->kernel.block[2] = 1;
        trace_add_dispatch(&m->t, &(struct trace_dispatch){.node = v,
                                                           .agent = 0,
                                                           .vgprs = d->vgprs,
                                                           .accum_vgprs = 0,
                                                           .sgprs = 16,
                                                           .lds_bytes = d->lds,
                                                           .scratch_bytes = 0});
    }
    if (d->launch) {
        uint32_t call = graph_add(g, NODE_FUNCTION, graph_intern(g, "hipLaunchKernel"), m->thread,
                                  EDGE_CALLS, d->launch, 10);
        graph_connect(g, call, v, EDGE_LAUNCHES);
    }
    return v;
}

static void finish(struct made *m)
{
    struct error err = ERROR_INIT;
    execution_sequence(m->t.calls, 0, m->t.calls->nnodes);
    graph_finish(m->t.calls);
    graph_finish(m->t.sums);
    assert_int_equal(critical_path_find(m->t.calls, &m->path, &err), 0);
    kernels_make(&m->k, &m->t, &m->path, NULL);
}

static void make(struct made *m, const struct dispatch *d, size_t n)
{
    begin(m);
    for (size_t i = 0; i < n; i++)
        add(m, &d[i]);
    finish(m);
}

static void end(struct made *m)
{
    kernels_free(&m->k);
    critical_path_free(&m->path);
    trace_free(&m->t);
}

static const struct kernel_row *row(const struct made *m, enum kernels_group g, const char *name)
{
    for (uint32_t i = 0; i < m->k.by[g].n; i++)
        if (strcmp(m->k.by[g].rows[i].name, name) == 0)
            return &m->k.by[g].rows[i];
    fail_msg("no row '%s'", name);
    return NULL;
}

#define LENGTH(a) (sizeof(a) / sizeof *(a))
static const struct dispatch mixed[] = {
    {"void gemm<float>(int)", 1000, 300, 64, 256, 128, 0, .launch = 500},
    {"void gemm<float>(int)", 1300, 500, 64, 256, 128, 0, .launch = 600},
    {"void gemm<half>(int)", 1800, 100, 32, 128, 64, 0, .launch = 700},
    {"axpy(float*)", 2400, 100, 8, 64, 8, 0, .launch = 2300},
    {"H2D", 3000, 400, .copy = true, .launch = 2500},
    {"axpy(float*)", 3500, 120, 16, 64, 8, 0, .launch = 2600},
};

/* --- tests --- */

/* Names that are equal for many kilobytes and differ later are two kernels in every grouping. */
TEST(long_names_stay_apart)
{
    static const size_t lengths[] = {5000, 20000, 70000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t n = lengths[i];
        char *names[2] = {malloc(n + 16), malloc(n + 16)};
        struct made m;
        begin(&m);
        for (uint64_t k = 0; k < 2; k++) {
            memset(names[k], 'x', n);
            snprintf(names[k] + n, 16, "<%u>(int)", (unsigned)k);
            names[k][0] = 'f', names[k][1] = '<';
            add(&m, &(struct dispatch){names[k], 1000 + 500 * k, 100, 64, 256, 32, 0, .launch = 0});
        }
        finish(&m);
        assert_int_equal(m.k.by[KERNELS_BY_NAME].n, 2);
        assert_int_equal(m.k.by[KERNELS_BY_SHAPE].n, 2);
        end(&m);
        free(names[0]);
        free(names[1]);
    }
}

static char *text_of(const struct made *m)
{
    char *text = NULL;
    size_t size = 0;
    const struct kernel_table *table = &m->k.by[KERNELS_BY_NAME];
    uint32_t rows[8], n = kernels_list(table, NULL, 0, false, rows);
    FILE *f = open_memstream(&text, &size);
    kernels_export_text(f, table, rows, n, true);
    kernels_export_csv(f, table, rows, n);
    kernels_export_json(f, &m->t, &m->k, KERNELS_BY_NAME, rows, n);
    kernels_export_svg(f, &m->k, table, rows, n);
    kernels_report_text(f, &m->t, &m->k, NULL, 0, true);
    fclose(f);
    return text;
}

TEST(shares_of_no_time_are_not_available)
{
    static const struct dispatch zero[] = {{"a", 1000, 0, 64, 256, 32, 0, .launch = 0},
                                           {"b", 1000, 0, 64, 256, 32, 0, .launch = 0}};
    struct made m;
    make(&m, zero, 2);
    char *text = text_of(&m);
    assert_null(strstr(text, "nan"));
    assert_non_null(strstr(text, "   n/a   n/a       0 s        1       0 s"));
    free(text);
    end(&m);
}

/* A file of counters may have no times: the kernel has its shape and counters. */
TEST(a_kernel_without_a_time_has_none)
{
    struct made m;
    begin(&m);
    uint32_t v =
        add(&m, &(struct dispatch){"a", GRAPH_UNKNOWN, GRAPH_UNKNOWN, 64, 256, 32, 0, .launch = 0});
    trace_add_counter(&m.t, v, "SQ_WAVES", 256);
    add(&m, &(struct dispatch){"b", 5000, 100, 64, 256, 32, 0, .launch = 0});
    add(&m, &(struct dispatch){"b", GRAPH_UNKNOWN, GRAPH_UNKNOWN, 64, 256, 32, 0, .launch = 0});
    finish(&m);
    const struct kernel_row *a = row(&m, KERNELS_BY_NAME, "a"), *b = row(&m, KERNELS_BY_NAME, "b");
    assert_int_equal(a->sum.calls, 1);
    assert_int_equal(a->sum.timed, 0);
    assert_true(isnan(a->mean) && isnan(a->share));
    assert_true(a->counts.counter[COUNTER_WAVES] == 256);
    assert_true(isnan(a->counts.bytes_s[LEVEL_HBM]));
    assert_int_equal(b->sum.calls, 2);
    assert_true(b->mean == 100 && b->share == 1);
    assert_int_equal(b->sum.min, 100);
    assert_int_equal(m.k.total.busy, 100);
    char *text = text_of(&m);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "18446744073709551615"));
    assert_non_null(strstr(text, "\"total_ns\":\tnull"));
    free(text);
    end(&m);
}

/* To read counters, the profiler runs dispatches one by one: the pauses are its own. */
TEST(pauses_of_a_profiler_bind_nothing)
{
    static const struct dispatch d[] = {{"a", 1000, 5000, 64, 256, 32, 0, .launch = 0},
                                        {"a", 900000, 5000, 64, 256, 32, 0, .launch = 0},
                                        {"a", 1900000, 5000, 64, 256, 32, 0, .launch = 0}};
    struct made m;
    make(&m, d, 3);
    assert_int_equal(row(&m, KERNELS_BY_NAME, "a")->label.label, LABEL_LAUNCH);
    end(&m);
    begin(&m);
    for (int i = 0; i < 3; i++)
        trace_add_counter(&m.t, add(&m, &d[i]), "SQ_WAVES", 256);
    finish(&m);
    assert_int_not_equal(row(&m, KERNELS_BY_NAME, "a")->label.label, LABEL_LAUNCH);
    assert_true(isnan(m.k.total.facts.v[FACT_IDLE]));
    end(&m);
}

/* More different kernels than 16 bits count: each has its own gap before it, and its own part of
 * the path. */
TEST(very_many_kernels)
{
    enum { KERNELS = 66000 };
    struct made m;
    char name[16];
    begin(&m);
    for (uint64_t i = 0, at = 1000; i < KERNELS; i++) {
        snprintf(name, sizeof name, "k%05u", (unsigned)i);
        at += i; /* the gap */
        add(&m, &(struct dispatch){name, at, 100 + i, 64, 256, 128, 0, .launch = 0});
        at += 100 + i;
    }
    finish(&m);
    const struct kernel_table *t = &m.k.by[KERNELS_BY_NAME];
    assert_int_equal(t->n, KERNELS);
    for (uint32_t i = 0; i < t->n; i++) {
        uint64_t number = strtoull(t->rows[i].name + 1, NULL, 10);
        assert_int_equal(t->rows[i].sum.calls, 1);
        assert_int_equal(t->rows[i].sum.total, 100 + number);
        assert_int_equal(t->rows[i].sum.on_path, 100 + number);
        assert_int_equal(t->rows[i].sum.gap, number);
    }
    end(&m);
}

TEST(sums_by_name)
{
    struct made m;
    make(&m, mixed, LENGTH(mixed));
    assert_int_equal(m.k.by[KERNELS_BY_NAME].n, 4);
    const struct kernel_row *r = &m.k.by[KERNELS_BY_NAME].rows[0]; /* sorted by time */
    assert_string_equal(r->name, "void gemm<float>(int)");
    assert_int_equal(r->sum.calls, 2);
    assert_int_equal(r->sum.total, 800);
    assert_int_equal(r->sum.min, 300);
    assert_int_equal(r->sum.max, 500);
    assert_true(r->mean == 400);
    assert_true(fabs(r->sd - sqrt(20000)) < 1e-9);
    assert_true(fabs(r->share - 800.0 / 1520) < 1e-12);
    assert_int_equal(r->shapes, 1);
    assert_int_equal(r->shape.vgprs, 128);
    assert_true(r->occupancy.waves == 4);
    assert_int_equal(r->occupancy.limit, OCCUPANCY_VGPRS);
    r = row(&m, KERNELS_BY_NAME, "H2D");
    assert_int_equal(r->kind, NODE_TRANSFER);
    assert_int_equal(r->sum.bytes, 4096);
    assert_true(isnan(r->sd)); /* one call */
    assert_true(isnan(r->occupancy.waves));
    end(&m);
}

TEST(groups)
{
    struct made m;
    make(&m, mixed, LENGTH(mixed));
    const struct kernel_row *r = row(&m, KERNELS_BY_BASE, "gemm");
    assert_int_equal(m.k.by[KERNELS_BY_BASE].n, 3);
    assert_int_equal(r->sum.calls, 3);
    assert_int_equal(r->sum.total, 900);
    assert_int_equal(r->shapes, 2);
    assert_int_equal(r->shape.grid[0], 64);          /* the shape with the most time */
    assert_int_equal(m.k.by[KERNELS_BY_SHAPE].n, 5); /* axpy in two */
    for (int g = 0; g < KERNELS_GROUPS; g++) {
        uint64_t total = 0, calls = 0, path = 0;
        double share = 0;
        for (uint32_t i = 0; i < m.k.by[g].n; i++) {
            total += m.k.by[g].rows[i].sum.total;
            calls += m.k.by[g].rows[i].sum.calls;
            path += m.k.by[g].rows[i].sum.on_path;
            share += m.k.by[g].rows[i].share;
        }
        assert_int_equal(total, 1520);
        assert_int_equal(calls, 6);
        assert_true(fabs(share - 1) < 1e-12);
        assert_int_equal(path, m.k.total.on_path[PATH_COMPUTE] + m.k.total.on_path[PATH_COPY]);
    }
    end(&m);
}

/* Kernels of a CPU backend run in threads: there are no facts about devices. */
TEST(kernels_of_the_host)
{
    struct made m;
    begin(&m);
    struct graph *g = m.t.calls;
    for (uint64_t i = 0; i < 4; i++)
        graph_add(g, NODE_KERNEL, graph_intern(g, "gemv_avx2"), m.thread, EDGE_CONTAINS, i * 9000,
                  1000);
    finish(&m);
    const struct kernel_row *r = row(&m, KERNELS_BY_NAME, "gemv_avx2");
    assert_int_equal(r->sum.calls, 4);
    assert_int_equal(r->sum.followers, 0);
    assert_int_equal(r->label.label, LABEL_MIXED);
    assert_false(m.k.total.device);
    assert_int_equal(m.k.total.label.label, LABEL_NONE);
    end(&m);
}

TEST(time_on_the_path)
{
    /* queue 1's kernel runs beside the longer one of queue 0 */
    static const struct dispatch two[] = {
        {"long", 0, 1000, 64, 256, 32, 0, .queue = 0},
        {"short", 0, 400, 64, 256, 32, 0, .queue = 1},
    };
    struct made m;
    make(&m, two, LENGTH(two));
    assert_true(row(&m, KERNELS_BY_NAME, "long")->criticality == 1);
    assert_true(row(&m, KERNELS_BY_NAME, "short")->criticality == 0);
    assert_int_equal(m.k.total.path, 1000);
    assert_int_equal(m.k.total.on_path[PATH_COMPUTE], 1000);
    assert_int_equal(m.k.total.busy, 1000); /* not 1400 */
    assert_false(m.k.total.host);
    assert_true(isnan(m.k.total.facts.v[FACT_PATH_HOST]));
    end(&m);
}

TEST(gaps_and_who_is_waited_for)
{
    struct made m;
    make(&m, mixed, LENGTH(mixed));
    const struct kernel_row *r = row(&m, KERNELS_BY_NAME, "axpy(float*)");
    /* the first: 1900 to 2400, launched at 2300; the second: 3400 to 3500, launched long before */
    assert_int_equal(r->sum.followers, 2);
    assert_int_equal(r->sum.launched, 2);
    assert_int_equal(r->sum.gap, 500 + 100);
    assert_int_equal(r->sum.late, 400);
    assert_int_equal(r->sum.latency, 100 + 100);
    assert_true(fabs(r->facts.v[FACT_LATE] - 200 / (200 + 110.0)) < 1e-12);
    assert_true(fabs(r->facts.v[FACT_LAUNCH] - 100 / (100 + 110.0)) < 1e-12);
    assert_int_equal(r->label.label, LABEL_HOST);
    r = row(&m, KERNELS_BY_NAME, "void gemm<float>(int)");
    assert_int_equal(r->sum.followers, 1); /* nothing precedes the first */
    assert_int_equal(r->sum.gap, 0);
    end(&m);
}

TEST(times_of_the_whole)
{
    struct made m;
    make(&m, mixed, LENGTH(mixed));
    const struct kernels_total *t = &m.k.total;
    assert_int_equal(t->begin, 1000);
    assert_int_equal(t->end, 3620);
    assert_int_equal(t->busy, 900 + 100 + 400 + 120);
    assert_int_equal(t->copying, 400);
    assert_int_equal(t->kernels, 1120);
    assert_int_equal(t->copies, 400);
    assert_int_equal(t->nkernels, 5);
    assert_int_equal(t->shorts, 5);
    assert_true(t->host);
    uint64_t sum = 0;
    for (int i = 0; i < PATH_PARTS; i++)
        sum += t->on_path[i];
    assert_int_equal(sum, t->path);
    end(&m);
}

/* Everything must be equal except what names nodes. */
static void assert_same(const struct kernel_table *a, const struct kernel_table *b)
{
    assert_int_equal(a->n, b->n);
    for (uint32_t i = 0; i < a->n; i++) {
        const struct kernel_row *x = &a->rows[i], *y = &b->rows[i];
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->kind, y->kind);
        assert_memory_equal(&x->shape, &y->shape, sizeof x->shape);
        assert_int_equal(x->sum.calls, y->sum.calls);
        assert_int_equal(x->sum.total, y->sum.total);
        assert_int_equal(x->sum.min, y->sum.min);
        assert_int_equal(x->sum.max, y->sum.max);
        assert_int_equal(x->sum.gap, y->sum.gap);
        assert_int_equal(x->sum.late, y->sum.late);
        assert_int_equal(x->sum.latency, y->sum.latency);
        assert_int_equal(x->sum.on_path, y->sum.on_path);
        assert_true(x->sd == y->sd || (isnan(x->sd) && isnan(y->sd)));
        assert_true(x->share == y->share);
        assert_int_equal(x->shapes, y->shapes);
        assert_int_equal(x->label.label, y->label.label);
    }
}

TEST(the_order_in_the_file_changes_nothing)
{
    enum { SPANS = 60 };
    struct dispatch d[SPANS];
    static const char *const names[] = {"a<1>(int)", "a<2>(int)", "b", "copy"};
    uint64_t seed = 3, time = 100;
    struct made straight, shuffled;
    for (int i = 0; i < SPANS; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        unsigned r = (unsigned)(seed >> 40);
        d[i] = (struct dispatch){names[r % 4], time, 1 + r % 977, 1 + r % 3,
                                 64,           16,   0,           .copy = r % 4 == 3};
        time += d[i].duration + r % 50;
    }
    make(&straight, d, SPANS);
    for (int i = SPANS - 1; i > 0; i--) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        int k = (int)((seed >> 33) % (unsigned)(i + 1));
        struct dispatch one = d[i];
        d[i] = d[k];
        d[k] = one;
    }
    make(&shuffled, d, SPANS);
    for (int g = 0; g < KERNELS_GROUPS; g++)
        assert_same(&straight.k.by[g], &shuffled.k.by[g]);
    assert_int_equal(straight.k.total.busy, shuffled.k.total.busy);
    end(&straight);
    end(&shuffled);
}

TEST(counters_are_means_of_those_that_have_them)
{
    struct made m;
    begin(&m);
    uint32_t a = add(&m, &(struct dispatch){"k", 0, 1000, 64, 256, 32, 0, .queue = 0});
    uint32_t b = add(&m, &(struct dispatch){"k", 1000, 1000, 64, 256, 32, 0, .queue = 0});
    add(&m, &(struct dispatch){"k", 2000, 1000, 64, 256, 32, 0, .queue = 0});
    /* two passes: each dispatch has some of the counters */
    trace_add_counter(&m.t, a, "SQ_WAVE_CYCLES", 1000);
    trace_add_counter(&m.t, a, "SQ_WAIT_ANY", 600);
    static const char *const names[] = {"SQ_INSTS_VALU", "SQ_INSTS_SALU", "SQ_INSTS_SMEM",
                                        "SQ_INSTS_VMEM", "SQ_INSTS_LDS",  "SQ_INSTS_BRANCH"};
    static const double values[] = {50, 10, 5, 10, 20, 5};
    for (int i = 0; i < 6; i++)
        trace_add_counter(&m.t, b, names[i], values[i]);
    finish(&m);
    const struct kernel_row *r = row(&m, KERNELS_BY_NAME, "k");
    assert_int_equal(r->counts.dispatches, 2);
    assert_true(r->facts.v[FACT_STALL] == 0.6);
    assert_true(r->facts.v[FACT_VALU] == 0.5);
    assert_true(r->facts.v[FACT_VMEM] == 0.1);
    assert_true(isnan(r->counts.counter[COUNTER_WAVES]));
    assert_int_equal(r->label.label, LABEL_LATENCY);
    assert_int_equal(r->label.confidence, CONFIDENCE_MEDIUM);
    assert_int_equal(m.k.total.counted, 2);
    assert_int_equal(m.k.total.counters, 8);
    end(&m);
}

/* A row that counted work, under peaks: shares of them, and on which side of the ridge it is. */
TEST(shares_of_the_peaks)
{
    struct kernel_row r = {.kind = NODE_KERNEL, .mean = 1000, .occupancy = {.waves = NAN}};
    struct kernel_peaks p;
    struct facts f;
    r.counts = kernel_counts_of(NULL);
    for (int u = 0; u < WORK_UNITS; u++)
        for (int i = 0; i < WORK_TYPES; i++)
            p.ops[u][i] = NAN;
    p.bytes = 5e12;
    p.ops[UNIT_VALU][WORK_F32] = 100e12;
    p.ops[UNIT_MATRIX][WORK_F16] = 1000e12;
    kernel_facts_of(&f, &r, NULL, &p);
    assert_true(isnan(f.v[FACT_FLOPS]) && isnan(f.v[FACT_BYTES]) && isnan(f.v[FACT_RIDGE]));
    r.counts.bytes_s[LEVEL_HBM] = 4e12;
    r.counts.ops_s[UNIT_VALU][WORK_F32] = 10e12;
    r.counts.ops_s[UNIT_MATRIX][WORK_F16] = 100e12;
    kernel_facts_of(&f, &r, NULL, &p);
    assert_true(fabs(f.v[FACT_FLOPS] - 0.2) < 1e-12);
    assert_true(fabs(f.v[FACT_BYTES] - 0.8) < 1e-12);
    assert_true(fabs(f.v[FACT_RIDGE] - 0.25) < 1e-12);
    assert_int_equal(bottleneck_find(SCOPE_KERNEL, &f).label, LABEL_BANDWIDTH);
    r.counts.ops_s[UNIT_VALU][WORK_F64] = 1; /* its peak is unknown */
    kernel_facts_of(&f, &r, NULL, &p);
    assert_true(isnan(f.v[FACT_FLOPS]) && isnan(f.v[FACT_RIDGE]));
    kernel_facts_of(&f, &r, NULL, NULL);
    assert_true(isnan(f.v[FACT_BYTES]));
}

/* A kernel that was counted at no operation at all moves data: its share of the compute peak is 0,
 * which is known. */
TEST(no_operations_are_a_number)
{
    struct kernel_row r = {.kind = NODE_KERNEL, .mean = 1000, .occupancy = {.waves = NAN}};
    struct kernel_peaks p;
    struct facts f;
    r.counts = kernel_counts_of(NULL);
    for (int u = 0; u < WORK_UNITS; u++)
        for (int i = 0; i < WORK_TYPES; i++)
            p.ops[u][i] = 100e12;
    p.bytes = 5e12;
    r.counts.bytes_s[LEVEL_HBM] = 4e12;
    r.counts.ops_s[UNIT_VALU][WORK_F32] = 0;
    kernel_facts_of(&f, &r, NULL, &p);
    assert_true(f.v[FACT_FLOPS] == 0 && f.v[FACT_RIDGE] == 0);
    assert_int_equal(bottleneck_find(SCOPE_KERNEL, &f).label, LABEL_BANDWIDTH);
}

/* How much of the GPU a grid fills: blocks of 96 are two waves of 64 each, one of them half empty.
 */
TEST(a_block_takes_whole_waves)
{
    static const struct dispatch d[] = {{"k", 0, 1000, 2, 96, 128, 0, .queue = 0}};
    struct made m;
    make(&m, d, LENGTH(d));
    const struct kernel_row *r = row(&m, KERNELS_BY_NAME, "k");
    assert_int_equal(r->occupancy.waves, 4); /* of a SIMD, with 128 registers */
    assert_float_equal(r->facts.v[FACT_FILL], 2.0 * 2 / (4 * 4 * 4), 1e-12);
    assert_float_equal(r->facts.v[FACT_UNITS], 0.5, 1e-12);
    end(&m);
}

/* The limit is known even if something else about the shape is not: that could not allow more
 * waves. */
TEST(a_known_limit_tells_the_occupancy)
{
    static const struct {
        int limit;
        bool complete, told;
    } cases[] = {{OCCUPANCY_VGPRS, false, true},
                 {OCCUPANCY_LDS, false, true},
                 {OCCUPANCY_BLOCK, false, false},
                 {OCCUPANCY_BLOCK, true, true}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct kernel_row r = {.kind = NODE_KERNEL, .mean = 1000};
        struct facts f;
        r.counts = kernel_counts_of(NULL);
        r.occupancy = (struct occupancy){
            .waves = 2, .most = 8, .limit = cases[i].limit, .complete = cases[i].complete};
        kernel_facts_of(&f, &r, NULL, NULL);
        if (cases[i].told ? f.v[FACT_OCCUPANCY] != 0.25 : !isnan(f.v[FACT_OCCUPANCY]))
            fail_msg("case %zu: %g", i, f.v[FACT_OCCUPANCY]);
        if (cases[i].told) {
            assert_true(f.v[FACT_BY_VGPRS] == (cases[i].limit == OCCUPANCY_VGPRS));
            assert_true(f.v[FACT_BY_LDS] == (cases[i].limit == OCCUPANCY_LDS));
        }
    }
}

/* A copy has neither waves nor instructions, so it has no facts about them. */
TEST(copies_have_no_facts_of_kernels)
{
    struct kernel_row r = {.kind = NODE_TRANSFER, .mean = 1000};
    struct kernel_peaks p = {.bytes = 5e12};
    struct facts f;
    r.counts = kernel_counts_of(NULL);
    r.counts.bytes_s[LEVEL_HBM] = 1e12;
    r.occupancy = (struct occupancy){.waves = 2, .most = 8, .complete = true};
    kernel_facts_of(&f, &r, NULL, &p);
    assert_true(f.v[FACT_MEAN] == 1e-6);
    assert_true(isnan(f.v[FACT_OCCUPANCY]) && isnan(f.v[FACT_BYTES]) && isnan(f.v[FACT_FLOPS]));
}

/* If one counter of the mix is missing, its shares are unknown, not 0. */
TEST(a_missing_counter_is_not_zero)
{
    struct made m;
    begin(&m);
    uint32_t a = add(&m, &(struct dispatch){"k", 0, 1000, 64, 256, 32, 0, .queue = 0});
    trace_add_counter(&m.t, a, "SQ_INSTS_SALU", 90);
    trace_add_counter(&m.t, a, "SQ_INSTS_VALU", 10);
    finish(&m);
    const struct kernel_row *r = row(&m, KERNELS_BY_NAME, "k");
    assert_true(isnan(r->facts.v[FACT_SALU]));
    assert_int_equal(r->label.label, LABEL_MIXED);
    end(&m);
}

TEST(nothing_and_hostile_times)
{
    static const struct dispatch hostile[] = {
        {"k", 0, UINT64_MAX - 5, 1, 64, 8, 0, .queue = 0},
        {"k", 10, UINT64_MAX - 5, 1, 64, 8, 0, .queue = 0},
        {"k", UINT64_MAX - 10, 3, 1, 64, 8, 0, .queue = 0},
        {"k", 5, 0, UINT32_MAX, UINT32_MAX, UINT32_MAX - 1, UINT32_MAX - 1, .queue = 0},
    };
    struct made m;
    make(&m, NULL, 0);
    assert_int_equal(m.k.by[0].n, 0);
    assert_int_equal(m.k.total.label.label, LABEL_NONE);
    assert_int_equal(m.k.total.busy, 0);
    end(&m);
    make(&m, hostile, LENGTH(hostile));
    const struct kernel_row *r = row(&m, KERNELS_BY_NAME, "k");
    assert_int_equal(r->sum.calls, 4);
    assert_int_equal(r->sum.total, UINT64_MAX); /* the sum stays at the maximum */
    assert_true(isnan(r->sd));
    end(&m);
}

TEST(lists_are_filtered_and_sorted)
{
    struct made m;
    struct error err = ERROR_INIT;
    struct query *q;
    uint32_t rows[8];
    make(&m, mixed, LENGTH(mixed));
    const struct kernel_table *t = &m.k.by[KERNELS_BY_NAME];
    assert_int_equal(
        kernels_list(t, NULL, list_fields_sort_named(kernels_fields, "name"), false, rows), 4);
    assert_string_equal(t->rows[rows[0]].name, "H2D");
    kernels_list(t, NULL, list_fields_sort_named(kernels_fields, "name"), true, rows);
    assert_string_equal(t->rows[rows[0]].name, "void gemm<half>(int)");
    kernels_list(t, NULL, list_fields_sort_named(kernels_fields, "occupancy"), false,
                 rows); /* the least first, unknown last */
    assert_string_equal(t->rows[rows[0]].name, "void gemm<float>(int)");
    assert_string_equal(t->rows[rows[3]].name, "H2D");
    assert_int_equal(
        query_compile(&q, "kind=kernel and calls>1 and mean<200ns", kernels_fields, &err), 0);
    assert_int_equal(kernels_list(t, q, 0, false, rows), 1);
    assert_string_equal(t->rows[rows[0]].name, "axpy(float*)");
    query_free(q);
    assert_int_equal(query_compile(&q, "label=host", kernels_fields, &err), 0);
    assert_int_equal(kernels_list(t, q, 0, false, rows), 1);
    query_free(q);
    for (int s = 0; list_fields_sort(kernels_fields, s); s++)
        assert_int_equal(kernels_list(t, NULL, s, false, rows), 4);
    end(&m);
}
