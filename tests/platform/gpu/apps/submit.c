// Measures what it costs a thread to submit a dispatch, for bench/capture.py.
#include "apps/app.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { BURST = 100, QUEUE = 128 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void submit(hsa_queue_t *queue, const hsa_kernel_dispatch_packet_t *p)
{
    const uint64_t index = hsa_queue_add_write_index_screlease(queue, 1);
    hsa_kernel_dispatch_packet_t *slot =
        (hsa_kernel_dispatch_packet_t *)queue->base_address + index % queue->size;
    uint32_t first;
    memcpy(&first, p, sizeof first);
    memcpy((uint8_t *)slot + 4, (const uint8_t *)p + 4, sizeof *p - 4);
    __atomic_store_n((uint32_t *)slot, first, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
}

// Nanoseconds for each of a burst that fits into the queue.
static double burst(struct app *app, hsa_queue_t *queue, hsa_kernel_dispatch_packet_t p)
{
    const hsa_signal_t done = p.completion_signal;
    hsa_signal_store_relaxed(done, 1);
    p.completion_signal.handle = 0;
    const double began = now();
    for (int i = 0; i < BURST; i++)
        submit(queue, &p);
    const double each = (now() - began) / BURST;
    p.completion_signal = done;
    submit(queue, &p);
    CHECK(gpu_wait(&app->gpu, APP_SECONDS), "a burst does not complete");
    return each;
}

static void run_submit(struct app *app)
{
    static uint32_t numbers[64];
    struct job job;
    double least = 1e18;
    hsa_queue_t *queue;
    void *device = gpu_upload(&app->gpu, numbers, sizeof numbers);
    job_increment(app, &job, device, 1, 5);
    job_run(app, &job); // its arguments are in place from here on
    HSA(hsa_queue_create(app->gpu.agent, QUEUE, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX,
                         UINT32_MAX, &queue));
    const hsa_kernel_dispatch_packet_t p = {
        .header = HSA_PACKET_TYPE_KERNEL_DISPATCH | 1 << HSA_PACKET_HEADER_BARRIER |
                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE,
        .setup = 1,
        .workgroup_size_x = 1,
        .workgroup_size_y = 1,
        .workgroup_size_z = 1,
        .grid_size_x = 1,
        .grid_size_y = 1,
        .grid_size_z = 1,
        .private_segment_size = job.kernel.private_size,
        .group_segment_size = job.kernel.group_size,
        .kernel_object = job.kernel.object,
        .kernarg_address = app->gpu.arguments,
        .completion_signal = app->gpu.done,
    };
    for (unsigned k = 0; k < app->times; k++) {
        const double each = burst(app, queue, p);
        least = each < least ? each : least;
    }
    printf("nanoseconds %.1f\n", least);
    HSA(hsa_queue_destroy(queue));
    job_free(&job);
    gpu_free(device);
}

const struct work submit_works[] = {
    {"submit", "how long handing over a dispatch takes, the least of -n bursts", run_submit, OPENS},
    {NULL, NULL, NULL, OPENS}};
