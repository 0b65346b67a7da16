/*
 * The falsification protocol of trueno, F101 to F110, each under its name, and other properties of
 * librooftop inside the program that uses it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>
#include <time.h>

#include "rooftop/brick.h"
#include "support/brick_file.h"
#include "support/test.h"

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

TEST(f101_there_are_fifteen_bricks)
{
    assert_int_equal(ROOFTOP_BRICK_COUNT, 15);
    for (rooftop_id i = 0; i < ROOFTOP_BRICK_COUNT; i++) {
        assert_true(*rooftop_name(i));
        assert_int_equal(rooftop_brick(rooftop_name(i)), i);
    }
    assert_int_equal(rooftop_brick("SiLU"), ROOFTOP_ACTIVATION);
    assert_int_equal(rooftop_brick("Qkv"), ROOFTOP_QKV_PROJECTION);
    assert_string_equal(rooftop_name(ROOFTOP_DOWN_PROJECTION), "DownProjection");
}

TEST(f102_every_brick_has_its_category)
{
    static const enum rooftop_category want[] = {
        ROOFTOP_NORM,      ROOFTOP_NORM,      ROOFTOP_ATTENTION, ROOFTOP_ATTENTION,
        ROOFTOP_ATTENTION, ROOFTOP_ATTENTION, ROOFTOP_ATTENTION, ROOFTOP_ATTENTION,
        ROOFTOP_FFN,       ROOFTOP_FFN,       ROOFTOP_FFN,       ROOFTOP_FFN,
        ROOFTOP_OTHER,     ROOFTOP_OTHER,     ROOFTOP_OTHER};
    for (rooftop_id i = 0; i < ROOFTOP_BRICK_COUNT; i++)
        assert_int_equal(rooftop_category_of(i), want[i]);
    rooftop_id mine = rooftop_register("MyNorm", ROOFTOP_NORM);
    assert_true(mine > ROOFTOP_BRICK_COUNT);
    assert_int_equal(rooftop_category_of(mine), ROOFTOP_NORM);
    assert_int_equal(rooftop_register("MyNorm", ROOFTOP_NORM), mine);
}

TEST(f103_deferred_measurements_are_pending)
{
    rooftop_id id = rooftop_register("f103", ROOFTOP_OTHER);
    rooftop_reset_epoch();
    for (int i = 0; i < 3; i++)
        rooftop_record_deferred(id, (uint64_t)i * 100, (uint64_t)i * 100 + 50, 7);
    assert_int_equal(rooftop_pending(), 3);
    assert_int_equal(rooftop_stats_of(id).count, 0);
    rooftop_finalize(1000);
}

TEST(f104_finalize_applies_and_clears)
{
    rooftop_id id = rooftop_register("f104", ROOFTOP_OTHER);
    rooftop_record_deferred(id, 100, 150, 7);
    rooftop_record_deferred(id, 200, 280, 8);
    assert_int_equal(rooftop_finalize(1000), 2);
    assert_int_equal(rooftop_pending(), 0);
    assert_int_equal(rooftop_finalize(1000), 0);
    rooftop_stats s = rooftop_stats_of(id);
    assert_int_equal(s.count, 2);
    assert_int_equal(s.total_ns, 130); /* each has its own time, not the time up to finalize */
    assert_int_equal(s.elements, 15);
}

/* The original gave every pending item the time up to finalize, so their sum exceeded the elapsed
 * time. */
TEST(deferred_items_without_an_end_never_overlap)
{
    rooftop_id id = rooftop_register("chain", ROOFTOP_OTHER);
    for (uint64_t i = 0; i < 5; i++)
        rooftop_record_deferred(id, 1000 + i * 100, 0, 1);
    rooftop_finalize(1600);
    rooftop_stats s = rooftop_stats_of(id);
    assert_int_equal(s.count, 5);
    assert_int_equal(s.total_ns, 600);
    assert_int_equal(s.min_ns, 100);
    assert_int_equal(s.max_ns, 200);
}

/* Two items that begin at the same time: the first has no length, the second has the rest. */
TEST(deferred_items_that_begin_together)
{
    rooftop_id first = rooftop_register("together 1", ROOFTOP_OTHER);
    rooftop_id second = rooftop_register("together 2", ROOFTOP_OTHER);
    rooftop_record_deferred(first, 1000, 0, 1);
    rooftop_record_deferred(second, 1000, 0, 1);
    rooftop_finalize(1600);
    assert_int_equal(rooftop_stats_of(first).total_ns, 0);
    assert_int_equal(rooftop_stats_of(second).total_ns, 600);
}

/* An item that begins earlier than the one before does not end it, and no item ends after
 * finalize. */
TEST(deferred_items_out_of_order)
{
    rooftop_id first = rooftop_register("later", ROOFTOP_OTHER);
    rooftop_id second = rooftop_register("earlier", ROOFTOP_OTHER);
    rooftop_record_deferred(first, 1000, 0, 1);
    rooftop_record_deferred(second, 400, 0, 1);
    rooftop_finalize(1600);
    assert_int_equal(rooftop_stats_of(first).total_ns, 600);
    assert_int_equal(rooftop_stats_of(second).total_ns, 1200);
    rooftop_record_deferred(first, 2000, 0, 1);
    rooftop_record_deferred(second, 9000, 0, 1);
    rooftop_finalize(2500);
    assert_int_equal(rooftop_stats_of(first).total_ns, 600 + 500);
}

TEST(f105_off_records_nothing)
{
    rooftop_id id = rooftop_register("f105", ROOFTOP_OTHER);
    rooftop_set_sync(ROOFTOP_NONE);
    assert_int_equal(rooftop_get_sync(), ROOFTOP_NONE);
    rooftop_timer t = rooftop_start(id);
    assert_int_equal(t.span, 0);
    assert_int_equal(t.start_ns, 0); /* the clock was not read */
    rooftop_stop(t, 1);
    rooftop_record_deferred(id, 1, 2, 3);
    assert_int_equal(rooftop_pending(), 0);
    rooftop_set_sync(ROOFTOP_DEFERRED);
    assert_int_equal(rooftop_stats_of(id).count, 0);
    rooftop_stop(rooftop_start(id), 1);
    assert_int_equal(rooftop_stats_of(id).count, 1);
}

/* An id is an index: it does not depend on the number of ids. */
TEST(f106_an_id_is_an_index)
{
    char name[32];
    rooftop_id first = rooftop_register("f106", ROOFTOP_OTHER);
    for (int i = 0; i < 500; i++) {
        snprintf(name, sizeof name, "f106-%d", i);
        assert_int_equal(rooftop_register(name, ROOFTOP_OTHER), first + 1 + (rooftop_id)i);
    }
    assert_int_equal(rooftop_brick("RmsNorm"), 0);
    assert_int_equal(rooftop_register("f106-499", ROOFTOP_OTHER), first + 500);
}

enum { THREADS = 8, LOOPS = 5000 };

static void *many(void *id)
{
    for (int i = 0; i < LOOPS; i++)
        rooftop_stop(rooftop_start(*(rooftop_id *)id), 2);
    return NULL;
}

TEST(f107_threads_lose_nothing)
{
    pthread_t t[THREADS];
    rooftop_id id = rooftop_register("f107", ROOFTOP_OTHER);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, many, &id), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    assert_int_equal(rooftop_stats_of(id).count, THREADS * LOOPS);
    assert_int_equal(rooftop_stats_of(id).elements, THREADS * LOOPS * 2);
}

TEST(f108_a_timer_fits_in_32_bytes)
{
    assert_true(sizeof(rooftop_timer) <= 32);
}

TEST(f109_elapsed_never_runs_back)
{
    rooftop_reset_epoch();
    uint64_t last = 0;
    for (int i = 0; i < 100000; i++) {
        uint64_t t = rooftop_elapsed_ns();
        assert_true(t >= last);
        last = t;
    }
}

TEST(f110_categories_sum_to_their_bricks)
{
    uint64_t bricks[ROOFTOP_CATEGORIES] = {0}, counts[ROOFTOP_CATEGORIES] = {0};
    rooftop_id other = rooftop_register("f110", ROOFTOP_FFN);
    rooftop_stats before[ROOFTOP_CATEGORIES];
    for (unsigned c = 0; c < ROOFTOP_CATEGORIES; c++)
        before[c] = rooftop_category_stats((enum rooftop_category)c);
    for (rooftop_id i = 0; i <= ROOFTOP_BRICK_COUNT; i++) {
        rooftop_id id = i < ROOFTOP_BRICK_COUNT ? i : other;
        rooftop_stats was = rooftop_stats_of(id);
        rooftop_span(id, 1000, 1000 + 10 * (i + 1), 1, 0, 0);
        rooftop_stats is = rooftop_stats_of(id);
        bricks[rooftop_category_of(id)] += is.total_ns - was.total_ns;
        counts[rooftop_category_of(id)] += is.count - was.count;
    }
    for (unsigned c = 0; c < ROOFTOP_CATEGORIES; c++) {
        rooftop_stats after = rooftop_category_stats((enum rooftop_category)c);
        assert_int_equal(after.total_ns - before[c].total_ns, bricks[c]);
        assert_int_equal(after.count - before[c].count, counts[c]);
    }
    assert_int_equal(bricks[ROOFTOP_NORM], 10 + 20);
    assert_int_equal(counts[ROOFTOP_FFN], 5);
}

/* The time of a nested brick belongs to the outer one too, but the categories add up to the
 * whole. */
TEST(categories_count_time_once)
{
    rooftop_stats before[ROOFTOP_CATEGORIES];
    for (unsigned c = 0; c < ROOFTOP_CATEGORIES; c++)
        before[c] = rooftop_category_stats((enum rooftop_category)c);
    uint64_t whole = rooftop_total_ns(), parts = 0;
    rooftop_stats head = rooftop_stats_of(ROOFTOP_LM_HEAD);
    rooftop_timer outer = rooftop_start(ROOFTOP_LM_HEAD); /* category Other */
    rooftop_timer scope = rooftop_start(rooftop_layer(77));
    /* category FFN, inside it although there is no scope */
    rooftop_span(ROOFTOP_GATE_PROJECTION, 1000, 1001, 1, 0, 0);
    rooftop_stop(scope, 0);
    rooftop_stop(outer, 1);
    rooftop_span(ROOFTOP_RMS_NORM, 5000, 5500, 1, 0, 0);
    uint64_t took = rooftop_stats_of(ROOFTOP_LM_HEAD).total_ns - head.total_ns;
    assert_int_equal(rooftop_total_ns() - whole, took + 500);
    for (unsigned c = 0; c < ROOFTOP_CATEGORIES; c++) {
        rooftop_stats now = rooftop_category_stats((enum rooftop_category)c);
        parts += now.total_ns - before[c].total_ns;
    }
    assert_int_equal(parts, rooftop_total_ns() - whole);
    assert_int_equal(rooftop_category_stats(ROOFTOP_FFN).total_ns - before[ROOFTOP_FFN].total_ns,
                     1);
    rooftop_stats half = {.count = 1, .total_ns = 50};
    assert_true(rooftop_percentage(&half, 200) == 25);
    assert_true(isnan(rooftop_percentage(&half, 0)));
}

TEST(off_and_on_again)
{
    rooftop_id id = rooftop_register("switched", ROOFTOP_OTHER);
    assert_true(rooftop_enabled());
    rooftop_disable();
    assert_false(rooftop_enabled());
    rooftop_timer t = rooftop_start(id);
    assert_true(t.span == 0);
    rooftop_stop(t, 1);
    rooftop_span(id, 0, 100, 1, 0, 0);
    rooftop_set_sync(ROOFTOP_IMMEDIATE); /* setting a mode does not enable recording */
    assert_false(rooftop_enabled());
    assert_int_equal(rooftop_stats_of(id).count, 0);
    rooftop_enable();
    assert_int_equal(rooftop_get_sync(), ROOFTOP_IMMEDIATE);
    rooftop_span(id, 0, 100, 1, 0, 0);
    assert_int_equal(rooftop_stats_of(id).count, 1);
    t = rooftop_start(id);
    rooftop_disable(); /* a span that has begun is recorded to its end */
    rooftop_stop(t, 1);
    rooftop_enable();
    assert_int_equal(rooftop_stats_of(id).count, 2);
    rooftop_set_sync(ROOFTOP_NONE);
    rooftop_enable(); /* enabling has no effect in a mode that records nothing */
    assert_false(rooftop_enabled());
    rooftop_set_sync(ROOFTOP_DEFERRED);
    assert_true(rooftop_enabled());
}

TEST(a_report_tells_all_of_it)
{
    char text[16384], part[64];
    rooftop_id backend =
        rooftop_backend_measured("tested\x1b[1m", 250e9, 10e9, 0, 0.126, "measured at start");
    rooftop_timer t = rooftop_start(backend);
    rooftop_span(rooftop_register("reported", ROOFTOP_NORM), 0, 4000000, 2000, 0, 0);
    rooftop_span(rooftop_kernel("untimed", 1, NULL, NULL, 0), 7, 7, 0, 0, 0);
    rooftop_stop(t, 0);
    size_t n = rooftop_report(text, sizeof text);
    assert_true(n > 0 && n == strlen(text));
    assert_non_null(strstr(text, "Backend: tested?[1m, 250.0 GFLOP/s, 10.0 GB/s "
                                 "(measurements lay 12.6 % apart) (measured at start)\n"));
    const char *row = strstr(text, "\nreported ");
    double average, total, rate;
    unsigned count;
    assert_non_null(row);
    assert_int_equal(sscanf(row, " reported %lf %lf %u %lf", &average, &total, &count, &rate), 4);
    assert_true(average == 4000 && total == 4000 && count == 1 && rate == 0.5);
    row = strstr(text, "\nuntimed ");
    assert_non_null(row);
    assert_int_equal(sscanf(row, " untimed n/a n/a %u n/a n/a", &count), 1);
    assert_non_null(strstr(text, "\nCategory "));
    assert_non_null(strstr(text, "\nFFN "));
    assert_int_equal(rooftop_report(NULL, 0), n); /* the size that it needs */
    memset(part, 'x', sizeof part);
    assert_int_equal(rooftop_report(part, 40), n);
    assert_int_equal(strlen(part), 39);
    assert_true(part[40] == 'x' && strncmp(part, text, 39) == 0);
}

TEST(code_is_found_by_its_hash)
{
    static const char ptx[] = ".version 8.0\n.entry gemm_found {}";
    rooftop_code_entry e = {.size = 99};
    uint64_t hash = rooftop_code(ROOFTOP_PTX, "gemm_found", "src/gemm.ptx", ptx, sizeof ptx - 1);
    assert_true(rooftop_code_find(hash, &e));
    assert_true(e.hash == hash && e.kind == ROOFTOP_PTX && e.size == sizeof ptx - 1);
    assert_string_equal(e.name, "gemm_found");
    assert_string_equal(e.path, "src/gemm.ptx");
    assert_memory_equal(e.data, ptx, e.size);
    assert_false(rooftop_code_find(hash + 1, &e));
    hash = rooftop_code(ROOFTOP_HSACO, "only a path", "k.hsaco", NULL, 0);
    assert_true(rooftop_code_find(hash, &e));
    assert_null(e.data);
    assert_string_equal(e.path, "k.hsaco");
}

/* Compared with what the kernel says about this CPU. */
TEST(the_backend_is_what_the_cpu_can)
{
    static const struct {
        const char *flag;
        enum rooftop_isa isa;
    } widest[] = {
        {" avx512f", ROOFTOP_AVX512}, {" avx2", ROOFTOP_AVX2}, /* all of them also have fma */
        {" avx ", ROOFTOP_AVX},       {" sse2", ROOFTOP_SSE2},
        {" sve ", ROOFTOP_SVE},       {" asimd", ROOFTOP_NEON}};
    char line[16384];
    FILE *f = fopen("/proc/cpuinfo", "r");
    enum rooftop_isa expected = ROOFTOP_SCALAR;
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "flags", 5) == 0 || strncmp(line, "Features", 8) == 0)
            for (size_t i = sizeof widest / sizeof *widest; i-- > 0;)
                if (strstr(line, widest[i].flag))
                    expected = widest[i].isa;
    if (f)
        fclose(f);
    assert_int_equal(rooftop_detect_backend(), expected);
    assert_string_equal(rooftop_isa_name(ROOFTOP_AVX512), "avx512");
    assert_string_equal(rooftop_isa_name((enum rooftop_isa)99), "");
}

TEST(hashes_are_fnv_1a)
{
    static const struct {
        const char *text;
        uint64_t hash;
    } vectors[] = {
        {"", UINT64_C(0xcbf29ce484222325)},
        {"kernel_a", UINT64_C(0x291024c46cc1680c)},
        {"kernel_b", UINT64_C(0x291027c46cc16d25)},
        {".version 8.0\n.entry gemm_tiled {}", UINT64_C(0x3d6ad7f40bcca138)},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        assert_true(rooftop_hash(vectors[i].text, strlen(vectors[i].text)) == vectors[i].hash);
}

TEST(a_kernel_is_told_by_its_shape)
{
    uint32_t g[3] = {32, 1, 1}, b[3] = {256, 1, 1}, other[3] = {64, 1, 1};
    rooftop_id a = rooftop_kernel("gemv", 1, g, b, 4096);
    assert_int_equal(rooftop_kernel("gemv", 1, g, b, 4096), a);
    assert_int_not_equal(rooftop_kernel("gemv", 1, other, b, 4096), a);
    assert_int_not_equal(rooftop_kernel("gemv", 2, g, b, 4096), a);
    assert_int_not_equal(rooftop_kernel("gemv", 1, g, b, 0), a);
    assert_string_equal(rooftop_name(a), "gemv");
}

/* --- a device whose clock advances only when work is enqueued; each unit takes 1000 ns --- */

struct fake_device {
    uint64_t clock, stamps[64];
    uint32_t nstamps;
    int syncs, fail;
};
static int fake_sync(void *c)
{
    struct fake_device *d = c;
    d->syncs++;
    return d->fail;
}
static int fake_record(void *c, uint32_t *event)
{
    struct fake_device *d = c;
    d->stamps[d->nstamps++ % 64] = d->clock;
    *event = d->nstamps;
    return 0;
}
static int fake_resolve(void *c, uint32_t event, uint64_t *ns)
{
    struct fake_device *d = c;
    *ns = d->stamps[(event - 1) % 64];
    return 0;
}
static void launch(struct fake_device *d, uint64_t units)
{
    d->clock += units * 1000;
}

static rooftop_stats forward(struct fake_device *d, enum rooftop_sync mode, const char *name,
                             int *syncs)
{
    rooftop_id id = rooftop_register(name, ROOFTOP_OTHER);
    d->clock = 5000000;
    d->nstamps = 0;
    d->syncs = 0;
    rooftop_set_sync(mode);
    for (uint32_t l = 0; l < 3; l++) {
        rooftop_timer layer = rooftop_start(rooftop_layer(l));
        for (uint64_t i = 1; i <= 4; i++) {
            rooftop_timer t = rooftop_start(id);
            launch(d, i);
            rooftop_stop(t, 1);
        }
        rooftop_stop(layer, 0);
    }
    *syncs = d->syncs;
    rooftop_finalize(0);
    return rooftop_stats_of(id);
}

TEST(deferred_equals_immediate_on_a_device)
{
    struct fake_device d = {0};
    rooftop_device device = {&d, fake_sync, fake_record, fake_resolve};
    int immediate_syncs, layer_syncs, deferred_syncs;
    rooftop_set_device(&device);
    rooftop_stats a = forward(&d, ROOFTOP_IMMEDIATE, "immediate", &immediate_syncs);
    rooftop_stats b = forward(&d, ROOFTOP_PER_LAYER, "per layer", &layer_syncs);
    rooftop_stats c = forward(&d, ROOFTOP_DEFERRED, "deferred", &deferred_syncs);
    rooftop_set_device(NULL);
    assert_int_equal(a.count, 12);
    assert_int_equal(a.total_ns, 30000);
    assert_int_equal(a.min_ns, 1000);
    assert_int_equal(a.max_ns, 4000);
    assert_memory_equal(&a, &b, sizeof a);
    assert_memory_equal(&a, &c, sizeof a);
    /* number of waits: after every brick and layer, after every layer, once */
    assert_int_equal(immediate_syncs, 15);
    assert_int_equal(layer_syncs, 3);
    assert_int_equal(deferred_syncs, 0);
    assert_int_equal(d.syncs, 1);
}

TEST(a_device_that_fails_is_counted)
{
    struct fake_device d = {.fail = 1};
    rooftop_device device = {&d, fake_sync, NULL, NULL};
    rooftop_id id = rooftop_register("failing", ROOFTOP_OTHER);
    rooftop_set_device(&device);
    rooftop_set_sync(ROOFTOP_IMMEDIATE);
    rooftop_stop(rooftop_start(id), 1);
    rooftop_set_device(NULL);
    rooftop_set_sync(ROOFTOP_DEFERRED);
    assert_int_equal(rooftop_stats_of(id).count, 1); /* measured with the host's clock */
    struct brick_reader *r;
    assert_int_equal(brick_reader_open(&r, rooftop_path(), NULL), 0);
    assert_int_equal(brick_reader_header(r)->device_errors, 1);
    brick_reader_close(r);
}

/* --- spans that are not nested properly --- */

TEST(stops_out_of_order_are_both_right)
{
    rooftop_id a = rooftop_register("outer", ROOFTOP_OTHER),
               b = rooftop_register("inner", ROOFTOP_OTHER),
               c = rooftop_register("after", ROOFTOP_OTHER);
    rooftop_timer x = rooftop_start(a), y = rooftop_start(b);
    rooftop_stop(x, 1);
    rooftop_stop(y, 1);
    rooftop_stop(rooftop_start(c), 1);
    assert_int_equal(rooftop_stats_of(a).count, 1);
    assert_int_equal(rooftop_stats_of(b).count, 1);
    struct brick_reader *r;
    assert_int_equal(brick_reader_open(&r, rooftop_path(), NULL), 0);
    assert_int_equal(brick_reader_poll(r, NULL), 0);
    assert_non_null(brick_file_node(r, "outer/inner"));
    assert_non_null(brick_file_node(r, "after")); /* it is outermost: no span was left open */
    brick_reader_close(r);
}

static void *stop_it(void *timer)
{
    rooftop_stop(*(rooftop_timer *)timer, 9);
    return NULL;
}

TEST(a_span_may_end_on_another_thread)
{
    pthread_t t;
    rooftop_id id = rooftop_register("moved", ROOFTOP_OTHER),
               next = rooftop_register("next", ROOFTOP_OTHER);
    rooftop_timer timer = rooftop_start(id);
    pthread_create(&t, NULL, stop_it, &timer);
    pthread_join(t, NULL);
    assert_int_equal(rooftop_stats_of(id).count, 1);
    assert_int_equal(rooftop_stats_of(id).elements, 9);
    rooftop_stop(rooftop_start(next), 0);
    struct brick_reader *r;
    assert_int_equal(brick_reader_open(&r, rooftop_path(), NULL), 0);
    assert_int_equal(brick_reader_poll(r, NULL), 0);
    assert_non_null(brick_file_node(r, "moved"));
    assert_non_null(brick_file_node(r, "next"));
    assert_null(brick_file_node(r, "moved/next"));
    brick_reader_close(r);
}

TEST(a_task_counts_its_polls)
{
    rooftop_task task = rooftop_task_new("load weights");
    for (int i = 0; i < 4; i++)
        rooftop_poll_stop(&task, rooftop_poll_start(&task), i == 3);
    assert_int_equal(task.polls, 4);
    assert_int_equal(task.yields, 3);
    assert_int_equal(rooftop_stats_of(task.id).count, 4);
}

TEST(depth_has_an_end)
{
    rooftop_id id = rooftop_register("deep", ROOFTOP_OTHER);
    rooftop_timer t[300];
    uint64_t dropped = rooftop_dropped();
    for (int i = 0; i < 300; i++)
        t[i] = rooftop_start(id);
    for (int i = 300; i-- > 0;)
        rooftop_stop(t[i], 0);
    assert_int_equal(rooftop_stats_of(id).count, 256);
    assert_int_equal(rooftop_dropped() - dropped, 44);
}

TEST(times_are_those_that_passed)
{
    rooftop_id id = rooftop_register("timed", ROOFTOP_OTHER);
    uint64_t before = now();
    rooftop_timer t = rooftop_start(id);
    while (now() - t.start_ns < 200000)
        ;
    rooftop_stop(t, 0);
    uint64_t after = now();
    rooftop_stats s = rooftop_stats_of(id);
    assert_true(t.start_ns >= before);
    assert_true(s.total_ns >= 200000 && s.total_ns <= after - before);
    assert_true(s.min_ns == s.total_ns && s.max_ns == s.total_ns);
}

BRICK_FOLDER_MAIN
