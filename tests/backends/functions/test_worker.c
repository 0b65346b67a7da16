/* What the worker keeps is bounded, whatever runs: ten minutes of samples that never repeat. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "backends/functions/sampler_impl.h"
#include "engine/functions/hot_sum.h"
#include "support/procfs.h"
#include "support/records.h"
#include "support/test.h"

enum { SECONDS = 600, SAMPLES = 1994, DEPTH = 12, SUM_BYTES_MAX = 32 << 20 };

static struct host *host;

FIXTURE(set_up)
{
    procfs_new();
    procfs_machine(2);
    host = host_new();
}

FIXTURE(tear_down)
{
    host_unref(host);
    procfs_free();
}

static uint64_t chance(void)
{
    static uint64_t x = 88172645463325252u;
    x ^= x << 13;
    x ^= x >> 7;
    return x ^= x << 17;
}

/* A second of two busy CPUs. The addresses are new each time: code that is made at run time, by
 * processes that live for a second. */
static void one_second(struct sampler_worker *w, unsigned second)
{
    static uint64_t record[1024];
    for (unsigned i = 0; i < SAMPLES; i++) {
        const pid_t pid = (pid_t)(1000 + second * 8 + i % 8);
        struct record_ids ids = {pid, pid, second * 1000000000ull + i, i % 2};
        uint64_t chain[DEPTH];
        if (i < 8)
            worker_record(
                w, record,
                record_make_mmap2(record, ids, 0x100000, UINT64_C(1) << 40, 0, 0, "//anon"));
        chain[0] = PERF_CONTEXT_USER;
        for (int k = 1; k < DEPTH; k++)
            chain[k] = 0x100000 + (chance() & 0xffffffff);
        worker_record(
            w, record,
            record_make_sample(record, ids, PERF_RECORD_MISC_USER, chain[1], chain, DEPTH));
    }
}

TEST_WITH(ten_minutes_are_bounded, set_up, tear_down)
{
    struct sampler_worker *w = worker_new();
    struct hot_sum *sum = hot_sum_new(0);
    uint64_t samples = 0;
    size_t most = 0, most_sum = 0;
    worker_configure(w, &(struct worker_config){.callgraph = CALLGRAPH_NONE});
    for (unsigned second = 0; second < SECONDS; second++) {
        struct snapshot *out = snapshot_new(host);
        struct hot_stacks p = {.event = "cpu-clock", .seconds = 1};
        one_second(w, second);
        worker_swap(w, out, &p);
        samples += p.samples;
        hot_sum_add(sum, &p, second * 1000000000ull);
        snapshot_unref(out);
        most = worker_memory(w) > most ? worker_memory(w) : most;
        most_sum = hot_sum_memory(sum) > most_sum ? hot_sum_memory(sum) : most_sum;
    }
    assert_int_equal(samples, SECONDS * SAMPLES); /* none is lost for it */
    assert_int_equal(hot_sum_view(sum)->samples, SECONDS * SAMPLES);
    most_sum = hot_sum_memory(sum) > most_sum ? hot_sum_memory(sum) : most_sum;
    print_message("worker %zu KiB, sum %zu KiB\n", most >> 10, most_sum >> 10);
    assert_in_range(most, 1, WORKER_BYTES_MAX);
    assert_in_range(most_sum, 1, SUM_BYTES_MAX);
    hot_sum_free(sum);
    worker_free(w);
}
