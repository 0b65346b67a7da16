/* Another profiler plugin behind this one: NCCL loads one only (NVIDIA/nccl#1981). */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "nccl/nccl_impl.h"

enum { OLDEST = 4 };

static const struct profiler *other;
static int newest; /* version of NCCL's interface */
static int other_version;

/* What NCCL itself asks before it begins an event: those that contain an event begin with it.
 * NVIDIA/nccl, src/plugin/profiler.cc. */
enum {
    INSIDE_OP =
        PROFILER_PROXY_OP | PROFILER_PROXY_STEP | PROFILER_NETWORK | PROFILER_PROXY_DIAGNOSIS,
    INSIDE_CALL = INSIDE_OP | PROFILER_KERNEL,
    INSIDE_COPY = PROFILER_COPY_COLLECTIVE | PROFILER_COPY_SYNC | PROFILER_COPY_BATCH,
    INSIDE_COLLECTIVE_API =
        PROFILER_COLLECTIVE_API | PROFILER_COLLECTIVE | INSIDE_CALL | INSIDE_COPY,
    INSIDE_PAIR_API = PROFILER_PAIR_API | PROFILER_PAIR | INSIDE_CALL,
};
static const struct {
    int type, wanted;
} containers[] = {
    {PROFILER_GROUP, PROFILER_GROUP | PROFILER_COLLECTIVE | PROFILER_PAIR | INSIDE_CALL},
    {PROFILER_COLLECTIVE, PROFILER_COLLECTIVE | INSIDE_CALL},
    {PROFILER_PAIR, PROFILER_PAIR | INSIDE_CALL},
    {PROFILER_PROXY_OP, INSIDE_OP},
    {PROFILER_PROXY_STEP, PROFILER_PROXY_STEP | PROFILER_NETWORK | PROFILER_PROXY_DIAGNOSIS},
    {PROFILER_GROUP_API, PROFILER_GROUP_API | PROFILER_GROUP | PROFILER_LAUNCH |
                             INSIDE_COLLECTIVE_API | INSIDE_PAIR_API},
    {PROFILER_COLLECTIVE_API, INSIDE_COLLECTIVE_API},
    {PROFILER_PAIR_API, INSIDE_PAIR_API},
    {PROFILER_COPY_COLLECTIVE, INSIDE_COPY},
};

static bool is_wanted(int type, int mask)
{
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++)
        if (containers[i].type == type)
            return (mask & containers[i].wanted) != 0;
    return (mask & type) != 0;
}

static bool is_this_plugin(const struct profiler *p)
{
    return p == &ncclProfiler_v4 || p == &ncclProfiler_v5 || p == &ncclProfiler_v6;
}

static bool failed; /* it is named, and does not load */

/* Its handles of a call that is recorded. */
struct next_call {
    const struct context *context;
    uint64_t use; /* serial of the context */
    void *events[EVENTS_OF_CALL];
};
static struct next_call *next_calls; /* COLLECTIVES_CALLS of them */
bool next_loaded;

static void load_other_plugin(void)
{
    static const char *const symbols[] = {"ncclProfiler_v4", "ncclProfiler_v5", "ncclProfiler_v6"};
    const char *path = getenv(COLLECTIVES_NEXT);
    void *library = path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    const struct profiler *found = NULL;
    for (int v = newest; library && !found && v >= OLDEST; v--) {
        found = dlsym(library, symbols[v - OLDEST]);
        other_version = v;
    }
    if (found && !is_this_plugin(found)) /* a call would never end */
        next_calls = calloc(COLLECTIVES_CALLS, sizeof *next_calls);
    if (next_calls)
        other = found;
    next_loaded = other != NULL;
    failed = path && *path && !other;
}

void next_load(int version, profiler_log *log)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static bool told;
    __atomic_compare_exchange_n(&newest, &(int){0}, version, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    pthread_once(&once, load_other_plugin);
    if (failed && log && !__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
        TELL(log,
             "the plugin of " COLLECTIVES_NEXT " is not used: it does not open, or has no "
             "ncclProfiler of version 4 to %d",
             LOAD(newest));
}

static void merge_masks(struct context *c)
{
    const int wants = LOAD(c->next_mask);
    if (wants == LOAD(c->merged))
        return;
    STORE(c->merged, wants);
    if (c->mask)
        __atomic_fetch_or(c->mask, wants, __ATOMIC_RELAXED);
}

void next_init(struct context *c, uint64_t id, const char *name, int nodes, int ranks, int rank,
               profiler_log *log)
{
    int rc = -1;
    if (c->version < other_version)
        rc = -1; /* another NCCL, older than the first of this process */
    else if (other && other_version == 4)
        rc = other->init4(&c->next, &c->next_mask, name, id, nodes, ranks, rank, log);
    else if (other)
        rc = other->init(&c->next, id, &c->next_mask, name, nodes, ranks, rank, log);
    c->has_next = rc == 0;
    if (rc == 0)
        merge_masks(c);
}

/* A plugin of version 4 knows the group as the parent of a call. */
static void *choose_parent_event(const struct context *c, int type,
                                 const struct profiler_description *d, void *parent)
{
    if (other_version > 4 || c->version == 4)
        return parent;
    if (type == PROFILER_COLLECTIVE)
        return d->collective.group;
    return type == PROFILER_PAIR ? d->pair.group : parent;
}

void *next_start(struct context *c, int type, struct profiler_description *d, void *parent)
{
    void *const given = d->parent;
    void *event = NULL;
    merge_masks(c);
    if (!is_wanted(type, LOAD(c->next_mask)) || (other_version == 4 && type > UINT8_MAX))
        return NULL;
    d->parent = choose_parent_event(c, type, d, parent);
    if (other->start(c->next, &event, d) != 0)
        event = NULL;
    d->parent = given;
    return event;
}

static struct next_call *get_next_call(uint64_t call)
{
    return &next_calls[(call - 1) % COLLECTIVES_CALLS];
}

void next_keep(const struct context *c, uint64_t call, uint32_t event, void *handle)
{
    struct next_call *n = get_next_call(call);
    if (event == EVENT_CALL) {
        STORE(n->context, c);
        STORE(n->use, LOAD(c->serial));
    }
    STORE(n->events[event], handle);
}

void *next_find(uint64_t call, uint32_t event)
{
    const struct next_call *n = get_next_call(call);
    const struct context *c = LOAD(n->context);
    return c && LOAD(c->serial) == LOAD(n->use) ? LOAD(n->events[event]) : NULL;
}

void next_stop(void *event)
{
    if (event)
        other->stop(event);
}

void next_change(void *event, int state, union profiler_state *s)
{
    if (event)
        other->record(event, state, s);
}

void next_finalize(struct context *c)
{
    if (c->has_next)
        other->finalize(c->next);
    c->has_next = false;
}
