// MUBUF, as gfx90a uses it: for private memory (a swizzled buffer with the lane added), and plain
// buffers. Source: ISA, "Buffer addressing".
#include "access.h"

struct buffer { // a resource descriptor
    uint64_t base;
    uint32_t stride, records, index_stride, element;
    bool swizzle, add_lane;
};

static struct buffer descriptor(const uint32_t *r)
{
    return (struct buffer){
        .base = r[0] | (uint64_t)(r[1] & 0xffff) << 32,
        .stride = r[1] >> 16 & 0x3fff,
        .swizzle = r[1] >> 31,
        .records = r[2],
        .element = 2u << (r[3] >> 19 & 3),
        .index_stride = 8u << (r[3] >> 21 & 3),
        .add_lane = r[3] >> 23 & 1,
    };
}

struct mubuf {
    const struct access *access;
    struct buffer buffer;
    unsigned address, data, soffset;
    uint32_t offset;
    bool has_offset, has_index, returns;
};

// Where byte `at` of a lane's record lies.
static uint64_t buffer_address(const struct buffer *b, uint32_t soffset, uint32_t index,
                               uint32_t at)
{
    if (!b->swizzle)
        return b->base + soffset + at + (uint64_t)index * b->stride;
    const uint64_t block = index / b->index_stride, in_block = index % b->index_stride;
    return b->base + soffset +
           (block * b->stride + (uint64_t)(at / b->element) * b->element) * b->index_stride +
           in_block * b->element + at % b->element;
}

// The old value goes where the data was.
static enum gcn_status run_atomic(struct wave *w, const struct mubuf *m,
                                  const struct access_place *place, uint64_t address, unsigned lane)
{
    const struct access *a = m->access;
    const bool apart =
        a->bytes == 8 && (uintptr_t)place->dwords[1] != (uintptr_t)place->dwords[0] + 4;
    if (apart ||
        address % a->bytes) // swizzled, or not aligned: what hardware does then is not known
        return GCN_ILLEGAL;
    return access_atomic(w, a, place->dwords[0], m->data, m->data, m->returns, lane);
}

static enum gcn_status run_lane(struct wave *w, const struct mubuf *m, unsigned lane)
{
    const struct access *a = m->access;
    const bool write = a->store || a->atomic;
    uint32_t index = m->buffer.add_lane ? lane : 0, at = m->offset;
    if (m->has_index)
        index += w->v[m->address][lane];
    if (m->has_offset)
        at += w->v[m->address + (m->has_index ? 1 : 0)][lane];
    const uint32_t soffset = (uint32_t)scalar_read(w, m->soffset, 32);
    struct access_place place = {0};
    for (unsigned k = 0; k < (a->bytes + 3u) / 4; k++) {
        const uint64_t address = buffer_address(&m->buffer, soffset, index, at + 4 * k);
        place.dwords[k] = gpu_at(address, a->bytes < 4 ? a->bytes : 4, write);
        if (!place.dwords[k]) {
            w->fault.address = address;
            w->fault.write = write;
            return GCN_FAULT;
        }
        gcn_touch(w->device->counts, address, 4, access_touches(a));
    }
    if (a->atomic)
        return run_atomic(w, m, &place, buffer_address(&m->buffer, soffset, index, at), lane);
    if (a->store)
        access_store(w, a, &place, m->data, lane);
    else
        access_load(w, a, &place, m->data, lane);
    return GCN_OK;
}

enum gcn_status run_mubuf(struct wave *w, uint32_t i0, uint32_t i1)
{
    const unsigned op = i0 >> 18 & 127;
    if (op == 40 || op == 41 || op == 62 ||
        op == 63) // buffer_wbl2, buffer_inv, both of L1: nothing is cached
        return GCN_OK;
    const struct mubuf m = {.access = access_of(op),
                            .buffer = descriptor(w->s + (i1 >> 16 & 31) * 4),
                            .address = i1 & 255,
                            .data = (i1 >> 8 & 255) + (i1 >> 23 & 1 ? VGPRS : 0),
                            .soffset = i1 >> 24,
                            .offset = i0 & 0xfff,
                            .has_offset = i0 >> 12 & 1,
                            .has_index = i0 >> 13 & 1,
                            .returns = i0 >> 14 & 1};
    if (!m.access || i0 >> 16 & 1) // loads into LDS: not emulated
        return GCN_ILLEGAL;
    const uint64_t exec = exec_mask(w);
    enum gcn_status status = GCN_OK;
    for (unsigned l = 0; l < GCN_LANES && status == GCN_OK; l++)
        if (exec >> l & 1)
            status = run_lane(w, &m, l);
    return status;
}
