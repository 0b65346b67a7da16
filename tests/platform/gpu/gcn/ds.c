// DS: local memory of a work-group, and moves between lanes. Source: ISA, "LDS and GWS
// instructions".
#include "atomic.h"
#include "wave.h"
#include <string.h>

enum ds_kind {
    DS_NONE,
    DS_READ,
    DS_WRITE,
    DS_READ2,
    DS_WRITE2,
    DS_ATOMIC,
    DS_PERMUTE,
    DS_BPERMUTE,
    DS_SWIZZLE
};

struct ds_row {
    uint8_t kind, bytes;
    uint8_t scale;      // of the two offsets
    bool sign, returns; // reads: extends the sign; atomics: gives the old value
    bool half, high;    // reads 16 bits and keeps the other half; the upper half
    uint8_t atomic;
};

#define ATOMIC_ROWS(number, op)                                                                    \
    [number] = {.kind = DS_ATOMIC, .bytes = 4, .atomic = (op)},                                    \
    [(number) + 32] = {.kind = DS_ATOMIC, .bytes = 4, .returns = true, .atomic = (op)},            \
    [(number) + 64] = {.kind = DS_ATOMIC, .bytes = 8, .atomic = (op)},                             \
    [(number) + 96] = {.kind = DS_ATOMIC, .bytes = 8, .returns = true, .atomic = (op)}

static const struct ds_row ROWS[256] = {
    ATOMIC_ROWS(0, ATOMIC_ADD),
    ATOMIC_ROWS(1, ATOMIC_SUB),
    ATOMIC_ROWS(2, ATOMIC_RSUB),
    ATOMIC_ROWS(3, ATOMIC_INC),
    ATOMIC_ROWS(4, ATOMIC_DEC),
    ATOMIC_ROWS(5, ATOMIC_SMIN),
    ATOMIC_ROWS(6, ATOMIC_SMAX),
    ATOMIC_ROWS(7, ATOMIC_UMIN),
    ATOMIC_ROWS(8, ATOMIC_UMAX),
    ATOMIC_ROWS(9, ATOMIC_AND),
    ATOMIC_ROWS(10, ATOMIC_OR),
    ATOMIC_ROWS(11, ATOMIC_XOR),
    ATOMIC_ROWS(16, ATOMIC_CMPSWAP),
    ATOMIC_ROWS(18, ATOMIC_MIN_FLOAT),
    ATOMIC_ROWS(19, ATOMIC_MAX_FLOAT),
    [13] = {.kind = DS_WRITE, .bytes = 4},
    [14] = {.kind = DS_WRITE2, .bytes = 4, .scale = 4},
    [15] = {.kind = DS_WRITE2, .bytes = 4, .scale = 0}, // 0: 64 elements
    [21] = {.kind = DS_ATOMIC, .bytes = 4, .atomic = ATOMIC_ADD_FLOAT},
    [30] = {.kind = DS_WRITE, .bytes = 1},
    [31] = {.kind = DS_WRITE, .bytes = 2},
    [45] = {.kind = DS_ATOMIC, .bytes = 4, .returns = true, .atomic = ATOMIC_SWAP},
    [53] = {.kind = DS_ATOMIC, .bytes = 4, .returns = true, .atomic = ATOMIC_ADD_FLOAT},
    [54] = {.kind = DS_READ, .bytes = 4},
    [55] = {.kind = DS_READ2, .bytes = 4, .scale = 4},
    [56] = {.kind = DS_READ2, .bytes = 4, .scale = 0},
    [57] = {.kind = DS_READ, .bytes = 1, .sign = true},
    [58] = {.kind = DS_READ, .bytes = 1},
    [59] = {.kind = DS_READ, .bytes = 2, .sign = true},
    [60] = {.kind = DS_READ, .bytes = 2},
    [61] = {.kind = DS_SWIZZLE, .bytes = 4},
    [62] = {.kind = DS_PERMUTE, .bytes = 4},
    [63] = {.kind = DS_BPERMUTE, .bytes = 4},
    [77] = {.kind = DS_WRITE, .bytes = 8},
    [78] = {.kind = DS_WRITE2, .bytes = 8, .scale = 8},
    [79] = {.kind = DS_WRITE2, .bytes = 8, .scale = 0},
    [84] = {.kind = DS_WRITE, .bytes = 1, .high = true},
    [85] = {.kind = DS_WRITE, .bytes = 2, .high = true},
    [86] = {.kind = DS_READ, .bytes = 1, .half = true},
    [87] = {.kind = DS_READ, .bytes = 1, .half = true, .high = true},
    [88] = {.kind = DS_READ, .bytes = 1, .half = true, .sign = true},
    [89] = {.kind = DS_READ, .bytes = 1, .half = true, .high = true, .sign = true},
    [90] = {.kind = DS_READ, .bytes = 2, .half = true},
    [91] = {.kind = DS_READ, .bytes = 2, .half = true, .high = true},
    [92] = {.kind = DS_ATOMIC, .bytes = 8, .atomic = ATOMIC_ADD_FLOAT},
    [109] = {.kind = DS_ATOMIC, .bytes = 8, .returns = true, .atomic = ATOMIC_SWAP},
    [118] = {.kind = DS_READ, .bytes = 8},
    [119] = {.kind = DS_READ2, .bytes = 8, .scale = 8},
    [120] = {.kind = DS_READ2, .bytes = 8, .scale = 0},
    [124] = {.kind = DS_ATOMIC, .bytes = 8, .returns = true, .atomic = ATOMIC_ADD_FLOAT},
    [222] = {.kind = DS_WRITE, .bytes = 12},
    [223] = {.kind = DS_WRITE, .bytes = 16},
    [254] = {.kind = DS_READ, .bytes = 12},
    [255] = {.kind = DS_READ, .bytes = 16},
};

struct ds {
    const struct ds_row *row;
    uint32_t offset0, offset1;
    unsigned address, data0, data1, d;
};

static uint8_t *local(struct wave *w, uint32_t at, unsigned bytes, bool write)
{
    if (at <= w->lds_size && bytes <= w->lds_size - at)
        return w->lds + at;
    w->fault.address = w->device->shared_aperture + at;
    w->fault.write = write;
    return NULL;
}

static void read_into(struct wave *w, const struct ds_row *row, const uint8_t *from, unsigned d,
                      unsigned lane)
{
    if (row->bytes >= 4) {
        for (unsigned k = 0; k < row->bytes / 4u; k++)
            memcpy(&w->v[d + k][lane], from + (size_t)4 * k, 4);
        return;
    }
    uint32_t x = 0;
    memcpy(&x, from, row->bytes);
    if (row->sign)
        x = row->bytes == 1 ? (uint32_t)(int8_t)x : (uint32_t)(int16_t)x;
    if (row->half && row->high)
        x = (w->v[d][lane] & 0xffff) | x << 16;
    else if (row->half)
        x = (w->v[d][lane] & ~0xffffu) | (x & 0xffff);
    w->v[d][lane] = x;
}

static void write_from(struct wave *w, const struct ds_row *row, uint8_t *to, unsigned data,
                       unsigned lane)
{
    if (row->bytes >= 4) {
        for (unsigned k = 0; k < row->bytes / 4u; k++)
            memcpy(to + (size_t)4 * k, &w->v[data + k][lane], 4);
        return;
    }
    const uint32_t x = row->high ? w->v[data][lane] >> 16 : w->v[data][lane];
    memcpy(to, &x, row->bytes);
}

static enum gcn_status run_atomic(struct wave *w, const struct ds *ds, unsigned lane)
{
    const struct ds_row *row = ds->row;
    const bool wide = row->bytes == 8;
    const uint32_t at = w->v[ds->address][lane] + ds->offset0;
    uint8_t *memory = at % row->bytes ? NULL : local(w, at, row->bytes, true);
    if (!memory) {
        w->fault.address = w->device->shared_aperture + at;
        return GCN_FAULT;
    }
    gcn_lds_access(w, at, row->bytes, true, true);
    uint64_t data = wide ? lane_pair(w, ds->data0, lane) : w->v[ds->data0][lane], compare = 0;
    if (row->atomic == ATOMIC_CMPSWAP) { // here the first is compared with, the second is new
        compare = data;
        data = wide ? lane_pair(w, ds->data1, lane) : w->v[ds->data1][lane];
    }
    const uint64_t old = atomic_apply(row->atomic, memory, wide, data, compare);
    if (row->returns) {
        w->v[ds->d][lane] = (uint32_t)old;
        if (wide)
            w->v[ds->d + 1][lane] = (uint32_t)(old >> 32);
    }
    return GCN_OK;
}

static enum gcn_status run_lane(struct wave *w, const struct ds *ds, unsigned lane)
{
    const struct ds_row *row = ds->row;
    if (row->kind == DS_ATOMIC)
        return run_atomic(w, ds, lane);
    const bool two = row->kind == DS_READ2 || row->kind == DS_WRITE2;
    const bool write = row->kind == DS_WRITE || row->kind == DS_WRITE2;
    const uint32_t base = w->v[ds->address][lane];
    for (unsigned k = 0; k < (two ? 2u : 1u); k++) {
        const uint32_t scale = row->scale ? row->scale : 64u * row->bytes;
        const uint32_t offset = !two ? ds->offset0 : (k ? ds->offset1 : ds->offset0) * scale;
        uint8_t *memory = local(w, base + offset, row->bytes, write);
        if (!memory)
            return GCN_FAULT;
        gcn_lds_access(w, base + offset, row->bytes, write, false);
        if (write)
            write_from(w, row, memory, k ? ds->data1 : ds->data0, lane);
        else
            read_into(w, row, memory, ds->d + k * row->bytes / 4u, lane);
    }
    return GCN_OK;
}

// ds_swizzle_b32: four lanes permuted, or each bit of the lane's number masked, set and turned.
static unsigned swizzled(uint32_t offset, unsigned lane)
{
    if (offset & 0x8000)
        return (lane & ~3u) + (offset >> 2 * (lane & 3) & 3);
    const unsigned in_half = lane & 31;
    return (lane & 32) | (((in_half & (offset & 31)) | (offset >> 5 & 31)) ^ (offset >> 10 & 31));
}

// Moves between lanes. Lanes that are not active give 0.
static void run_moves(struct wave *w, const struct ds *ds)
{
    const uint64_t exec = exec_mask(w);
    uint32_t result[GCN_LANES] = {0};
    for (unsigned l = 0; l < GCN_LANES; l++) {
        const uint32_t address = w->v[ds->address][l] + ds->offset0;
        const unsigned other = address / 4 & (GCN_LANES - 1);
        if (ds->row->kind == DS_PERMUTE && exec >> l & 1)
            result[other] = w->v[ds->data0][l];
        if (ds->row->kind == DS_BPERMUTE && exec >> other & 1)
            result[l] = w->v[ds->data0][other];
        if (ds->row->kind == DS_SWIZZLE && exec >> swizzled(ds->offset0, l) & 1)
            result[l] = w->v[ds->address][swizzled(ds->offset0, l)];
    }
    for (unsigned l = 0; l < GCN_LANES; l++)
        if (exec >> l & 1)
            w->v[ds->d][l] = result[l];
}

enum gcn_status run_ds(struct wave *w, uint32_t i0, uint32_t i1)
{
    struct ds ds = {.row = &ROWS[i0 >> 17 & 255],
                    .offset0 = i0 & 0xff,
                    .offset1 = i0 >> 8 & 0xff,
                    .address = i1 & 255,
                    .data0 = i1 >> 8 & 255,
                    .data1 = i1 >> 16 & 255,
                    .d = i1 >> 24};
    const bool two = ds.row->kind == DS_READ2 || ds.row->kind == DS_WRITE2;
    if (ds.row->kind == DS_NONE || i0 >> 16 & 1 || i0 >> 25 & 1) // GWS; accumulation registers
        return GCN_ILLEGAL;
    if (!two)
        ds.offset0 = i0 & 0xffff;
    if (ds.row->kind >= DS_PERMUTE) {
        run_moves(w, &ds);
        return GCN_OK;
    }
    const uint64_t exec = exec_mask(w);
    enum gcn_status status = GCN_OK;
    for (unsigned l = 0; l < GCN_LANES && status == GCN_OK; l++)
        if (exec >> l & 1)
            status = run_lane(w, &ds, l);
    return status;
}
