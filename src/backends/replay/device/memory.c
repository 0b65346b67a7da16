#include "backends/replay/device/memory.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"

struct replay_piece { /* what was done for a range, so that it can be undone */
    struct hsa_vmem_handle handle;
    bool reserved, created, mapped, locked;
};

static void *pointer_to_range(uint64_t address)
{
    return (void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

int replay_memory_fits(const struct replay_device *d, const struct replay_plan *plan,
                       struct replay_failure *f)
{
    if (!d->free_bytes || plan->device_bytes <= d->free_bytes)
        return 0;
    return replay_fail(f, REPLAY_MEMORY,
                       d->has_free ? "end other programs that use the GPU, or take another GPU"
                                   : "take another GPU",
                       "device memory", "the capture needs %.1f MiB, %s %.1f MiB",
                       (double)plan->device_bytes / 1048576,
                       d->has_free ? "free are" : "the GPU has", (double)d->free_bytes / 1048576);
}

void replay_memory_init(struct replay_memory *m, struct replay_device *d,
                        const struct replay_plan *plan)
{
    *m = (struct replay_memory){d, plan, xcalloc(plan->n ? plan->n : 1, sizeof *m->pieces)};
}

static enum replay_reservation reserve_range(struct replay_memory *m,
                                             const struct replay_range *range,
                                             struct replay_piece *piece, uint64_t *at,
                                             char why[REPLAY_WHY_BYTES])
{
    const struct hsa_runtime *r = &m->d->r;
    void *got = NULL;
    const hsa_status_t status = r->vmem.address_reserve(&got, range->size, range->base, 0);
    if (status != HSA_STATUS_SUCCESS) {
        snprintf(why, REPLAY_WHY_BYTES, "%s", hsa_runtime_status(r, status));
        return REPLAY_REFUSED;
    }
    if (got != pointer_to_range(range->base)) { /* it succeeded, but at another address */
        *at = (uint64_t)(uintptr_t)got;
        r->vmem.address_free(got, range->size);
        return REPLAY_MOVED;
    }
    piece->reserved = true;
    return REPLAY_EXACT;
}

/* Locks the pages of a range that is already held. */
static enum replay_reservation lock_held_range(struct replay_memory *m,
                                               const struct replay_range *range,
                                               struct replay_piece *piece, uint64_t *at,
                                               char why[REPLAY_WHY_BYTES])
{
    const struct hsa_runtime *r = &m->d->r;
    void *seen = NULL;
    const hsa_status_t status =
        r->amd_memory_lock(pointer_to_range(range->base), range->size, &m->d->gpu, 1, &seen);
    if (status != HSA_STATUS_SUCCESS) {
        snprintf(why, REPLAY_WHY_BYTES, "lock the host's memory for the GPU: %s",
                 hsa_runtime_status(r, status));
        return REPLAY_REFUSED;
    }
    if (seen != pointer_to_range(range->base)) {
        *at = (uint64_t)(uintptr_t)seen;
        r->amd_memory_unlock(pointer_to_range(range->base));
        return REPLAY_MOVED;
    }
    piece->locked = true;
    return REPLAY_EXACT;
}

enum replay_reservation replay_memory_reserve(struct replay_memory *m, struct replay_hold *h,
                                              size_t range, uint64_t *at,
                                              char why[REPLAY_WHY_BYTES])
{
    const struct replay_range *r = &m->plan->ranges[range];
    *at = r->base;
    why[0] = '\0';
    if (r->host)
        return lock_held_range(m, r, &m->pieces[range], at, why);
    replay_hold_release(h, range);
    return reserve_range(m, r, &m->pieces[range], at, why);
}

int replay_memory_back(struct replay_memory *m, size_t range, struct replay_failure *f)
{
    const struct replay_range *r = &m->plan->ranges[range];
    const struct hsa_vmem *v = &m->d->r.vmem;
    struct replay_piece *piece = &m->pieces[range];
    /*
     * The CPU needs access too: before ROCm 7 the runtime's own copies crash on memory that only
     * the GPU may access.
     */
    const struct hsa_vmem_access access[2] = {{HSA_VMEM_ACCESS_RW, m->d->gpu},
                                              {HSA_VMEM_ACCESS_RW, m->d->cpu}};
    char what[96];
    if (r->host)
        return 0;
    snprintf(what, sizeof what, "device memory at 0x%llx, %llu bytes", (unsigned long long)r->base,
             (unsigned long long)r->size);
    hsa_status_t status =
        v->handle_create(m->d->vram, r->size, HSA_VMEM_TYPE_NONE, 0, &piece->handle);
    piece->created = status == HSA_STATUS_SUCCESS;
    if (!piece->created)
        return replay_device_failed(m->d, status, REPLAY_MEMORY, what, f);
    status = v->map(pointer_to_range(r->base), r->size, 0, piece->handle, 0);
    piece->mapped = status == HSA_STATUS_SUCCESS;
    if (piece->mapped)
        status = v->set_access(pointer_to_range(r->base), r->size, access, 2);
    if (status != HSA_STATUS_SUCCESS)
        return replay_device_failed(m->d, status, REPLAY_MEMORY, what, f);
    return 0;
}

int replay_memory_take(struct replay_memory *m, struct replay_hold *h, size_t range,
                       struct replay_failure *f)
{
    const struct replay_range *r = &m->plan->ranges[range];
    char why[REPLAY_WHY_BYTES], what[96];
    uint64_t at;
    snprintf(what, sizeof what, "reserve 0x%llx, %llu bytes", (unsigned long long)r->base,
             (unsigned long long)r->size);
    switch (replay_memory_reserve(m, h, range, &at, why)) {
    case REPLAY_EXACT:
        return replay_memory_back(m, range, f);
    case REPLAY_MOVED:
        return replay_fail(f, REPLAY_RELOCATED, NULL, what, "the runtime gave 0x%llx in its place",
                           (unsigned long long)at);
    case REPLAY_REFUSED:
        break;
    }
    return replay_fail(f, REPLAY_RELOCATED, NULL, what, "%s", why);
}

static void release_piece(const struct replay_memory *m, const struct replay_range *r,
                          struct replay_piece *piece)
{
    const struct hsa_vmem *v = &m->d->r.vmem;
    if (piece->locked)
        m->d->r.amd_memory_unlock(pointer_to_range(r->base));
    if (piece->mapped)
        v->unmap(pointer_to_range(r->base), r->size);
    if (piece->created)
        v->handle_release(piece->handle);
    if (piece->reserved)
        v->address_free(pointer_to_range(r->base), r->size);
    *piece = (struct replay_piece){0};
}

void replay_memory_free(struct replay_memory *m)
{
    for (size_t i = m->pieces ? m->plan->n : 0; i-- > 0;)
        release_piece(m, &m->plan->ranges[i], &m->pieces[i]);
    free(m->pieces);
    *m = (struct replay_memory){0};
}
