#include "capture/gate.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "capture/capture_impl.h"

enum { SLICE_NS = 20000000, STACK = 1 << 18 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static _Atomic uint32_t closed; /* number of the present closing; 0: the gate is open */
static uint32_t closings;
static int hooks_inside;
static struct gate_queue *_Atomic queues; /* all queues that ever existed */

/* initial-exec: the first use by a thread does not allocate. */
static _Thread_local __attribute__((tls_model("initial-exec"))) int hook_depth;

struct gate_queue *gate_queue_new(void)
{
    struct gate_queue *q;
    pthread_mutex_lock(&lock);
    for (q = queues; q && (q->alive || q->hsa); q = q->next)
        ;
    if (!q && (q = map_memory(sizeof *q))) {
        q->next = queues;
        atomic_store(&queues, q);
    }
    if (q)
        q->hsa = (hsa_queue_t *)q; /* marks the record as used */
    pthread_mutex_unlock(&lock);
    return q;
}

void gate_queue_ready(struct gate_queue *q)
{
    q->dirty = q->failed = q->faulted = q->idle_pending = q->nudge_pending = false;
    q->error_status = 0;
    q->inside = 0;
    pthread_mutex_lock(&lock);
    q->alive = true;
    pthread_mutex_unlock(&lock);
}

struct gate_queue *gate_queue_of(const hsa_queue_t *queue)
{
    struct gate_queue *q = queues;
    while (q && !(q->alive && q->hsa == queue))
        q = q->next;
    return q;
}

void gate_queue_gone(struct gate_queue *q)
{
    pthread_mutex_lock(&lock);
    q->alive = false;
    pthread_mutex_unlock(&lock);
    while (atomic_load(&q->helpers))
        nanosleep(&(struct timespec){0, 1000000}, NULL);
}

void gate_reset(void)
{
    for (struct gate_queue *q = queues; q; q = q->next) {
        q->alive = false;
        q->hsa = NULL;
    }
}

void gate_fault(uint64_t agent, uint64_t address)
{
    for (struct gate_queue *q = queues; q; q = q->next)
        if (q->alive && q->agent.handle == agent && !atomic_load(&q->failed)) {
            atomic_store(&q->fault_address, address);
            atomic_store(&q->faulted, true);
            atomic_store(&q->failed, true);
        }
}

bool gate_trouble(const struct gate_queue *q, char *text, size_t size)
{
    const char *words = NULL;
    const int status = atomic_load(&q->error_status);
    if (!atomic_load(&q->failed))
        return false;
    if (atomic_load(&q->faulted))
        snprintf(text, size, "a memory fault at 0x%llx",
                 (unsigned long long)atomic_load(&q->fault_address));
    else if (hsa.status_string((hsa_status_t)status, &words) == HSA_STATUS_SUCCESS && words)
        snprintf(text, size, "%.100s", words);
    else
        snprintf(text, size, "its queue reports error 0x%x", (unsigned)status);
    return true;
}

hsa_barrier_and_packet_t gate_barrier(hsa_signal_t until, hsa_signal_t done)
{
    return (hsa_barrier_and_packet_t){
        .header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE |
                  1 << HSA_PACKET_HEADER_BARRIER |
                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE,
        .dep_signal = {until},
        .completion_signal = done};
}

static uint64_t ticks_of_ns(uint64_t ns)
{
    if (!tool.ticks_per_second)
        hsa.system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &tool.ticks_per_second);
    return (uint64_t)((double)ns * (double)tool.ticks_per_second / 1e9);
}

bool gate_wait(hsa_signal_t signal, const struct gate_queue *q, uint64_t deadline_ns)
{
    for (;;) {
        const uint64_t now = tool_now_ns();
        const uint64_t left = deadline_ns > now ? deadline_ns - now : 0;
        if (hsa.signal_wait(signal, HSA_SIGNAL_CONDITION_LT, 1,
                            ticks_of_ns(left < SLICE_NS ? left : SLICE_NS),
                            HSA_WAIT_STATE_BLOCKED) < 1)
            return true;
        if (left == 0 || (q && atomic_load(&q->failed)))
            return false;
    }
}

/* --- waiting at the gate --- */

static void wait_open(void)
{
    pthread_mutex_lock(&lock);
    while (atomic_load(&closed))
        pthread_cond_wait(&opened, &lock);
    pthread_mutex_unlock(&lock);
}

/* Publishes the signal that shows whether the queue is idle: its work is held while the gate is
 * closed. */
static void publish_idle(struct gate_queue *q, hsa_signal_t idle)
{
    q->evidence = idle;
    atomic_store(&q->parked, idle.handle ? atomic_load(&closed) : 0);
}

bool gate_closed(struct gate_queue *q)
{
    /* set before reading the gate: the thread that closes it reads `inside` afterwards */
    atomic_store(&q->inside, 1);
    if (!atomic_load(&closed))
        return false;
    atomic_store(&q->inside, 0);
    return true;
}

void gate_wait_open(struct gate_queue *q, hsa_signal_t idle)
{
    do {
        publish_idle(q, idle);
        wait_open();
    } while (gate_closed(q));
}

void gate_leave(struct gate_queue *q)
{
    atomic_store_explicit(&q->inside, 0, memory_order_release);
}

void gate_hook_enter(void)
{
    if (hook_depth++ > 0)
        return; /* the runtime called us from inside another hook of ours */
    pthread_mutex_lock(&lock);
    while (atomic_load(&closed))
        pthread_cond_wait(&opened, &lock);
    hooks_inside++;
    pthread_mutex_unlock(&lock);
}

void gate_hook_leave(void)
{
    if (--hook_depth > 0)
        return;
    pthread_mutex_lock(&lock);
    hooks_inside--;
    pthread_mutex_unlock(&lock);
}

/* --- closing the gate --- */

static void nap_at_gate(void)
{
    nanosleep(&(struct timespec){0, 50000}, NULL);
}

static bool hooks_left(uint64_t deadline_ns)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        const bool left = hooks_inside == 0;
        pthread_mutex_unlock(&lock);
        if (left || tool_now_ns() > deadline_ns)
            return left;
        nap_at_gate();
    }
}

static bool others_left(const struct gate_queue *own, uint64_t deadline_ns)
{
    for (struct gate_queue *q = queues; q; q = q->next)
        while (q != own && q->alive && atomic_load(&q->inside)) {
            if (tool_now_ns() > deadline_ns)
                return false;
            nap_at_gate();
        }
    return true;
}

bool gate_close(struct gate_queue *q, hsa_signal_t idle, uint64_t deadline_ns)
{
    bool taken = false;
    atomic_store(&q->inside, 0);
    while (!taken) {
        pthread_mutex_lock(&lock);
        taken = atomic_load(&closed) == 0;
        if (taken) {
            closings += closings + 1 == 0 ? 2 : 1;
            atomic_store(&closed, closings);
        }
        pthread_mutex_unlock(&lock);
        if (!taken) {
            publish_idle(q, idle);
            wait_open();
        }
    }
    if (others_left(q, deadline_ns) && hooks_left(deadline_ns))
        return true;
    gate_open(q);
    return false;
}

void gate_open(struct gate_queue *q)
{
    atomic_store(&q->inside, 1);
    pthread_mutex_lock(&lock);
    atomic_store(&closed, 0);
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&lock);
}

/* --- other queues --- */

/* Submits a barrier as the program would. It comes back through our own handler, which passes it
 * on. */
static void submit_barrier(struct gate_queue *q)
{
    hsa_queue_t *ring = q->hsa;
    const uint64_t deadline = tool_now_ns() + 1000000000ull;
    uint64_t at;
    do {
        if (tool_now_ns() > deadline)
            return; /* full: a thread that submits to it will wait at the gate */
        at = hsa.queue_load_write_index(ring);
    } while (at - hsa.queue_load_read_index(ring) >= ring->size ||
             hsa.queue_cas_write_index(ring, at, at + 1) != at);
    hsa_barrier_and_packet_t *slot =
        (hsa_barrier_and_packet_t *)ring->base_address + at % ring->size;
    const hsa_barrier_and_packet_t packet = gate_barrier((hsa_signal_t){0}, q->nudge_signal);
    uint32_t head;
    memcpy(&head, &packet, sizeof head);
    memcpy((char *)slot + 4, (const char *)&packet + 4, sizeof packet - 4);
    __atomic_store_n((uint32_t *)(void *)slot, head, __ATOMIC_RELEASE);
    hsa.signal_store(ring->doorbell_signal, (hsa_signal_value_t)at);
}

static void *nudge_queue(void *arg)
{
    struct gate_queue *q = arg;
    submit_barrier(q);
    atomic_fetch_sub(&q->helpers, 1);
    return NULL;
}

static void start_nudge(struct gate_queue *q)
{
    pthread_t thread;
    pthread_attr_t how;
    sigset_t all, old;
    if (q->nudge_pending && hsa.signal_load(q->nudge_signal) < 1)
        q->nudge_pending = false;
    if (!q->several || q->nudge_pending || atomic_load(&q->failed))
        return;
    hsa.signal_store(q->nudge_signal, 1);
    q->nudge_pending = true;
    atomic_store(&q->nudged, atomic_load(&closed));
    atomic_fetch_add(&q->helpers, 1);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_attr_init(&how);
    pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&how, STACK);
    if (pthread_create(&thread, &how, nudge_queue, q) != 0) {
        q->nudge_pending = false;
        atomic_store(&q->nudged, 0);
        atomic_fetch_sub(&q->helpers, 1);
    }
    pthread_attr_destroy(&how);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static bool is_idle(struct gate_queue *q)
{
    const uint32_t closing = atomic_load(&closed);
    const bool idle = !q->alive || !atomic_load(&q->dirty) ||
                      (atomic_load(&q->parked) == closing && hsa.signal_load(q->evidence) < 1) ||
                      (atomic_load(&q->nudged) == closing && hsa.signal_load(q->nudge_signal) < 1);
    if (idle)
        atomic_store(&q->dirty, false);
    return idle;
}

/* Whether the queue's state cannot be found out: we could not submit a barrier, and no thread of
 * the program came to the gate. */
static bool is_hopeless(const struct gate_queue *q)
{
    const uint32_t closing = atomic_load(&closed);
    return atomic_load(&q->failed) ||
           (atomic_load(&q->parked) != closing && atomic_load(&q->nudged) != closing);
}

bool gate_drain_others(const struct gate_queue *own, uint64_t deadline_ns)
{
    bool all = atomic_load(&tool.plain_queues) == 0;
    for (struct gate_queue *q = queues; q; q = q->next)
        if (q != own && q->alive && !is_idle(q))
            start_nudge(q);
    for (struct gate_queue *q = queues; q; q = q->next) {
        if (q == own)
            continue;
        bool idle;
        while (!(idle = is_idle(q)) && !is_hopeless(q) && tool_now_ns() < deadline_ns)
            nap_at_gate();
        all = all && idle;
    }
    return all;
}
