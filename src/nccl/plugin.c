/*
 * librooftop-nccl.so, a profiler plugin of NCCL and RCCL.
 *
 *     NCCL_PROFILER_PLUGIN=/usr/lib/rooftop/librooftop-nccl.so prog      as `rooftop job` sets it
 *
 * A collective, send or receive is an event that begins when the host calls it; its kernels are
 * events inside it, which NCCL reports as they run, each with stamps of the device's clock. Those
 * tell arrival from transfer. What NCCL calls a handle of an event is no pointer here but a number
 * that is looked up, so one that is stale, foreign or NULL does no harm.
 */
#include <unistd.h>

#include "nccl/nccl_impl.h"

#define PUBLIC __attribute__((visibility("default")))

enum { CONTEXTS = COLLECTIVES_GROUPS };
enum { RECORDED = PROFILER_COLLECTIVE | PROFILER_PAIR | PROFILER_KERNEL };

/* Handles: no address of a program has these upper bits. Below are the number of the event in its
 * call, and the lower bits of the call's serial. */
#define OWN         UINT64_C(0x7274)
#define OWN_SERIALS ((UINT64_C(1) << SERIAL_BITS) - 1)
enum { OWN_BIT = 48 };

static struct context contexts[CONTEXTS];
static uint64_t uses;

/* --- contexts --- */

static struct context *take_context(void)
{
    for (uint32_t i = 0; i < CONTEXTS; i++)
        if (!LOAD(contexts[i].taken) &&
            !__atomic_exchange_n(&contexts[i].taken, true, __ATOMIC_ACQUIRE))
            return &contexts[i];
    return NULL;
}

static struct context *check_context(void *given)
{
    const uintptr_t from = (uintptr_t)contexts, at = (uintptr_t)given;
    if (at < from || at >= from + sizeof contexts || (at - from) % sizeof *contexts)
        return NULL;
    struct context *c = given;
    return LOAD_ACQUIRE(c->serial) ? c : NULL;
}

static int begin_context(int version, void **out, uint64_t id, int *mask, const char *name,
                         int nodes, int ranks, int rank, profiler_log *log)
{
    if (!out)
        return PROFILER_OK;
    *out = NULL;
    record_open(log);
    device_clock_find(log);
    next_load(version, log);
    struct context *c = take_context();
    if (!c) {
        record_group_beyond();
        return PROFILER_OK;
    }
    c->version = version;
    c->mask = mask;
    c->next = NULL;
    c->next_mask = c->merged = 0;
    c->group = record_group((uint32_t)(c - contexts), id, name, nodes, ranks, rank);
    next_init(c, id, name, nodes, ranks, rank, log);
    if (c->group == NO_GROUP && !c->has_next) {
        __atomic_store_n(&c->taken, false, __ATOMIC_RELEASE);
        return PROFILER_OK;
    }
    if (mask && c->group != NO_GROUP)
        __atomic_fetch_or(mask, RECORDED, __ATOMIC_RELAXED);
    STORE_RELEASE(c->serial, ADD(uses, 1) + 1);
    *out = c;
    return PROFILER_OK;
}

static int end_context(void *given)
{
    struct context *c = check_context(given);
    if (!c || __atomic_exchange_n(&c->serial, 0, __ATOMIC_ACQ_REL) == 0)
        return PROFILER_OK;
    next_finalize(c);
    record_group_end(c->group);
    __atomic_store_n(&c->taken, false, __ATOMIC_RELEASE);
    return PROFILER_OK;
}

/* --- events --- */

static void *make_handle(uint64_t call, uint32_t event)
{
    const uint64_t number = OWN << OWN_BIT | (uint64_t)event << SERIAL_BITS | (call & OWN_SERIALS);
    return (void *)(uintptr_t)number; /* NOLINT: it is no address */
}

static bool is_own_event(const void *handle)
{
    return (uintptr_t)handle >> OWN_BIT == OWN;
}

static uint64_t get_serial(const void *handle)
{
    return (uintptr_t)handle & OWN_SERIALS;
}

static uint32_t get_number(const void *handle)
{
    return (uint8_t)((uintptr_t)handle >> SERIAL_BITS);
}

/* The call of an event; NULL: the handle is stale, stray or the other plugin's. */
static struct collectives_call *find_own_call(const void *handle)
{
    if (!is_own_event(handle) || get_number(handle) >= EVENTS_OF_CALL)
        return NULL;
    return record_find_call(get_serial(handle));
}

/* The other plugin's handle of an event, which NCCL has where ours does not record it. */
static void *find_next_event(void *handle)
{
    if (!is_own_event(handle))
        return handle;
    return find_own_call(handle) ? next_find(get_serial(handle), get_number(handle)) : NULL;
}

/* What the other plugin knows a parent by. Another process's handle is handed on as it is: both
 * plugins know by the process's number that it means nothing here. */
static void *translate_parent(int type, const struct profiler_description *d)
{
    const bool foreign = type == PROFILER_PROXY_OP && d->proxy_op.pid != (int)getpid();
    return foreign ? d->parent : find_next_event(d->parent);
}

static void *start_next_event(struct context *c, int type, struct profiler_description *d)
{
    return c->has_next ? next_start(c, type, d, translate_parent(type, d)) : NULL;
}

/* Makes the handle that NCCL gets of an event that is recorded. */
static void *keep_event(const struct context *c, uint64_t call, uint32_t event, void *next)
{
    if (next_loaded)
        next_keep(c, call, event, next);
    return make_handle(call, event);
}

__attribute__((noinline)) static void *begin_call(struct context *c, int type,
                                                  struct profiler_description *d)
{
    const uint64_t call = record_call(c->group, d, type == PROFILER_PAIR);
    void *next = start_next_event(c, type, d);
    return call ? keep_event(c, call, EVENT_CALL, next) : next;
}

static void *begin_kernel(struct context *c, struct profiler_description *d)
{
    struct collectives_call *call = find_own_call(d->parent);
    const uint32_t channel = d->kernel.channel;
    if (!call || channel >= COLLECTIVES_CHANNELS)
        return start_next_event(c, PROFILER_KERNEL, d);
    record_kernel_begin(call, c->group, channel, d->kernel.stamp);
    void *next = start_next_event(c, PROFILER_KERNEL, d);
    return keep_event(c, get_serial(d->parent), EVENT_KERNEL + channel, next);
}

static int begin_event(int version, void *given, void **event, struct profiler_description *d)
{
    struct context *c = check_context(given);
    if (!event)
        return PROFILER_OK;
    *event = NULL;
    if (!c || !d)
        return PROFILER_OK;
    const int type = version == 4 ? (int)(d->type & UINT8_MAX) : (int)d->type;
    if (type == PROFILER_COLLECTIVE_API)
        record_announced(c->group);
    if (type == PROFILER_KERNEL)
        *event = begin_kernel(c, d);
    else if (type == PROFILER_COLLECTIVE || type == PROFILER_PAIR)
        *event = begin_call(c, type, d);
    else
        *event = start_next_event(c, type, d);
    return PROFILER_OK;
}

/* Nothing is recorded here: NCCL tells that a kernel has ended by the state PROFILER_KERNEL_STOP,
 * just before it ends the kernel's event. */
static int end_event(void *handle)
{
    if (next_loaded)
        next_stop(find_next_event(handle));
    return PROFILER_OK;
}

static int change_event(void *handle, int state, union profiler_state *s)
{
    if (state == PROFILER_KERNEL_STOP && s && get_number(handle) >= EVENT_KERNEL) {
        struct collectives_call *call = find_own_call(handle);
        if (call)
            record_kernel_end(call, get_number(handle) - EVENT_KERNEL, s->kernel.stamp);
    }
    if (next_loaded)
        next_change(find_next_event(handle), state, s);
    return PROFILER_OK;
}

/* --- what NCCL looks up --- */

static int init_version_4(void **context, int *mask, const char *name, uint64_t id, int nodes,
                          int ranks, int rank, profiler_log *log)
{
    return begin_context(4, context, id, mask, name, nodes, ranks, rank, log);
}

static int init_version_5(void **context, uint64_t id, int *mask, const char *name, int nodes,
                          int ranks, int rank, profiler_log *log)
{
    return begin_context(5, context, id, mask, name, nodes, ranks, rank, log);
}

static int init_version_6(void **context, uint64_t id, int *mask, const char *name, int nodes,
                          int ranks, int rank, profiler_log *log)
{
    return begin_context(6, context, id, mask, name, nodes, ranks, rank, log);
}

static int start_version_4(void *context, void **event, struct profiler_description *d)
{
    return begin_event(4, context, event, d);
}

static int start_version_5(void *context, void **event, struct profiler_description *d)
{
    return begin_event(5, context, event, d);
}

#define FUNCTIONS                                                                                  \
    .name = "rooftop", .stop = end_event, .record = change_event, .finalize = end_context

PUBLIC const struct profiler ncclProfiler_v4 = {FUNCTIONS, .init4 = init_version_4,
                                                .start = start_version_4};
PUBLIC const struct profiler ncclProfiler_v5 = {FUNCTIONS, .init = init_version_5,
                                                .start = start_version_5};
PUBLIC const struct profiler ncclProfiler_v6 = {FUNCTIONS, .init = init_version_6,
                                                .start = start_version_5};
