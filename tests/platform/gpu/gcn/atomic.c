#include "atomic.h"
#include "number.h"

static int64_t sign_extend(uint64_t x, bool wide)
{
    return wide ? (int64_t)x : (int32_t)x;
}

static uint64_t float_result(enum atomic_op op, uint64_t old, uint64_t data, bool wide)
{
    const double a = wide ? f64(old) : f32(old), b = wide ? f64(data) : f32(data);
    if (op == ATOMIC_ADD_FLOAT)
        return wide ? b64(a + b) : b32(f32(old) + f32(data));
    const double r = op == ATOMIC_MIN_FLOAT ? number_min(a, b) : number_max(a, b);
    return wide ? b64(r) : b32((float)r);
}

static uint64_t integer_result(enum atomic_op op, uint64_t old, uint64_t data, bool wide)
{
    const int64_t a = sign_extend(old, wide), b = sign_extend(data, wide);
    switch (op) {
    case ATOMIC_ADD:
        return old + data;
    case ATOMIC_SUB:
        return old - data;
    case ATOMIC_RSUB:
        return data - old;
    case ATOMIC_SMIN:
        return a < b ? old : data;
    case ATOMIC_UMIN:
        return old < data ? old : data;
    case ATOMIC_SMAX:
        return a > b ? old : data;
    case ATOMIC_UMAX:
        return old > data ? old : data;
    case ATOMIC_AND:
        return old & data;
    case ATOMIC_OR:
        return old | data;
    case ATOMIC_XOR:
        return old ^ data;
    case ATOMIC_INC:
        return old >= data ? 0 : old + 1;
    case ATOMIC_DEC:
        return old == 0 || old > data ? data : old - 1;
    default:
        return data; // swap
    }
}

static uint64_t result(enum atomic_op op, uint64_t old, uint64_t data, uint64_t compare, bool wide)
{
    switch (op) {
    case ATOMIC_CMPSWAP:
        return old == compare ? data : old;
    case ATOMIC_ADD_FLOAT:
    case ATOMIC_MIN_FLOAT:
    case ATOMIC_MAX_FLOAT:
        return float_result(op, old, data, wide);
    case ATOMIC_ADD_HALVES:
        return b16(f16(old) + f16(data)) | b16(f16(old >> 16) + f16(data >> 16)) << 16;
    default:
        return integer_result(op, old, data, wide);
    }
}

uint64_t atomic_apply(enum atomic_op op, void *at, bool wide, uint64_t data, uint64_t compare)
{
    if (wide) {
        uint64_t *p = at, old = __atomic_load_n(p, __ATOMIC_SEQ_CST), next;
        do
            next = result(op, old, data, compare, true);
        while (
            !__atomic_compare_exchange_n(p, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
        return old;
    }
    uint32_t *p = at, old = __atomic_load_n(p, __ATOMIC_SEQ_CST), next;
    do
        next = (uint32_t)result(op, old, data, compare, false);
    while (!__atomic_compare_exchange_n(p, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return old;
}
