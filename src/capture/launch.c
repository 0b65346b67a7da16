#include "capture/capture_impl.h"

#include <hsa/amd_hsa_signal.h>
#include <string.h>

/* Does for the program's signal what the packet processor would have done: sets the kernel's times
 * for a reader, and decrements it. */
static void complete_signal(hsa_signal_t own, hsa_signal_t original)
{
    const amd_signal_t *from = map_pointer(own.handle);
    amd_signal_t *to = map_pointer(original.handle);
    if (!to)
        return;
    to->start_ts = from->start_ts;
    to->end_ts = from->end_ts;
    hsa.signal_subtract(original, 1);
}

static void destroy_signal(hsa_signal_t signal)
{
    if (signal.handle)
        hsa.signal_destroy(signal);
}

static void free_launch(struct launch *l)
{
    destroy_signal(l->own);
    destroy_signal(l->idle);
    destroy_signal(l->hold);
    destroy_signal(l->flushed);
    destroy_signal(l->hold_after);
    map_memory_free(l, sizeof *l);
}

static bool make_launch_signals(struct launch *l)
{
    hsa_signal_t *all[] = {&l->own, &l->idle, &l->hold, &l->flushed, &l->hold_after};
    int n = l->now.post ? 5 : 3;
    if (l->wanted == WANTED_TIMED)
        n = 1;
    for (int i = 0; i < n; i++)
        if (hsa.signal_create(1, 0, NULL, all[i]) != HSA_STATUS_SUCCESS) {
            *all[i] = (hsa_signal_t){0};
            return false;
        }
    return true;
}

static void tell_failed(void)
{
    tool_say("not captured: there is no memory, or no signal, left");
    atomic_fetch_add(&tool.control->failed, 1);
}

struct launch *catch_new(struct gate_queue *q, const hsa_kernel_dispatch_packet_t *p,
                         struct seen *kernel, uint64_t index, enum wanted wanted)
{
    struct launch *l = map_memory(sizeof *l);
    if (!l) {
        tell_failed();
        return NULL;
    }
    l->queue = q;
    l->packet = *p;
    l->kernel = kernel;
    l->index = index;
    l->wanted = wanted;
    request_copy(&l->now);
    if (!make_launch_signals(l)) {
        catch_drop(l);
        return NULL;
    }
    hsa.set_profiler_enabled(q->hsa, 1); /* to get the kernel's times */
    return l;
}

void catch_drop(struct launch *l)
{
    tell_failed();
    free_launch(l);
}

enum { PACKET = sizeof(hsa_barrier_and_packet_t) };

static unsigned put_packet(uint8_t *to, unsigned n, const void *packet)
{
    memcpy(to + (size_t)n * PACKET, packet, PACKET);
    return n + 1;
}

static unsigned put_barrier(uint8_t *to, unsigned n, hsa_signal_t until, hsa_signal_t done)
{
    const hsa_barrier_and_packet_t packet = gate_barrier(until, done);
    return put_packet(to, n, &packet);
}

unsigned catch_packets(const struct launch *l, uint8_t *to)
{
    const hsa_signal_t none = {0};
    hsa_kernel_dispatch_packet_t own = l->packet;
    unsigned n = 0;
    own.completion_signal = l->own;
    if (l->wanted == WANTED_CAPTURED) {
        n = put_barrier(to, n, none, l->idle);
        n = put_barrier(to, n, l->hold, none);
    }
    n = put_packet(to, n, &own);
    if (l->flushed.handle) {
        n = put_barrier(to, n, none, l->flushed);
        n = put_barrier(to, n, l->hold_after, l->idle);
    }
    return n;
}

static uint64_t gpu_time(const struct launch *l)
{
    hsa_amd_profiling_dispatch_time_t time = {0};
    if (hsa.get_dispatch_time(l->queue->agent, l->own, &time) != HSA_STATUS_SUCCESS ||
        time.end <= time.start)
        return 0;
    return (uint64_t)((double)(time.end - time.start) * 1e9 / (double)tool.ticks_per_second);
}

bool catch_wait(struct launch *l, uint64_t deadline_ns)
{
    l->completed = gate_wait(l->own, l->queue, deadline_ns);
    if (l->completed)
        l->gpu_ns = gpu_time(l);
    if (l->completed && !l->queue->profiled)
        hsa.set_profiler_enabled(l->queue->hsa, 0);
    return l->completed;
}

/* Completes a dispatch that we stopped waiting for: its barriers may not have run yet, so that
 * their signals stay in use. */
static bool complete_late(hsa_signal_value_t value, void *arg)
{
    struct launch *l = arg;
    (void)value;
    complete_signal(l->own, l->packet.completion_signal);
    if (l->hold_after.handle) /* the barrier after it may still be waiting */
        l->hold_after = l->flushed = l->idle = (hsa_signal_t){0};
    free_launch(l);
    return false; /* called once only */
}

void catch_end(struct launch *l)
{
    if (l->completed) {
        complete_signal(l->own, l->packet.completion_signal);
        free_launch(l);
    } else if (hsa.signal_async_handler(l->own, HSA_SIGNAL_CONDITION_LT, 1, complete_late, l) !=
               HSA_STATUS_SUCCESS) {
        tool_say("a dispatch that took too long is not waited for any more: the program may hang");
    }
}

static void keep_slowest(const struct launch *l)
{
    struct control_kernel *row = l->kernel->name->row;
    uint64_t before = row ? atomic_load(&row->slowest_ns) : l->gpu_ns;
    while (before < l->gpu_ns)
        if (atomic_compare_exchange_weak(&row->slowest_ns, &before, l->gpu_ns)) {
            row->slowest_index = l->index;
            return;
        }
}

void catch_timed(struct launch *l)
{
    if (catch_wait(l, tool_now_ns() + l->now.timeout_ms * 1000000ull))
        keep_slowest(l);
    catch_end(l);
}
