// The GPU's page table. An address that is not mapped to the GPU faults it, even if the CPU can
// read it.
#include "emu.h"
#include <string.h>
#include <sys/mman.h>

struct mapping {
    uint64_t address, size;
    uint8_t *host;
    int protection;
    uint32_t gpus;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct mapping *mappings;
static size_t mapping_count, mapping_capacity;
static _Atomic uint64_t generation = 1; // changes with every mapping

// Both under the lock.
static void *mapping_remove(uint64_t address, uint32_t gpus)
{
    void *host = NULL;
    for (size_t k = mapping_count; k-- > 0;)
        if (mappings[k].address == address && mappings[k].gpus & gpus) {
            host = mappings[k].host;
            mappings[k].gpus &= ~gpus;
            if (!mappings[k].gpus)
                mappings[k] = mappings[--mapping_count];
            atomic_fetch_add(&generation, 1);
        }
    return host;
}

static bool mapping_add(uint64_t address, uint64_t size, void *host, int protection, uint32_t gpus)
{
    mapping_remove(address, gpus);
    if (!emu_reserve((void **)&mappings, &mapping_capacity, mapping_count, sizeof *mappings))
        return false;
    mappings[mapping_count++] = (struct mapping){address, size, host, protection, gpus};
    atomic_fetch_add(&generation, 1);
    return true;
}

bool emu_map(uint64_t address, uint64_t size, void *host, int protection, uint32_t gpus)
{
    pthread_rwlock_wrlock(&lock);
    const bool ok = mapping_add(address, size, host, protection, gpus);
    pthread_rwlock_unlock(&lock);
    return ok;
}

void *emu_unmap(uint64_t address, uint32_t gpus)
{
    pthread_rwlock_wrlock(&lock);
    void *host = mapping_remove(address, gpus);
    pthread_rwlock_unlock(&lock);
    return host;
}

static _Thread_local uint32_t running_on = EMU_FIRST_GPU;

void emu_run_on(uint32_t node)
{
    running_on = node;
}

uint32_t emu_running_on(void)
{
    return running_on;
}

// Each thread keeps the mappings it used last.
enum { CACHED = 8 };
// The model of access that needs no call: this is looked at for every lane of every load.
static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
    uint64_t generation;
    unsigned next;
    struct mapping rows[CACHED];
} cache;

static const struct mapping *lookup(uint64_t address, size_t size)
{
    const uint64_t now = atomic_load(&generation);
    if (cache.generation != now) {
        memset(&cache, 0, sizeof cache);
        cache.generation = now;
    }
    for (unsigned k = 0; k < CACHED; k++) {
        const struct mapping *m = &cache.rows[k];
        if (address >= m->address && size <= m->size && address - m->address <= m->size - size)
            return m;
    }
    const struct mapping *found = NULL;
    pthread_rwlock_rdlock(&lock);
    for (size_t k = 0; k < mapping_count && !found; k++) {
        const struct mapping *m = &mappings[k];
        if (m->gpus >> running_on & 1 && address >= m->address && size <= m->size &&
            address - m->address <= m->size - size) {
            cache.rows[cache.next] = *m;
            found = &cache.rows[cache.next];
            cache.next = (cache.next + 1) % CACHED;
        }
    }
    pthread_rwlock_unlock(&lock);
    return found;
}

void *gpu_at(uint64_t address, size_t size, bool write)
{
    const struct mapping *m = lookup(address, size);
    if (!m || (write && !(m->protection & PROT_WRITE)))
        return NULL;
    return m->host + (address - m->address);
}
