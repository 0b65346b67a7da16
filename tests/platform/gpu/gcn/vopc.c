// Comparisons. Source: ISA, "VOPC opcodes": the low bits of the number say how, the group says of
// what.
#include "vop.h"

static bool compare_int(unsigned how, int64_t a, int64_t b)
{
    switch (
        how) { // never, less, equal, less or equal, greater, not equal, greater or equal, always
    case 0:
        return false;
    case 1:
        return a < b;
    case 2:
        return a == b;
    case 3:
        return a <= b;
    case 4:
        return a > b;
    case 5:
        return a != b;
    case 6:
        return a >= b;
    default:
        return true;
    }
}

static bool compare_float(unsigned how, double a, double b)
{
    const bool unordered = isnan(a) || isnan(b);
    switch (how & 7) {
    case 0:
        return how & 8 ? unordered : false;
    case 7:
        return how & 8 ? true : !unordered;
    default: // from 8 on: not (greater or equal), not (less or greater), ...
        break;
    }
    static const uint8_t negated[] = {0, 6, 5, 4, 3, 2, 1};
    if (how & 8)
        return unordered || !compare_float(negated[how & 7], a, b);
    if (unordered)
        return false;
    switch (how) {
    case 1:
        return a < b;
    case 2:
        return a == b;
    case 3:
        return a <= b;
    case 4:
        return a > b;
    case 5:
        return a != b;
    default:
        return a >= b;
    }
}

// Unsigned numbers compare as signed ones once their top bit is turned.
static int64_t sortable(uint64_t x, unsigned bits, bool is_unsigned)
{
    if (bits == 64)
        return (int64_t)(is_unsigned ? x ^ 1ull << 63 : x);
    if (is_unsigned)
        return (int64_t)(x & ((1ull << bits) - 1));
    return bits == 32 ? (int32_t)x : (int16_t)x;
}

static double number(uint64_t x, unsigned kind)
{
    return kind == F16 ? f16(x) : kind == F32 ? f32(x) : f64(x);
}

static bool compare_lane(const struct vop *o, uint64_t a, uint64_t b)
{
    const unsigned kind = o->row->a;
    if (o->op < 0x20)
        return ((kind == F16 ? class16(a) : kind == F32 ? class32(a) : class64(a)) & b) != 0;
    if (o->op < 0x80)
        return compare_float(o->op & 15, number(a, kind), number(b, kind));
    const bool is_unsigned = o->op & 8;
    const unsigned bits = kind_bits(kind);
    return compare_int(o->op & 7, sortable(a, bits, is_unsigned), sortable(b, bits, is_unsigned));
}

void vop_compare(struct vop *o)
{
    uint64_t mask = 0;
    for (unsigned l = 0; l < GCN_LANES; l++)
        if (o->exec >> l & 1)
            mask |= (uint64_t)compare_lane(o, o->a[l], o->b[l]) << l;
    o->mask = mask;
}
