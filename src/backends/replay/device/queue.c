#include "backends/replay/device/queue.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <hsa/amd_hsa_signal.h>

#include "base/env.h"

enum { QUEUE_PACKETS = 64, SLICE_MS = 50, LATE_NEWS_MS = 300 };

static void note_queue_error(hsa_status_t status, hsa_queue_t *queue, void *ctx)
{
    struct replay_device *d = ctx;
    (void)queue;
    d->queue_status = (int)status;
}

int replay_queue_open(struct replay_queue *q, struct replay_device *d, struct replay_failure *f)
{
    *q = (struct replay_queue){.d = d};
    hsa_status_t status = d->r.queue_create(d->gpu, QUEUE_PACKETS, HSA_QUEUE_TYPE_MULTI,
                                            note_queue_error, d, UINT32_MAX, UINT32_MAX, &q->queue);
    if (status != HSA_STATUS_SUCCESS) {
        q->queue = NULL;
        return replay_device_failed(d, status, REPLAY_MEMORY, "create a queue", f);
    }
    status = d->r.amd_profiling_set_profiler_enabled(q->queue, 1);
    hsa_signal_t *const signals[] = {&q->done, &q->after};
    for (int i = 0; i < 2 && status == HSA_STATUS_SUCCESS; i++)
        if ((status = d->r.signal_create(1, 0, NULL, signals[i])) != HSA_STATUS_SUCCESS)
            signals[i]->handle = 0;
    return status == HSA_STATUS_SUCCESS
               ? 0
               : replay_device_failed(d, status, REPLAY_MEMORY, "measure dispatches of the queue",
                                      f);
}

void replay_queue_close(struct replay_queue *q)
{
    if (q->queue)
        q->d->r.queue_destroy(q->queue);
    if (q->done.handle)
        q->d->r.signal_destroy(q->done);
    if (q->after.handle)
        q->d->r.signal_destroy(q->after);
    *q = (struct replay_queue){0};
}

static hsa_kernel_dispatch_packet_t packet_of(const struct replay_queue *q,
                                              const struct replay_code *k)
{
    const struct capture *c = k->c;
    uint16_t dimensions = 1;
    for (uint16_t i = 1; i < 3; i++)
        if (c->grid[i] > 1 || c->block[i] > 1)
            dimensions = (uint16_t)(i + 1);
    return (hsa_kernel_dispatch_packet_t){
        .header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                  1 << HSA_PACKET_HEADER_BARRIER |
                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE,
        .setup = (uint16_t)(dimensions << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS),
        .workgroup_size_x = (uint16_t)c->block[0],
        .workgroup_size_y = (uint16_t)c->block[1],
        .workgroup_size_z = (uint16_t)c->block[2],
        .grid_size_x = c->grid[0],
        .grid_size_y = c->grid[1],
        .grid_size_z = c->grid[2],
        .private_segment_size = k->private_size,
        .group_segment_size = k->group_size,
        .kernel_object = k->kernel_object,
        .kernarg_address = k->kernarg,
        .completion_signal = q->done,
    };
}

static hsa_barrier_and_packet_t barrier_of(const struct replay_queue *q)
{
    return (hsa_barrier_and_packet_t){
        .header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE |
                  1 << HSA_PACKET_HEADER_BARRIER |
                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE,
        .completion_signal = q->after,
    };
}

enum { PACKET = sizeof(hsa_kernel_dispatch_packet_t) };
_Static_assert(PACKET == sizeof(hsa_barrier_and_packet_t), "packets of one queue have one size");

/* The GPU reads a packet once its header is valid, so the header is written last. */
static void submit_packet(struct replay_queue *q, const void *packet, hsa_signal_t signal)
{
    const struct hsa_runtime *r = &q->d->r;
    uint32_t first;
    r->signal_store_relaxed(signal, 1);
    const uint64_t index = r->queue_add_write_index_relaxed(q->queue, 1);
    uint8_t *to = (uint8_t *)q->queue->base_address + (index & (q->queue->size - 1)) * PACKET;
    memcpy(&first, packet, sizeof first);
    memcpy(to + sizeof first, (const uint8_t *)packet + sizeof first, PACKET - sizeof first);
    __atomic_store_n((uint32_t *)(void *)to, first, __ATOMIC_RELEASE);
    r->signal_store_screlease(q->queue->doorbell_signal, (hsa_signal_value_t)index);
}

/*
 * Whether the launch failed. Other threads report a fault, and an error may have two reports, of
 * which the more precise may come later.
 */
static bool in_trouble(struct replay_queue *q, struct replay_failure *f)
{
    if (!q->d->faulted && !q->d->queue_status)
        return false;
    for (int ms = 0; ms < LATE_NEWS_MS && !q->d->faulted &&
                     q->d->queue_status != HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION;
         ms += 10)
        usleep(10000);
    return replay_device_trouble(q->d, f) != REPLAY_OK;
}

static int wait_for_it(struct replay_queue *q, hsa_signal_t signal, double timeout_s,
                       struct replay_failure *f)
{
    const struct hsa_runtime *r = &q->d->r;
    const uint64_t begin = env_now_ns(), slice = q->d->hz / 1000 * SLICE_MS;
    while (r->signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, slice,
                                    HSA_WAIT_STATE_BLOCKED) >= 1) {
        if (in_trouble(q, f))
            return -1;
        if ((double)(env_now_ns() - begin) / 1e9 >= timeout_s)
            return replay_fail(f, REPLAY_TIMEOUT, "raise --timeout if the kernel takes that long",
                               "the dispatch", "it did not complete in %g seconds", timeout_s);
    }
    /* On some runtimes an error ends the dispatch with a signal below 0. */
    if (r->signal_load_scacquire(signal) < 0 && in_trouble(q, f))
        return -1;
    return 0;
}

static struct replay_said said_by(const struct replay_queue *q)
{
    /* A handle is the address of this structure. The GPU may still write to it. */
    const volatile amd_signal_t *s;
    memcpy(&s, &q->done.handle, sizeof s);
    return (struct replay_said){
        .value = q->d->r.signal_load_scacquire(q->done), .start = s->start_ts, .end = s->end_ts};
}

int replay_queue_launch(struct replay_queue *q, const struct replay_code *k, double timeout_s,
                        struct replay_launch *out, struct replay_failure *f)
{
    const struct hsa_runtime *r = &q->d->r;
    hsa_amd_profiling_dispatch_time_t time = {0};
    const hsa_kernel_dispatch_packet_t packet = packet_of(q, k);
    submit_packet(q, &packet, q->done);
    const uint64_t submitted = env_now_ns();
    if (wait_for_it(q, q->done, timeout_s, f) != 0)
        return -1;
    out->wait_ns = env_now_ns() - submitted;
    q->said = said_by(q);
    const hsa_status_t status = r->amd_profiling_get_dispatch_time(q->d->gpu, q->done, &time);
    if (status != HSA_STATUS_SUCCESS)
        return replay_device_failed(q->d, status, REPLAY_INTERNAL, "time of the dispatch", f);
    out->gpu_us = (double)(time.end - time.start) * 1e6 / (double)q->d->hz;
    return 0;
}

/* On some runtimes a fault ends the dispatch with a signal below 0, too, and is reported later. */
static bool is_late_trouble(struct replay_queue *q, struct replay_failure *f)
{
    for (int ms = 0; ms < LATE_NEWS_MS && q->said.value < 0; ms += 10) {
        if (in_trouble(q, f))
            return true;
        usleep(10000);
    }
    return in_trouble(q, f);
}

int replay_queue_settle(struct replay_queue *q, double timeout_s, char forged[REPLAY_FORGED],
                        struct replay_failure *f)
{
    const hsa_barrier_and_packet_t barrier = barrier_of(q);
    forged[0] = '\0';
    if (q->said.value < 0 && is_late_trouble(q, f))
        return -1;
    submit_packet(q, &barrier, q->after);
    if (wait_for_it(q, q->after, timeout_s, f) != 0)
        return -1;
    const struct replay_said now = said_by(q), was = q->said;
    if (now.value != 0)
        snprintf(forged, REPLAY_FORGED, "its value was %" PRId64 " when the GPU was done, not 0",
                 now.value);
    else if (now.start != was.start || now.end != was.end)
        snprintf(forged, REPLAY_FORGED, "it said that the launch had ended while it went on");
    return 0;
}
