#include "support/fake_nccl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "support/program.h"

const char *fake_nccl_plugin(void)
{
    static char path[4200];
    const char *rooftop = program_rooftop();
    if (!rooftop)
        return NULL;
    snprintf(path, sizeof path, "%.*s/librooftop-nccl.so",
             (int)(strlen(rooftop) - strlen("/rooftop")), rooftop);
    return path;
}

bool fake_nccl_open(struct fake_nccl *n, const char *path, int newest)
{
    *n = (struct fake_nccl){.library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL};
    for (n->version = newest; n->library && !n->plugin && n->version >= 4; n->version--) {
        char symbol[32];
        snprintf(symbol, sizeof symbol, "ncclProfiler_v%d", n->version);
        n->plugin = dlsym(n->library, symbol);
        if (n->plugin)
            return true;
    }
    return false;
}

struct fake_meeting *fake_meeting_new(int ranks)
{
    pthread_barrierattr_t shared;
    struct fake_meeting *m =
        mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (m == MAP_FAILED)
        return NULL;
    pthread_barrierattr_init(&shared);
    pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&m->barrier, &shared, (unsigned)ranks);
    pthread_barrierattr_destroy(&shared);
    return m;
}

void fake_meeting_free(struct fake_meeting *m)
{
    munmap(m, sizeof *m);
}

void fake_communicator_begin(struct fake_communicator *c, struct fake_nccl *n, uint64_t id,
                             const char *name)
{
    c->nccl = n;
    c->context = NULL;
    if (n->version == 4)
        n->plugin->init4(&c->context, &n->mask, name, id, 1, c->ranks, c->rank, n->log);
    else
        n->plugin->init(&c->context, id, &n->mask, name, 1, c->ranks, c->rank, n->log);
}

void fake_communicator_end(struct fake_communicator *c)
{
    if (c->context)
        c->nccl->plugin->finalize(c->context);
    c->context = NULL;
}

/* A plugin may change it at any time. */
static int get_mask(const struct fake_communicator *c)
{
    return __atomic_load_n(&c->nccl->mask, __ATOMIC_RELAXED);
}

static void *fake_start(struct fake_communicator *c, struct profiler_description *d)
{
    void *event = NULL;
    d->rank = c->rank;
    if (get_mask(c))
        c->nccl->plugin->start(c->context, &event, d);
    return event;
}

/* Those for which NCCL begins an event that contains others: src/plugin/profiler.cc. */
enum {
    INSIDE_CALL = PROFILER_PROXY_OP | PROFILER_PROXY_STEP | PROFILER_KERNEL | PROFILER_NETWORK,
    INSIDE_COPY = PROFILER_COPY_COLLECTIVE | PROFILER_COPY_SYNC | PROFILER_COPY_BATCH,
    CALLS = PROFILER_COLLECTIVE | PROFILER_PAIR | INSIDE_CALL,
    API = PROFILER_GROUP_API | PROFILER_COLLECTIVE_API | PROFILER_PAIR_API | PROFILER_LAUNCH,
};
enum { GROUP_BEGUN = 23, GROUP_ENDS = 24 }; /* states of PROFILER_GROUP_API */

static void *start_if(struct fake_communicator *c, int wanted, struct profiler_description *d)
{
    return get_mask(c) & wanted ? fake_start(c, d) : NULL;
}

static void stop(struct fake_communicator *c, void *event)
{
    if (event)
        c->nccl->plugin->stop(event);
}

static void tell_group(struct fake_communicator *c, void *group, int state)
{
    if (group)
        c->nccl->plugin->record(group, state, NULL);
}

/* What the program's own call tells, in the thread of the program. */
struct fake_api {
    void *group, *call;
};

static struct fake_api begin_api(struct fake_communicator *c, int type)
{
    const int inside = type == PROFILER_COLLECTIVE_API
                           ? type | PROFILER_COLLECTIVE | INSIDE_CALL | INSIDE_COPY
                           : type | PROFILER_PAIR | INSIDE_CALL;
    struct fake_api api = {NULL, NULL};
    if (c->nccl->version < 5)
        return api;
    struct profiler_description d = {.type = PROFILER_GROUP_API};
    api.group = start_if(c, API | PROFILER_GROUP | CALLS | INSIDE_COPY, &d);
    tell_group(c, api.group, GROUP_BEGUN);
    d = (struct profiler_description){.type = (uint64_t)type, .parent = api.group};
    api.call = start_if(c, inside, &d);
    stop(c, api.call);
    tell_group(c, api.group, GROUP_ENDS);
    return api;
}

/* Begins the event of a call, and ends it as the call is enqueued. */
static void *enqueue(struct fake_communicator *c, struct profiler_description *d)
{
    const bool pair = d->type == PROFILER_PAIR;
    const struct fake_api api = begin_api(c, pair ? PROFILER_PAIR_API : PROFILER_COLLECTIVE_API);
    struct profiler_description launch = {.type = PROFILER_LAUNCH, .parent = api.group};
    struct profiler_description g = {.type = PROFILER_GROUP};
    stop(c, start_if(c, PROFILER_LAUNCH, &launch));
    void *group = start_if(c, PROFILER_GROUP | CALLS, &g);
    if (pair)
        d->pair.group = group;
    else
        d->collective.group = group;
    d->parent = c->nccl->version < 5 ? group : api.call;
    void *event = start_if(c, (int)d->type | INSIDE_CALL, d);
    stop(c, event);
    stop(c, group);
    stop(c, api.group);
    return event;
}

void *fake_call(struct fake_communicator *c, const char *op, uint64_t count)
{
    return enqueue(c, &(struct profiler_description){.type = PROFILER_COLLECTIVE,
                                                     .collective = {.number = c->calls++,
                                                                    .op = op,
                                                                    .count = count,
                                                                    .type = "ncclFloat32",
                                                                    .channels = c->channels,
                                                                    .algorithm = "RING",
                                                                    .protocol = "SIMPLE"}});
}

void fake_call_unseen(struct fake_communicator *c)
{
    stop(c, begin_api(c, PROFILER_COLLECTIVE_API).group);
}

void *fake_pair(struct fake_communicator *c, const char *op, uint64_t count, int peer)
{
    return enqueue(c, &(struct profiler_description){.type = PROFILER_PAIR,
                                                     .pair = {.op = op,
                                                              .count = count,
                                                              .type = "ncclInt8",
                                                              .peer = peer,
                                                              .channels = c->channels}});
}

void *fake_kernel(struct fake_communicator *c, void *call, uint8_t channel, uint64_t stamp)
{
    struct profiler_description d = {
        .type = PROFILER_KERNEL,
        .parent = call,
        .kernel = {.channel = channel, .stamp = stamp},
    };
    if (c->no_kernels || !(get_mask(c) & PROFILER_KERNEL))
        return NULL;
    return fake_start(c, &d);
}

void fake_kernel_end(struct fake_communicator *c, void *kernel, uint64_t stamp)
{
    union profiler_state s = {.kernel = {stamp}};
    if (!kernel)
        return;
    c->nccl->plugin->record(kernel, PROFILER_KERNEL_STOP, &s);
    c->nccl->plugin->stop(kernel);
}

/* The clock at which the last rank has come. Two rounds are kept apart: nobody is two ahead. */
static uint64_t meet_ranks(struct fake_communicator *c)
{
    uint64_t last = c->clock;
    if (!c->meeting)
        return c->others_clock > last ? c->others_clock : last;
    uint64_t *arrived = c->meeting->arrived[c->calls % 2];
    __atomic_store_n(&arrived[c->rank], c->clock, __ATOMIC_RELAXED);
    pthread_barrier_wait(&c->meeting->barrier);
    for (int i = 0; i < c->ranks; i++) {
        const uint64_t at = __atomic_load_n(&arrived[i], __ATOMIC_RELAXED);
        last = at > last ? at : last;
    }
    return last;
}

void fake_collective(struct fake_communicator *c, const char *op, uint64_t count, uint64_t compute,
                     uint64_t transfer)
{
    void *kernels[256] = {NULL};
    void *call = fake_call(c, op, count);
    c->clock += compute;
    for (uint8_t i = 0; i < c->channels; i++)
        kernels[i] = fake_kernel(c, call, i, c->clock + c->offset);
    c->clock = meet_ranks(c) + transfer;
    for (uint8_t i = 0; i < c->channels; i++)
        fake_kernel_end(c, kernels[i], c->clock + c->offset);
}
