#include "access.h"
#include <string.h>

// Source: ISA, "FLAT, scratch and global opcodes" and "MUBUF opcodes": the same numbers.
static const struct access ACCESSES[128] = {
    [16] = {.bytes = 1},
    [17] = {.bytes = 1, .sign = true},
    [18] = {.bytes = 2},
    [19] = {.bytes = 2, .sign = true},
    [20] = {.bytes = 4},
    [21] = {.bytes = 8},
    [22] = {.bytes = 12},
    [23] = {.bytes = 16},
    [24] = {.bytes = 1, .store = true},
    [25] = {.bytes = 1, .store = true, .high = true},
    [26] = {.bytes = 2, .store = true},
    [27] = {.bytes = 2, .store = true, .high = true},
    [28] = {.bytes = 4, .store = true},
    [29] = {.bytes = 8, .store = true},
    [30] = {.bytes = 12, .store = true},
    [31] = {.bytes = 16, .store = true},
    [32] = {.bytes = 1, .half = true},
    [33] = {.bytes = 1, .half = true, .high = true},
    [34] = {.bytes = 1, .half = true, .sign = true},
    [35] = {.bytes = 1, .half = true, .sign = true, .high = true},
    [36] = {.bytes = 2, .half = true},
    [37] = {.bytes = 2, .half = true, .high = true},
    [64] = {.bytes = 4, .atomic = ATOMIC_SWAP},
    [65] = {.bytes = 4, .atomic = ATOMIC_CMPSWAP},
    [66] = {.bytes = 4, .atomic = ATOMIC_ADD},
    [67] = {.bytes = 4, .atomic = ATOMIC_SUB},
    [68] = {.bytes = 4, .atomic = ATOMIC_SMIN},
    [69] = {.bytes = 4, .atomic = ATOMIC_UMIN},
    [70] = {.bytes = 4, .atomic = ATOMIC_SMAX},
    [71] = {.bytes = 4, .atomic = ATOMIC_UMAX},
    [72] = {.bytes = 4, .atomic = ATOMIC_AND},
    [73] = {.bytes = 4, .atomic = ATOMIC_OR},
    [74] = {.bytes = 4, .atomic = ATOMIC_XOR},
    [75] = {.bytes = 4, .atomic = ATOMIC_INC},
    [76] = {.bytes = 4, .atomic = ATOMIC_DEC},
    [77] = {.bytes = 4, .atomic = ATOMIC_ADD_FLOAT},
    [78] = {.bytes = 4, .atomic = ATOMIC_ADD_HALVES},
    [79] = {.bytes = 8, .atomic = ATOMIC_ADD_FLOAT},
    [80] = {.bytes = 8, .atomic = ATOMIC_MIN_FLOAT},
    [81] = {.bytes = 8, .atomic = ATOMIC_MAX_FLOAT},
    [96] = {.bytes = 8, .atomic = ATOMIC_SWAP},
    [97] = {.bytes = 8, .atomic = ATOMIC_CMPSWAP},
    [98] = {.bytes = 8, .atomic = ATOMIC_ADD},
    [99] = {.bytes = 8, .atomic = ATOMIC_SUB},
    [100] = {.bytes = 8, .atomic = ATOMIC_SMIN},
    [101] = {.bytes = 8, .atomic = ATOMIC_UMIN},
    [102] = {.bytes = 8, .atomic = ATOMIC_SMAX},
    [103] = {.bytes = 8, .atomic = ATOMIC_UMAX},
    [104] = {.bytes = 8, .atomic = ATOMIC_AND},
    [105] = {.bytes = 8, .atomic = ATOMIC_OR},
    [106] = {.bytes = 8, .atomic = ATOMIC_XOR},
    [107] = {.bytes = 8, .atomic = ATOMIC_INC},
    [108] = {.bytes = 8, .atomic = ATOMIC_DEC},
};

const struct access *access_of(unsigned op)
{
    return op < 128 && ACCESSES[op].bytes ? &ACCESSES[op] : NULL;
}

void access_load(struct wave *w, const struct access *a, const struct access_place *at, unsigned d,
                 unsigned lane)
{
    if (a->bytes >= 4) {
        for (unsigned k = 0; k < a->bytes / 4u; k++)
            memcpy(&w->v[d + k][lane], at->dwords[k], 4);
        return;
    }
    uint32_t x = 0;
    memcpy(&x, at->dwords[0], a->bytes);
    if (a->sign)
        x = a->bytes == 1 ? (uint32_t)(int8_t)x : (uint32_t)(int16_t)x;
    if (a->half && a->high)
        x = (w->v[d][lane] & 0xffff) | x << 16;
    else if (a->half)
        x = (w->v[d][lane] & ~0xffffu) | (x & 0xffff);
    w->v[d][lane] = x;
}

void access_store(struct wave *w, const struct access *a, const struct access_place *at,
                  unsigned data, unsigned lane)
{
    if (a->bytes >= 4) {
        for (unsigned k = 0; k < a->bytes / 4u; k++)
            memcpy(at->dwords[k], &w->v[data + k][lane], 4);
        return;
    }
    const uint32_t x = a->high ? w->v[data][lane] >> 16 : w->v[data][lane];
    memcpy(at->dwords[0], &x, a->bytes);
}

enum gcn_status access_atomic(struct wave *w, const struct access *a, void *at, unsigned data,
                              unsigned d, bool returns, unsigned lane)
{
    const bool wide = a->bytes == 8;
    uint64_t value = w->v[data][lane], compare = 0;
    if (wide)
        value = lane_pair(w, data, lane);
    if (a->atomic == ATOMIC_CMPSWAP)
        compare = wide ? lane_pair(w, data + 2, lane) : w->v[data + 1][lane];
    const uint64_t old = atomic_apply(a->atomic, at, wide, value, compare);
    if (returns) {
        w->v[d][lane] = (uint32_t)old;
        if (wide)
            w->v[d + 1][lane] = (uint32_t)(old >> 32);
    }
    return GCN_OK;
}
