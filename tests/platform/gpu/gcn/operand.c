// Scalar operands. Source: ISA, "SALU source operands".
#include "wave.h"
#include "number.h"

static uint64_t constant(struct wave *w, unsigned code, unsigned bits)
{
    static const double floats[] = {0.5, -0.5, 1, -1, 2, -2, 4, -4};
    if (code >= 240 && code <= 247) {
        const double f = floats[code - 240];
        return bits == 64 ? b64(f) : bits == 16 ? b16(f) : b32((float)f);
    }
    if (code == 248) // 1 / (2 pi)
        return bits == 64 ? 0x3fc45f306dc9c882 : bits == 16 ? 0x3118 : 0x3e22f983;
    w->bad_operand = true;
    return 0;
}

static uint64_t special(struct wave *w, unsigned code, unsigned bits)
{
    const uint64_t limit = UINT32_MAX;
    switch (code) {
    case SHARED_BASE:
    case SHARED_LIMIT:
    case PRIVATE_BASE:
    case PRIVATE_LIMIT:
        if (bits != 64)
            break;
        return (code <= SHARED_LIMIT ? w->device->shared_aperture : w->device->private_aperture) +
               (code == SHARED_LIMIT || code == PRIVATE_LIMIT ? limit : 0);
    case VCCZ:
        return pair(w->s + VCC) == 0;
    case EXECZ:
        return exec_mask(w) == 0;
    case SCC:
        return w->scc;
    case LITERAL: // sign or zero, the instruction's type says; here the low half
        return w->literal;
    default:
        return constant(w, code, bits);
    }
    w->bad_operand = true;
    return 0;
}

uint64_t scalar_read(struct wave *w, unsigned code, unsigned bits)
{
    if (code < SGPRS)
        return bits == 64 ? pair(w->s + code) : w->s[code];
    if (code <= 192)
        return code - 128;
    if (code <= 208) {
        const uint64_t negative = (uint64_t)((int64_t)192 - (int64_t)code);
        return bits == 64 ? negative : (uint32_t)negative;
    }
    return special(w, code, bits);
}
