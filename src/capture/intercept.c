#include <stdatomic.h>
#include <string.h>

#include "capture/gate.h"
#include "capture/capture_impl.h"

enum { PACKET = 64, HOLD_PACKETS = 2 };

static const uint8_t *packet_at(const void *packets, uint64_t i)
{
    return (const uint8_t *)packets + i * PACKET;
}

/* Reads the low byte of the header. Everything except kernel dispatches passes unchanged: vendor
 * packets, barriers, agent dispatches. */
static bool is_dispatch(const uint8_t *packet)
{
    return packet[0] == HSA_PACKET_TYPE_KERNEL_DISPATCH;
}

/* Whether this is the barrier that gate.c submitted: it must pass while the gate is closed. */
static bool is_nudge(const struct gate_queue *q, const void *packets, uint64_t count)
{
    const hsa_barrier_and_packet_t *p = packets;
    return count == 1 && packet_at(packets, 0)[0] == HSA_PACKET_TYPE_BARRIER_AND &&
           p->completion_signal.handle == q->nudge_signal.handle;
}

/* The dispatches of a batch that are captured or timed, in order, with their positions. */
struct wanted_list {
    struct launch *first, **end;
    uint64_t n;
};

static void look_at_packets(struct gate_queue *q, const void *packets, uint64_t i,
                            struct wanted_list *list)
{
    const hsa_kernel_dispatch_packet_t *p = (const void *)packet_at(packets, i);
    struct seen *kernel = is_dispatch((const void *)p) ? seen_at(p->kernel_object) : NULL;
    uint64_t index;
    if (!kernel)
        return;
    atomic_fetch_add_explicit(&tool.control->dispatches, 1, memory_order_relaxed);
    const enum wanted wanted = request_ask(kernel, &index);
    if (wanted == WANTED_NOT)
        return;
    struct launch *l = catch_new(q, p, kernel, index, wanted);
    if (!l)
        return;
    l->place = i;
    *list->end = l;
    list->end = &l->next;
    list->n++;
}

static size_t put_hold(struct gate_queue *q, uint8_t *to)
{
    const hsa_barrier_and_packet_t hold[HOLD_PACKETS] = {gate_barrier((hsa_signal_t){0}, q->idle),
                                                         gate_barrier(q->hold, (hsa_signal_t){0})};
    memcpy(to, hold, sizeof hold);
    return HOLD_PACKETS;
}

/* Copies the batch and inserts our packets; returns how many packets result. */
static uint64_t compose_batch(uint8_t *to, bool held, struct gate_queue *q, const void *packets,
                              uint64_t count, const struct wanted_list *list)
{
    uint64_t n = held ? put_hold(q, to) : 0;
    const struct launch *l = list->first;
    for (uint64_t i = 0; i < count; i++)
        if (l && l->place == i) {
            n += catch_packets(l, to + n * PACKET);
            l = l->next;
        } else {
            memcpy(to + n++ * PACKET, packet_at(packets, i), PACKET);
        }
    return n;
}

/* Whether q's own hold can be used: its previous barrier was executed. */
static bool can_hold(struct gate_queue *q)
{
    if (q->idle_pending && hsa.signal_load(q->idle) < 1)
        q->idle_pending = false;
    return !q->idle_pending;
}

static void set_dirty(struct gate_queue *q)
{
    if (!atomic_load_explicit(&q->dirty, memory_order_relaxed))
        atomic_store_explicit(&q->dirty, true, memory_order_release);
}

/* Passes on a batch at a closed gate, or with captured or timed dispatches, or both: with exactly
 * one call of the writer in every case. */
static void write_batch(struct gate_queue *q, const void *packets, uint64_t count, bool parked,
                        const struct wanted_list *list, call_writer writer)
{
    const size_t room = (HOLD_PACKETS + count + LAUNCH_PACKETS * list->n) * PACKET;
    uint8_t *batch = map_memory(room);
    const bool held = parked && batch && can_hold(q);
    /* without a hold the queue is not known to be idle, and the capture reports that */
    if (parked && !held)
        gate_wait_open(q, (hsa_signal_t){0});
    if (held) {
        hsa.signal_store(q->idle, 1);
        hsa.signal_store(q->hold, 1);
        q->idle_pending = true;
    }
    if (batch)
        writer(batch, compose_batch(batch, held, q, packets, count, list));
    else
        writer(packets, count);
    if (held)
        gate_wait_open(q, q->idle);
    set_dirty(q);
    if (held)
        hsa.signal_store(q->hold, 0);
    for (struct launch *l = list->first, *next; l; l = next) {
        next = l->next;
        if (!batch)
            catch_drop(l);
        else if (l->wanted == WANTED_TIMED)
            catch_timed(l);
        else
            catch_captured(l);
    }
    map_memory_free(batch, room);
}

void intercept_packets(const void *packets, uint64_t count, uint64_t index, void *data,
                       call_writer writer)
{
    struct gate_queue *q = data;
    struct wanted_list list = {.end = &list.first};
    (void)index;
    if (is_nudge(q, packets, count)) {
        writer(packets, count);
        return;
    }
    const bool parked = gate_closed(q);
    for (uint64_t i = 0; i < count; i++)
        look_at_packets(q, packets, i, &list);
    if (parked || list.first) {
        write_batch(q, packets, count, parked, &list, writer);
    } else {
        writer(packets, count);
        set_dirty(q);
    }
    gate_leave(q);
}
