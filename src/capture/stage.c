#include "capture/capture_impl.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "format/capture.h"

enum { AGENTS = 256, COPY_SECONDS = 30, COPY_NAP_NS = 50000 };

struct agents {
    hsa_agent_t gpus[AGENTS];
    uint32_t n;
    uint64_t cpu;
    hsa_amd_memory_pool_t pool; /* a pool of the CPU; handle 0: none */
};

static hsa_status_t sort_agent(hsa_agent_t agent, void *data)
{
    struct agents *all = data;
    hsa_device_type_t type = HSA_DEVICE_TYPE_DSP;
    hsa.agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    if (type == HSA_DEVICE_TYPE_GPU && all->n < AGENTS)
        all->gpus[all->n++] = agent;
    if (type == HSA_DEVICE_TYPE_CPU && !all->cpu)
        all->cpu = agent.handle;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t take_pool(hsa_amd_memory_pool_t pool, void *data)
{
    struct agents *all = data;
    hsa_amd_segment_t segment = HSA_AMD_SEGMENT_GROUP;
    uint32_t flags = 0;
    bool allowed = false;
    hsa.pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
    hsa.pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
    hsa.pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allowed);
    const bool fits = segment == HSA_AMD_SEGMENT_GLOBAL && allowed &&
                      flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED &&
                      !(flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT);
    if (fits && !all->pool.handle)
        all->pool = pool;
    return HSA_STATUS_SUCCESS;
}

void stage_open(struct stage *s, const struct track_list *list, uint64_t agent)
{
    *s = (struct stage){.list = list, .agent = agent};
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->freed, NULL);
}

/* Makes a slot's memory and signal, once. Called under the lock. */
static const char *make_slot(struct stage *s, struct stage_slot *slot)
{
    struct agents all = {.n = 0};
    hsa.iterate_agents(sort_agent, &all);
    const hsa_agent_t cpu = {all.cpu};
    s->cpu = all.cpu;
    hsa.agent_iterate_pools(cpu, take_pool, &all);
    if (!all.pool.handle ||
        hsa.pool_allocate(all.pool, CAPTURE_BLOCK, 0, &slot->memory) != HSA_STATUS_SUCCESS) {
        slot->memory = NULL;
        return "the runtime has no memory left to copy it to";
    }
    if (hsa.agents_allow_access(all.n, all.gpus, NULL, slot->memory) != HSA_STATUS_SUCCESS ||
        hsa.signal_create(1, 0, NULL, &slot->done) != HSA_STATUS_SUCCESS) {
        hsa.pool_free(slot->memory);
        slot->memory = NULL;
        return "the runtime cannot make a copy";
    }
    return NULL;
}

static struct stage_slot *find_free_slot(struct stage *s)
{
    bool usable = false;
    for (int i = 0; i < STAGE_SLOTS; i++) {
        usable |= !s->slots[i].broken;
        if (!s->slots[i].busy && !s->slots[i].broken && s->slots[i].memory)
            return &s->slots[i];
    }
    for (int i = 0; i < STAGE_SLOTS; i++)
        if (!s->slots[i].busy && !s->slots[i].broken)
            return &s->slots[i];
    return usable ? s->slots : NULL; /* all are busy: wait for the first */
}

static struct stage_slot *acquire_slot(struct stage *s, const char **why)
{
    pthread_mutex_lock(&s->lock);
    struct stage_slot *slot;
    while ((slot = find_free_slot(s)) && slot->busy)
        pthread_cond_wait(&s->freed, &s->lock);
    *why = NULL;
    if (!slot)
        *why = "earlier copies did not complete";
    else if (!slot->memory)
        *why = make_slot(s, slot);
    if (slot && !*why)
        slot->busy = true;
    pthread_mutex_unlock(&s->lock);
    return *why ? NULL : slot;
}

static void release_slot(struct stage *s, struct stage_slot *slot)
{
    pthread_mutex_lock(&s->lock);
    slot->busy = false;
    pthread_cond_broadcast(&s->freed);
    pthread_mutex_unlock(&s->lock);
}

/*
 * Waits for a copy. Returns NULL, or why it failed; *broken: the GPU may still write to the memory.
 */
static const char *wait_copied(hsa_signal_t done, bool *broken)
{
    const uint64_t end = tool_now_ns() + COPY_SECONDS * 1000000000ull;
    hsa_signal_value_t value;
    /* Sleeps: the runtime's own wait spins at first, on CPUs that the other threads need. */
    while ((value = hsa.signal_load(done)) >= 1 && tool_now_ns() < end)
        nanosleep(&(struct timespec){0, COPY_NAP_NS}, NULL);
    *broken = value != 0;
    return *broken ? "the GPU did not copy it" : NULL;
}

static const char *start_copy(const struct stage *s, void *to, uint64_t address, size_t size,
                              uint64_t agent, hsa_signal_t done)
{
    const hsa_agent_t cpu = {s->cpu}, gpu = {agent};
    hsa.signal_store(done, 1);
    const hsa_status_t status =
        hsa.async_copy(to, cpu, map_pointer(address), gpu, size, 0, NULL, done);
    return status == HSA_STATUS_SUCCESS ? NULL : "the runtime refuses to copy it";
}

static struct stage_lent *find_lent(struct stage *s, const char *to, size_t size)
{
    for (int i = 0; i < s->nlent; i++) {
        const char *memory = s->lent[i].memory;
        if (to >= memory && to + size <= memory + s->lent[i].size)
            return &s->lent[i];
    }
    return NULL;
}

/* Copies at most CAPTURE_BLOCK bytes. Returns NULL, or why it failed. */
static const char *copy_staged(struct stage *s, void *to, uint64_t address, size_t size,
                               uint64_t agent)
{
    const char *why;
    struct stage_lent *lent = find_lent(s, to, size);
    if (lent && lent->broken)
        return "earlier copies did not complete";
    if (lent) {
        char *seen = (char *)lent->seen + ((char *)to - (char *)lent->memory);
        why = start_copy(s, seen, address, size, agent, lent->done);
        return why ? why : wait_copied(lent->done, &lent->broken);
    }
    struct stage_slot *slot = acquire_slot(s, &why);
    if (!slot)
        return why;
    why = start_copy(s, slot->memory, address, size, agent, slot->done);
    if (!why)
        why = wait_copied(slot->done, &slot->broken);
    if (!why)
        memcpy(to, slot->memory, size);
    release_slot(s, slot);
    return why;
}

void stage_lend(struct stage *s, void *memory, size_t size)
{
    struct agents all = {.n = 0};
    struct stage_lent lent = {.memory = memory, .size = size};
    if (s->nlent == STAGE_SLOTS || !hsa.memory_lock || !hsa.memory_unlock)
        return;
    hsa.iterate_agents(sort_agent, &all);
    if (all.n == 0 ||
        hsa.memory_lock(memory, size, all.gpus, (int)all.n, &lent.seen) != HSA_STATUS_SUCCESS)
        return;
    if (hsa.signal_create(1, 0, NULL, &lent.done) != HSA_STATUS_SUCCESS) {
        hsa.memory_unlock(memory);
        return;
    }
    s->cpu = all.cpu;
    s->lent[s->nlent++] = lent;
}

int stage_read(void *ctx, void *to, uint64_t address, size_t size, char *why, size_t why_size)
{
    struct stage *s = ctx;
    const struct track_source *from = track_source(s->list, address);
    const char *failure = NULL;
    if (from && from->how == READ_NOT)
        failure = "the runtime does not know this memory any more";
    else if (from && from->how == READ_HERE)
        failure = tool_peek(to, address, size) ? NULL : "the CPU cannot read it";
    else /* also memory without a region: variables of the code object */
        for (size_t done = 0; !failure && done < size; done += CAPTURE_BLOCK)
            failure = copy_staged(s, (char *)to + done, address + done,
                                  size - done < CAPTURE_BLOCK ? size - done : CAPTURE_BLOCK,
                                  from && from->agent ? from->agent : s->agent);
    if (failure)
        snprintf(why, why_size, "%s", failure);
    return failure ? -1 : 0;
}

bool stage_close(struct stage *s)
{
    bool ended = true;
    for (int i = 0; i < STAGE_SLOTS; i++)
        if (s->slots[i].memory && !s->slots[i].broken) {
            hsa.signal_destroy(s->slots[i].done);
            hsa.pool_free(s->slots[i].memory);
        }
    for (int i = 0; i < s->nlent; i++) {
        ended &= !s->lent[i].broken;
        if (!s->lent[i].broken) {
            hsa.signal_destroy(s->lent[i].done);
            hsa.memory_unlock(s->lent[i].memory);
        }
    }
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->freed);
    return ended;
}
