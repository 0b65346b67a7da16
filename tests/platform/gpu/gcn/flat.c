// FLAT, GLOBAL and SCRATCH. Source: ISA, "Flat memory instructions".
#include "access.h"

enum { SEGMENT_FLAT, SEGMENT_SCRATCH, SEGMENT_GLOBAL, NO_SADDR = 127 };

struct flat {
    const struct access *access;
    unsigned segment, address, data, saddr, d;
    int32_t offset;
    bool returns, accumulators, scratch_vgpr;
};

static bool in_aperture(uint64_t address, uint64_t base)
{
    return address >> 32 == base >> 32 && base;
}

static enum gcn_status fault(struct wave *w, uint64_t address, bool write)
{
    w->fault.address = address;
    w->fault.write = write;
    return GCN_FAULT;
}

// Private memory of a lane: each dword lies apart.
static enum gcn_status place_scratch(struct wave *w, uint64_t offset, const struct access *a,
                                     bool write, unsigned lane, struct access_place *at)
{
    const uint64_t base = pair(w->s + FLAT_SCRATCH);
    if (offset + a->bytes > w->scratch_size || (a->bytes > 4 && offset % 4))
        return fault(w, w->device->private_aperture + offset, write);
    for (unsigned k = 0; k < (a->bytes + 3u) / 4; k++) {
        const uint64_t address = scratch_address(base, (uint32_t)offset + 4 * k, lane);
        at->dwords[k] = gpu_at(address, a->bytes < 4 ? a->bytes : 4, write);
        if (!at->dwords[k])
            return fault(w, address, write);
        gcn_touch(w->device->counts, address, 4, GCN_PRIVATE);
    }
    return GCN_OK;
}

static enum gcn_status place(struct wave *w, uint64_t address, const struct access *a, bool write,
                             unsigned lane, struct access_place *at, unsigned segment)
{
    uint8_t *bytes;
    if (segment == SEGMENT_SCRATCH)
        return place_scratch(w, address, a, write, lane, at);
    if (segment == SEGMENT_FLAT && in_aperture(address, w->device->private_aperture))
        return place_scratch(w, (uint32_t)address, a, write, lane, at);
    if (segment == SEGMENT_FLAT && in_aperture(address, w->device->shared_aperture)) {
        if ((uint32_t)address + (uint64_t)a->bytes > w->lds_size)
            return fault(w, address, write);
        bytes = w->lds + (uint32_t)address;
        gcn_lds_access(w, (uint32_t)address, a->bytes, write, a->atomic != 0);
    } else {
        bytes = gpu_at(address, a->bytes, write);
        gcn_touch(w->device->counts, address, a->bytes, access_touches(a));
    }
    if (!bytes)
        return fault(w, address, write);
    for (unsigned k = 0; k < (a->bytes + 3u) / 4; k++)
        at->dwords[k] = bytes + (size_t)4 * k;
    return GCN_OK;
}

// The address, or in scratch the offset, that one lane means.
static uint64_t lane_address(struct wave *w, const struct flat *f, unsigned lane)
{
    const uint64_t offset = (uint64_t)(int64_t)f->offset;
    if (f->segment == SEGMENT_SCRATCH) {
        uint32_t at = (uint32_t)f->offset;
        if (f->saddr != NO_SADDR)
            at += w->s[f->saddr];
        if (f->scratch_vgpr)
            at += w->v[f->address][lane];
        return at;
    }
    if (f->segment == SEGMENT_GLOBAL && f->saddr != NO_SADDR)
        return pair(w->s + f->saddr) + w->v[f->address][lane] + offset;
    return lane_pair(w, f->address, lane) + offset;
}

static enum gcn_status run_lane(struct wave *w, const struct flat *f, unsigned lane)
{
    const struct access *a = f->access;
    const bool write = a->store || a->atomic;
    const unsigned acc = f->accumulators ? VGPRS : 0;
    const uint64_t address = lane_address(w, f, lane);
    struct access_place at;
    if (a->atomic && address % a->bytes)
        return fault(w, address, true);
    const enum gcn_status status = place(w, address, a, write, lane, &at, f->segment);
    if (status != GCN_OK)
        return status;
    if (a->atomic)
        return access_atomic(w, a, at.dwords[0], acc + f->data, acc + f->d, f->returns, lane);
    if (a->store)
        access_store(w, a, &at, acc + f->data, lane);
    else
        access_load(w, a, &at, acc + f->d, lane);
    return GCN_OK;
}

enum gcn_status run_flat(struct wave *w, uint32_t i0, uint32_t i1)
{
    struct flat f = {.access = access_of(i0 >> 18 & 127),
                     .segment = i0 >> 14 & 3,
                     .address = i1 & 255,
                     .data = i1 >> 8 & 255,
                     .saddr = i1 >> 16 & 127,
                     .d = i1 >> 24,
                     .returns = i0 >> 16 & 1,
                     .accumulators = i1 >> 23 & 1};
    if (!f.access || f.segment == 3 || (f.access->atomic && f.segment == SEGMENT_SCRATCH))
        return GCN_ILLEGAL;
    // 13 bits; unsigned 12 for flat addresses
    f.offset = f.segment == SEGMENT_FLAT ? (int32_t)(i0 & 0xfff) : (int32_t)(i0 << 19) >> 19;
    // gfx942 has a bit for it, gfx90a takes the one or the other
    f.scratch_vgpr = w->device->arch == GCN_GFX942 ? i0 >> 13 & 1 : f.saddr == NO_SADDR;
    const uint64_t exec = exec_mask(w);
    enum gcn_status status = GCN_OK;
    for (unsigned l = 0; l < GCN_LANES && status == GCN_OK; l++)
        if (exec >> l & 1)
            status = run_lane(w, &f, l);
    return status;
}
