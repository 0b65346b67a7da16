/*
 * Cold caches: a kernel of the runtime writes over more memory than the GPU's caches hold, so that
 * what the next launch uses is no more in them. Where the runtime tells no caches behind the second
 * one they may have the size of an MI300X's Infinity Cache, 256 MiB (AMD's data sheet).
 */
#include "backends/replay/judge/trial.h"

enum { LEVELS = 4, TIMES = 2 };
static const uint64_t LARGEST_KNOWN = UINT64_C(256) << 20;

static uint64_t last_cache(const struct trial *k)
{
    const struct replay_device *d = &k->s.device;
    struct emulated_counts ignored;
    uint32_t size[LEVELS] = {0};
    uint64_t largest = 0;
    if (d->r.agent_get_info(d->gpu, HSA_AGENT_INFO_CACHE_SIZE, size) != HSA_STATUS_SUCCESS)
        return LARGEST_KNOWN;
    for (int i = 0; i < LEVELS; i++)
        largest = size[i] > largest ? size[i] : largest;
    return size[2] || size[3] || trial_counts(k, &ignored) ? largest : LARGEST_KNOWN;
}

void trial_flush_open(struct trial *k)
{
    const struct replay_device *d = &k->s.device;
    const uint64_t size = TIMES * last_cache(k);
    void *memory = NULL;
    if (size == 0 || d->r.amd_memory_pool_allocate(d->vram, size, 0, &memory) != HSA_STATUS_SUCCESS)
        return;
    k->flush = (struct trial_flush){memory, size};
}

int trial_flush_run(const struct trial *k, struct replay_failure *f)
{
    static uint32_t value; /* another one each time: nothing may leave it out */
    const hsa_status_t status =
        k->s.device.r.amd_memory_fill(k->flush.memory, ++value, k->flush.size / sizeof value);
    if (status == HSA_STATUS_SUCCESS)
        return 0;
    return replay_device_failed(&k->s.device, status, REPLAY_RUNTIME, "write over the caches", f);
}

void trial_flush_close(struct trial *k)
{
    if (k->flush.size)
        k->s.device.r.amd_memory_pool_free(k->flush.memory);
    k->flush = (struct trial_flush){.size = 0};
}
