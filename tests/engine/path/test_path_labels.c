/* In any trace, conclusions do not contradict measurements: shares, labels, communication. */
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/trace/collective.h"
#include "support/path_found.h"
#include "support/trace_text.h"
#include "support/test.h"

enum { TEXT = 256 << 10 };

static bool says(const struct bottleneck *b, enum bottleneck_label l)
{
    return b->rule && (b->label == l || b->also >> l & 1);
}

/* --- what must hold in each trace --- */

static void check_path(const struct path_found *f)
{
    const struct graph *g = f->t.calls;
    const struct kernels_total *t = &f->k.total;
    uint64_t sum = t->path_outside, steps = 0;
    uint32_t share = 0;
    for (int i = 0; i < PATH_PARTS; i++) {
        sum += t->on_path[i];
        share += f->s.all.share[i];
    }
    assert_int_equal(sum, f->p.length);
    assert_int_equal(share, f->s.all.total ? PATH_WHOLE : 0);
    for (uint32_t i = 0; i < f->p.nsteps; i++) {
        const struct critical_step *s = &f->p.steps[i];
        steps += s->length;
        assert_false(graph_is_context(g, s->node));
        assert_true(s->latency || f->p.slack[s->node] == 0 || f->p.slack[s->node] == GRAPH_UNKNOWN);
    }
    assert_int_equal(steps, f->p.length);
    for (uint32_t v = 0; v < g->nnodes; v++)
        assert_true(!graph_is_context(g, v) || f->p.slack[v] == GRAPH_UNKNOWN);
}

static void check_profile(const struct path_found *f)
{
    const struct kernels_total *t = &f->k.total;
    double idle = t->facts.v[FACT_IDLE];
    for (int a = 0; a < LABELS; a++)
        for (int b = 0; b < LABELS; b++)
            assert_false(says(&t->label, (enum bottleneck_label)a) &&
                         says(&t->label, (enum bottleneck_label)b) &&
                         bottleneck_contradict((enum bottleneck_label)a, (enum bottleneck_label)b));
    if (says(&t->label, LABEL_HOST) || says(&t->label, LABEL_LAUNCH))
        assert_true(idle >= 0.2);
    if (says(&t->label, LABEL_DEVICE))
        assert_true(idle <= 0.2);
    assert_true(t->exposed <= t->busy);
}

static void check_collectives(const struct path_found *f)
{
    static const enum bottleneck_label never[] = {
        LABEL_WAVES,  LABEL_VGPR,   LABEL_LDS,    LABEL_LATENCY, LABEL_BANDWIDTH,
        LABEL_SCALAR, LABEL_BRANCH, LABEL_LAUNCH, LABEL_HOST,    LABEL_COMPUTE};
    const struct kernel_table *table = &f->k.by[KERNELS_BY_NAME];
    for (uint32_t i = 0; i < table->n; i++) {
        const struct kernel_row *r = &table->rows[i];
        assert_int_equal(r->collective, collective_of(r->name) != COLLECTIVE_NONE);
        if (!r->collective)
            continue;
        assert_string_equal(kernel_kind_name(r), "collective");
        assert_true(isnan(r->occupancy.waves));
        assert_true(r->sum.exposed <= r->sum.total);
        for (size_t k = 0; k < sizeof never / sizeof *never; k++)
            assert_false(says(&r->label, never[k]));
    }
}

static void check(struct path_found *f)
{
    path_find(f);
    check_path(f);
    check_profile(f);
    check_collectives(f);
    path_drop(f);
}

/* --- the traces --- */

TEST(in_all_that_tests_have)
{
    static const char *const patterns[] = {"tests/data/chrome/*.json", "tests/data/path/*.json",
                                           "tests/data/rocpd/*.db", "tests/data/rocprofv3/*.csv",
                                           "tests/fuzz/corpus/chrome/*"};
    unsigned checked = 0;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        glob_t found = {0};
        assert_int_equal(glob(patterns[i], 0, NULL, &found), 0);
        for (size_t k = 0; k < found.gl_pathc; k++) {
            struct path_found f = {.t = {0}};
            const char *path = found.gl_pathv[k];
            if (trace_open(&f.t, &path, 1, NULL) == 0) {
                check(&f);
                checked++;
            } else {
                trace_free(&f.t);
            }
        }
        globfree(&found);
    }
    assert_in_range(checked, 20, 1000);
}

static uint64_t seed;
static uint32_t below(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % n;
}

static const char *const kernels[] = {
    "gemm", "softmax", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", "ncclDevKernel_Generic(y)"};

#define HOST "\"pid\": 9, \"tid\": %u, \"ts\": %u, \"dur\": %u"

static char *host(char *at, const char *category, const char *name, uint32_t thread, uint32_t ts,
                  uint32_t dur, uint32_t correlation)
{
    return at + sprintf(at,
                        "{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", " HOST
                        ", \"args\": {\"correlation\": %u}},",
                        category, name, thread, ts, dur, correlation);
}

/* Threads with ranges, calls and waits, as busy as the seed says; kernels and collectives. */
static void write_trace(char *at)
{
    uint32_t pace = below(40), length = 1 + below(60), now = 0, free_at[3] = {0};
    at += sprintf(at, "{\"traceEvents\": [");
    for (uint32_t i = 1; i <= 40; i++) {
        uint32_t queue = below(3), name = below(4), dur = 1 + below(length);
        uint32_t start = (free_at[queue] > now + 2 ? free_at[queue] : now + 2) + below(3);
        at = host(at, "cuda_runtime", "cudaLaunchKernel", 9, now, 2, i);
        at += sprintf(at,
                      "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"%s\", \"pid\": 0, \"tid\": "
                      "%u, \"ts\": %u, \"dur\": %u, \"args\": {\"device\": 0, \"correlation\": %u, "
                      "\"grid\": [2, 1, 1], \"block\": [256, 1, 1], \"registers per thread\": 96, "
                      "\"In msg nelems\": %u, \"Group size\": 2, \"dtype\": \"Float\"}},",
                      kernels[name], queue, start, dur, i, below(3) * 1000);
        free_at[queue] = start + dur;
        if (below(4) == 0)
            at = host(at, "user_annotation", "step", 9, now, 2 + below(10), 0);
        if (below(4) == 0)
            at = host(at, "os_runtime", below(2) ? "poll" : "read", 11, now, 1 + below(50), 0);
        if (below(6) == 0) {
            uint32_t end = free_at[queue] > now + 3 ? free_at[queue] + 1 : now + 4;
            at = host(at, "cuda_runtime", "cudaStreamSynchronize", 9, now + 2, end - now - 2, 0);
            now = end;
        }
        now += 2 + below(pace + 1);
    }
    sprintf(at - 1, "]}");
}

TEST(in_random_ones)
{
    char *text = test_malloc(TEXT);
    unsigned labels[LABELS] = {0};
    for (uint64_t round = 1; round <= 400; round++) {
        struct path_found f;
        seed = round * 77;
        write_trace(text);
        trace_text_read(&f.t, text);
        path_find(&f);
        labels[f.k.total.label.label]++;
        path_drop(&f);
        trace_text_read(&f.t, text);
        check(&f);
    }
    assert_true(labels[LABEL_HOST] && labels[LABEL_DEVICE]); /* the random traces had both */
    test_free(text);
}

/* --- numbers of collectives --- */

static const struct kernel_row *row(const struct path_found *f, const char *name)
{
    const struct kernel_table *t = &f->k.by[KERNELS_BY_NAME];
    for (uint32_t i = 0; i < t->n; i++)
        if (strcmp(t->rows[i].name, name) == 0)
            return &t->rows[i];
    fail_msg("no %s", name);
    return NULL;
}

#define REDUCE "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)"
#define WORK(name, tid, ts, dur, more)                                                             \
    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"" name "\", \"pid\": 0, \"tid\": " #tid      \
    ", \"ts\": " #ts ", \"dur\": " #dur                                                            \
    ", \"args\": {\"device\": 0, \"grid\": [8, 1, 1], \"block\": [544, 1, 1], \"registers per "    \
    "thread\": 96" more "}}"
#define MESSAGE                                                                                    \
    ", \"Collective name\": \"allreduce\", \"In msg nelems\": 1000000, \"Out msg nelems\": "       \
    "1000000, \"Group size\": 4, \"dtype\": \"BFloat16\""

/* Two collectives of 2 MB between 4 ranks, of 100 us and 300 us; a kernel overlaps with 50 us of
 * the first. */
TEST(a_collective_tells_what_it_carried)
{
    struct path_found f;
    trace_text_read(
        &f.t, "{\"traceEvents\": [" WORK("gemm", 7, 0, 150, "") "," WORK(
                  REDUCE, 20, 100, 100, MESSAGE) "," WORK(REDUCE, 20, 1000, 300, MESSAGE) "]}");
    path_find(&f);
    const struct kernel_row *r = row(&f, REDUCE);
    char text[KERNEL_COMMUNICATION_TEXT];
    assert_int_equal(r->sum.bytes, 4000000);
    assert_int_equal(r->sum.exposed, 350000);
    assert_int_equal(f.k.total.exposed, 350000);
    /* nccl-tests: 2 * 3/4 of the bytes, twice, in 400 us */
    assert_float_equal(kernel_bus_bandwidth(r), 4e6 * 1.5 / 400e-6, 1);
    assert_float_equal(r->facts.v[FACT_PEER], 0.5, 1e-9);      /* 200 of 400 us */
    assert_float_equal(r->facts.v[FACT_EXPOSED], 0.875, 1e-9); /* 350 of 400 us */
    assert_int_equal(r->label.label, LABEL_PEER);
    assert_string_equal(kernel_communication_text(r, true, text, sizeof text),
                        "all-reduce of 4 ranks, 1.91 MiB each, 15.0 GB/s on the bus; 87.5 % of it "
                        "beside no kernel");
    assert_int_equal(f.s.all.ns[PATH_COMMUNICATION], 400000);
    path_drop(&f);
}

TEST(names_say_what_is_communication)
{
    static const struct {
        const char *name;
        enum collective_op op;
    } names[] = {
        {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
         COLLECTIVE_ALL_REDUCE},
        {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", COLLECTIVE_SEND_RECV},
        {"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(x)", COLLECTIVE_REDUCE_SCATTER},
        {"_Z42ncclDevKernel_AllGather_RING_LL24ncclDevKernelArgsStorage", COLLECTIVE_ALL_GATHER},
        {"ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", COLLECTIVE_SOME},
        {"rccl_main_kernel_Broadcast", COLLECTIVE_BROADCAST},
        {"nccl:all_reduce", COLLECTIVE_ALL_REDUCE},
        {"nccl:_reduce_scatter_base", COLLECTIVE_REDUCE_SCATTER},
        {"gloo:barrier", COLLECTIVE_BARRIER},
        {"void mscclpp::allreduce6<__half>(int)", COLLECTIVE_ALL_REDUCE},
        {"msccl_kernel_all_to_all", COLLECTIVE_ALL_TO_ALL},
        {"oneccl_allreduce_large", COLLECTIVE_ALL_REDUCE},
        {"oneapi::ccl::v1::reduce_kernel", COLLECTIVE_REDUCE},
        {"void at::native::reduce_kernel<512, 1>(nccl)", COLLECTIVE_NONE},
        {"void gemm<accl::tile>(float*)", COLLECTIVE_NONE},
        {"igloo_step", COLLECTIVE_NONE},
        {"", COLLECTIVE_NONE},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (collective_of(names[i].name) != names[i].op)
            fail_msg("%s: %s", names[i].name, collective_name(collective_of(names[i].name)));
    assert_float_equal(collective_bus_factor(COLLECTIVE_ALL_REDUCE, 8), 1.75, 1e-12);
    assert_float_equal(collective_bus_factor(COLLECTIVE_ALL_GATHER, 8), 0.875, 1e-12);
    assert_float_equal(collective_bus_factor(COLLECTIVE_BROADCAST, 8), 1, 1e-12);
    assert_true(isnan(collective_bus_factor(COLLECTIVE_ALL_REDUCE, TRACE_UNKNOWN)));
    assert_true(isnan(collective_bus_factor(COLLECTIVE_SOME, 8)));
}
