#include "capture/capture_impl.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum segment { DEVICE, HOST, KERNARG };
static const char *const segments[] = {"device", "host", "kernarg"};

struct pool {
    enum segment segment;
    uint64_t agent;
};
struct allocation {
    uint64_t size, pool;
};
struct locked {
    uint64_t seen, size, times;
};
struct handle {
    uint64_t size, pool;
};
struct tracked_mapping {
    uint64_t size, handle, pool;
    uint64_t agent;  /* a GPU that may access it; 0: none */
    uint32_t access; /* that GPU's permissions */
    bool cpu;        /* the CPU may read it */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct map pools = {.record = sizeof(struct pool)};
static struct map allocations = {.record = sizeof(struct allocation)};
static struct map locks = {.record = sizeof(struct locked)};
static struct map reservations = {.record = sizeof(uint64_t)};
static struct map handles = {.record = sizeof(struct handle)};
static struct map mappings = {.record = sizeof(struct tracked_mapping)};

/* From ROCm 6's headers: where a pool is, 0 at a CPU, 1 at a GPU. */
enum { POOL_LOCATION = 17, FLAG_KERNARG = 1 };

static bool is_gpu(uint64_t agent)
{
    hsa_device_type_t type = HSA_DEVICE_TYPE_CPU;
    const hsa_agent_t a = {agent};
    return agent && hsa.agent_get_info(a, HSA_AGENT_INFO_DEVICE, &type) == HSA_STATUS_SUCCESS &&
           type == HSA_DEVICE_TYPE_GPU;
}

static uint64_t owner_of(const void *memory)
{
    hsa_amd_pointer_info_t info = {.size = sizeof info};
    if (!memory || hsa.pointer_info((void *)memory, &info, NULL, NULL, NULL) != HSA_STATUS_SUCCESS)
        return 0;
    return info.agentOwner.handle;
}

/* Asks for a pool's properties, once. memory: some memory of the pool, or NULL. */
static void learn_pool(uint64_t id, const void *memory)
{
    const hsa_amd_memory_pool_t pool = {id};
    uint32_t flags = 0, location = 0;
    pthread_mutex_lock(&lock);
    const bool known = map_get(&pools, id);
    pthread_mutex_unlock(&lock);
    if (known)
        return;
    hsa.pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
    const uint64_t owner = owner_of(memory);
    const bool told = hsa.pool_get_info(pool, (hsa_amd_memory_pool_info_t)POOL_LOCATION,
                                        &location) == HSA_STATUS_SUCCESS;
    const bool gpu = told ? location == 1 : !owner || is_gpu(owner);
    pthread_mutex_lock(&lock);
    struct pool *p = map_put(&pools, id);
    if (p)
        *p = gpu ? (struct pool){DEVICE, owner}
                 : (struct pool){(flags & FLAG_KERNARG) ? KERNARG : HOST, 0};
    pthread_mutex_unlock(&lock);
    if (!p)
        tool_lose("a memory pool: there is no memory left");
}

void track_allocated(uint64_t pool, const void *memory, uint64_t size)
{
    learn_pool(pool, memory);
    pthread_mutex_lock(&lock);
    struct allocation *a = map_put(&allocations, (uint64_t)(uintptr_t)memory);
    if (a)
        *a = (struct allocation){size, pool};
    pthread_mutex_unlock(&lock);
    if (!a)
        tool_lose("an allocation: there is no memory left");
}

void track_freed(const void *memory)
{
    pthread_mutex_lock(&lock);
    map_remove(&allocations, (uint64_t)(uintptr_t)memory);
    pthread_mutex_unlock(&lock);
}

void track_locked(const void *own, const void *seen, uint64_t size)
{
    pthread_mutex_lock(&lock);
    struct locked *k = map_put(&locks, (uint64_t)(uintptr_t)own);
    if (k) {
        k->seen = (uint64_t)(uintptr_t)seen;
        k->size = size > k->size ? size : k->size;
        k->times++;
    }
    pthread_mutex_unlock(&lock);
    if (!k)
        tool_lose("locked memory: there is no memory left");
}

void track_unlocked(const void *own)
{
    pthread_mutex_lock(&lock);
    struct locked *k = map_get(&locks, (uint64_t)(uintptr_t)own);
    if (k && --k->times == 0)
        map_remove(&locks, (uint64_t)(uintptr_t)own);
    pthread_mutex_unlock(&lock);
}

void track_reserved(const void *va, uint64_t size)
{
    pthread_mutex_lock(&lock);
    uint64_t *r = map_put(&reservations, (uint64_t)(uintptr_t)va);
    if (r)
        *r = size;
    pthread_mutex_unlock(&lock);
    if (!r)
        tool_lose("a reservation of addresses: there is no memory left");
}

void track_unreserved(const void *va)
{
    pthread_mutex_lock(&lock);
    map_remove(&reservations, (uint64_t)(uintptr_t)va);
    pthread_mutex_unlock(&lock);
}

void track_created(uint64_t handle, uint64_t pool, uint64_t size)
{
    learn_pool(pool, NULL);
    pthread_mutex_lock(&lock);
    struct handle *h = map_put(&handles, handle);
    if (h)
        *h = (struct handle){size, pool};
    pthread_mutex_unlock(&lock);
    if (!h)
        tool_lose("virtual memory: there is no memory left");
}

void track_released(uint64_t handle)
{
    pthread_mutex_lock(&lock);
    map_remove(&handles, handle);
    pthread_mutex_unlock(&lock);
}

void track_mapped(const void *va, uint64_t size, uint64_t handle)
{
    pthread_mutex_lock(&lock);
    const struct handle *h = map_get(&handles, handle);
    struct tracked_mapping *m = map_put(&mappings, (uint64_t)(uintptr_t)va);
    if (m)
        *m = (struct tracked_mapping){.size = size, .handle = handle, .pool = h ? h->pool : 0};
    pthread_mutex_unlock(&lock);
    if (!m)
        tool_lose("virtual memory: there is no memory left");
}

void track_unmapped(const void *va, uint64_t size)
{
    const uint64_t from = (uint64_t)(uintptr_t)va;
    uint64_t key;
    size_t at = 0;
    pthread_mutex_lock(&lock);
    while (map_next(&mappings, &at, &key))
        if (key - from < size)
            map_remove(&mappings, key);
    pthread_mutex_unlock(&lock);
}

void track_access(const void *va, uint64_t size, const struct call_vmem_access *access, size_t n)
{
    const uint64_t from = (uint64_t)(uintptr_t)va;
    for (size_t i = 0; i < n; i++) {
        const bool gpu = is_gpu(access[i].agent.handle);
        struct tracked_mapping *m;
        uint64_t key;
        size_t at = 0;
        pthread_mutex_lock(&lock);
        while ((m = map_next(&mappings, &at, &key)))
            if (key - from < size && gpu) {
                const bool gone = access[i].permissions == 0;
                if (!gone || m->agent == access[i].agent.handle) {
                    m->agent = gone ? 0 : access[i].agent.handle;
                    m->access = access[i].permissions;
                }
            } else if (key - from < size) {
                m->cpu = access[i].permissions & 1;
            }
        pthread_mutex_unlock(&lock);
    }
}

void track_reset(void)
{
    pthread_mutex_lock(&lock);
    map_clear(&pools);
    map_clear(&allocations);
    map_clear(&locks);
    map_clear(&reservations);
    map_clear(&handles);
    map_clear(&mappings);
    pthread_mutex_unlock(&lock);
}

/* --- the list --- */

static void add_listed_region(struct track_list *l, const struct writer_region *r,
                              const struct track_source *s)
{
    if (l->n < l->room) {
        l->sources[l->n] = *s;
        l->regions[l->n++] = *r;
    }
}

static void add_allocations(struct track_list *l)
{
    uint64_t base;
    size_t at = 0;
    for (const struct allocation *a; (a = map_next(&allocations, &at, &base));) {
        const struct pool *p = map_get(&pools, a->pool);
        const enum segment segment = p ? p->segment : DEVICE;
        const struct writer_region r = {
            .base = base, .size = a->size, .segment = segments[segment], .is_pool = true};
        const struct track_source s = {base, a->size, segment == DEVICE ? READ_COPIED : READ_HERE,
                                       p ? p->agent : 0};
        if (a->size > 0)
            add_listed_region(l, &r, &s);
    }
}

static void add_locks(struct track_list *l)
{
    size_t at = 0;
    for (const struct locked *k; (k = map_next(&locks, &at, NULL));) {
        const struct writer_region r = {
            .base = k->seen, .size = k->size, .segment = segments[HOST]};
        const struct track_source s = {k->seen, k->size, READ_HERE, 0};
        if (k->size > 0)
            add_listed_region(l, &r, &s);
    }
}

static void find_reservation(struct writer_region *r)
{
    uint64_t base;
    size_t at = 0;
    for (const uint64_t *size; (size = map_next(&reservations, &at, &base));)
        if (r->base - base < *size) {
            r->reserved_base = base;
            r->reserved_size = *size;
        }
}

static void add_mappings(struct track_list *l)
{
    uint64_t base;
    size_t at = 0;
    for (const struct tracked_mapping *m; (m = map_next(&mappings, &at, &base));) {
        const struct pool *p = map_get(&pools, m->pool);
        struct writer_region r = {.base = base,
                                  .size = m->size,
                                  .segment = segments[p ? p->segment : DEVICE],
                                  .is_vmem = true,
                                  .handle = m->handle,
                                  .access = m->access};
        /*
         * The CPU reads only memory that it may access; the runtime's own copies do not check this.
         */
        const bool here = m->cpu && p && p->segment != DEVICE;
        const struct track_source s = {base, m->size, here ? READ_HERE : READ_COPIED, m->agent};
        find_reservation(&r);
        if (m->agent) /* otherwise no kernel can access it */
            add_listed_region(l, &r, &s);
    }
}

/* Sorts in place. The C library's sort allocates. */
static void sift_region(struct track_list *l, size_t root, size_t n)
{
    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && l->regions[child].base < l->regions[child + 1].base)
            child++;
        if (l->regions[root].base >= l->regions[child].base)
            return;
        const struct writer_region r = l->regions[root];
        const struct track_source s = l->sources[root];
        l->regions[root] = l->regions[child];
        l->sources[root] = l->sources[child];
        l->regions[child] = r;
        l->sources[child] = s;
    }
}

static void sort_regions(struct track_list *l)
{
    for (size_t i = l->n / 2; i-- > 0;)
        sift_region(l, i, l->n);
    for (size_t n = l->n; n-- > 1;) {
        const struct writer_region r = l->regions[0];
        const struct track_source s = l->sources[0];
        l->regions[0] = l->regions[n];
        l->sources[0] = l->sources[n];
        l->regions[n] = r;
        l->sources[n] = s;
        sift_region(l, 0, n);
    }
}

/* Checks each region with the runtime: memory that was freed without our hooks may overlap later
 * allocations. */
static void check_regions(struct track_list *l)
{
    size_t kept = 0;
    uint64_t end = 0;
    for (size_t i = 0; i < l->n; i++) {
        struct writer_region r = l->regions[i];
        struct track_source s = l->sources[i];
        hsa_amd_pointer_info_t info = {.size = sizeof info};
        if (r.base < end && (s.how != READ_HERE || r.base + r.size <= end))
            continue;
        if (r.base < end) { /* the program locked a part twice */
            r.size -= end - r.base;
            r.base = end;
            s.base = r.base;
            s.size = r.size;
        }
        if (hsa.pointer_info(map_pointer(r.base), &info, NULL, NULL, NULL) != HSA_STATUS_SUCCESS ||
            info.type == HSA_EXT_POINTER_TYPE_UNKNOWN)
            s.how = READ_NOT;
        if (s.how == READ_COPIED && !s.agent)
            s.agent = info.agentOwner.handle;
        end = r.base + r.size;
        l->bytes += s.how == READ_NOT ? 0 : r.size;
        l->regions[kept] = r;
        l->sources[kept++] = s;
    }
    l->n = kept;
}

bool track_list(struct track_list *out, uint64_t kernarg)
{
    pthread_mutex_lock(&lock);
    *out = (struct track_list){.room = allocations.live + locks.live + mappings.live + 1};
    out->regions = map_memory(out->room * sizeof *out->regions);
    out->sources = map_memory(out->room * sizeof *out->sources);
    if (out->regions && out->sources) {
        add_allocations(out);
        add_locks(out);
        add_mappings(out);
    }
    pthread_mutex_unlock(&lock);
    if (!out->regions || !out->sources) {
        track_list_free(out);
        return false;
    }
    sort_regions(out);
    check_regions(out);
    for (size_t i = 0; i < out->n; i++)
        out->regions[i].contains_kernarg = kernarg - out->regions[i].base < out->regions[i].size;
    return true;
}

void track_list_free(struct track_list *l)
{
    map_memory_free(l->regions, l->room * sizeof *l->regions);
    map_memory_free(l->sources, l->room * sizeof *l->sources);
    *l = (struct track_list){0};
}

const struct track_source *track_source(const struct track_list *l, uint64_t address)
{
    size_t low = 0, high = l->n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const struct track_source *s = &l->sources[middle];
        if (address < s->base)
            high = middle;
        else if (address - s->base >= s->size)
            low = middle + 1;
        else
            return s;
    }
    return NULL;
}
