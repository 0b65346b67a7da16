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

enum { CONTEXTS = COLLECTIVES_GROUPS, EVENTS = 8192 };
enum { RECORDED = PROFILER_COLLECTIVE | PROFILER_PAIR | PROFILER_KERNEL };

/* Handles: no address of a program has these upper bits. */
#define OWN         (UINT64_C(0x7274) << 48)
#define OWN_MASK    (UINT64_C(0xffff) << 48)
#define OWN_KERNEL  (UINT64_C(1) << 47)
#define OWN_SERIALS (OWN_KERNEL - 1)

struct own_event {
    uint64_t serial;  /* how many were before, + 1; 0: none */
    uint64_t call;    /* its serial in the memory; 0: not recorded */
    void *next;       /* the other plugin's handle */
    uint64_t context; /* serial of the use of its context */
    uint32_t at;      /* index of the context */
    bool stopped;
};

static struct context contexts[CONTEXTS];
static uint64_t uses;
/* Rings: calls, which must outlive their kernels, and kernels. */
static struct own_event events[2][EVENTS];
static uint64_t nevents[2];

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

static void *make_event(struct context *c, uint64_t call, void *next, bool kernel)
{
    if (!call && !next)
        return NULL;
    const uint64_t serial = (ADD(nevents[kernel], 1) + 1) & OWN_SERIALS;
    struct own_event *e = &events[kernel][serial % EVENTS];
    STORE(e->serial, 0);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    STORE(e->call, call);
    STORE(e->next, next);
    STORE(e->context, LOAD(c->serial));
    STORE(e->at, (uint32_t)(c - contexts));
    STORE(e->stopped, false);
    STORE_RELEASE(e->serial, serial);
    const uint64_t kind = kernel ? OWN_KERNEL : 0;
    return (void *)(uintptr_t)(OWN | kind | serial); /* NOLINT: it is no address */
}

static bool is_own_event(const void *handle)
{
    return ((uintptr_t)handle & OWN_MASK) == OWN;
}

/* The event of a handle of ours; NULL: so many were begun since that it is no longer known. */
static struct own_event *find_event(const void *handle)
{
    const uint64_t serial = (uintptr_t)handle & OWN_SERIALS;
    struct own_event *e = &events[((uintptr_t)handle & OWN_KERNEL) != 0][serial % EVENTS];
    return serial && LOAD_ACQUIRE(e->serial) == serial ? e : NULL;
}

/* The other plugin's handle of an event of ours, while its communicator is there. */
static void *get_next_event(const struct own_event *e)
{
    return e && LOAD(contexts[LOAD(e->at)].serial) == LOAD(e->context) ? LOAD(e->next) : NULL;
}

/* What the other plugin knows a parent by. Another process's handle is handed on as it is: both
 * plugins know by the process's number that it means nothing here. */
static void *translate_parent(int type, const struct profiler_description *d)
{
    const bool foreign = type == PROFILER_PROXY_OP && d->proxy_op.pid != (int)getpid();
    if (!is_own_event(d->parent) || foreign)
        return d->parent;
    return get_next_event(find_event(d->parent));
}

static int begin_event(int version, void *given, void **event, struct profiler_description *d)
{
    struct context *c = check_context(given);
    uint64_t call = 0;
    if (!event)
        return PROFILER_OK;
    *event = NULL;
    if (!c || !d)
        return PROFILER_OK;
    const int type = version == 4 ? (int)(d->type & UINT8_MAX) : (int)d->type;
    if (type == PROFILER_COLLECTIVE || type == PROFILER_PAIR)
        call = record_call(c->group, d, type == PROFILER_PAIR);
    if (type == PROFILER_KERNEL) {
        const struct own_event *parent = is_own_event(d->parent) ? find_event(d->parent) : NULL;
        call = parent ? LOAD(parent->call) : 0;
        record_kernel_begin(c->group, call, d->kernel.stamp);
    }
    void *next = c->has_next ? next_start(c, type, d, translate_parent(type, d)) : NULL;
    if (type & RECORDED)
        *event = make_event(c, call, next, type == PROFILER_KERNEL);
    else
        *event = next;
    return PROFILER_OK;
}

static int end_event(void *handle)
{
    if (!is_own_event(handle)) {
        next_stop(handle);
        return PROFILER_OK;
    }
    struct own_event *e = find_event(handle);
    if (!e || __atomic_exchange_n(&e->stopped, true, __ATOMIC_RELAXED))
        return PROFILER_OK;
    if ((uintptr_t)handle & OWN_KERNEL)
        record_kernel_end(LOAD(e->call));
    next_stop(get_next_event(e));
    return PROFILER_OK;
}

static int change_event(void *handle, int state, union profiler_state *s)
{
    if (!is_own_event(handle)) {
        next_change(handle, state, s);
        return PROFILER_OK;
    }
    struct own_event *e = find_event(handle);
    if (e && state == PROFILER_KERNEL_STOP && s && (uintptr_t)handle & OWN_KERNEL)
        record_kernel_stamp(LOAD(e->call), s->kernel.stamp);
    next_change(get_next_event(e), state, s);
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
