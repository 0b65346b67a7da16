// Scalar arithmetic: SOP2, SOP1, SOPC, SOPK. The instructions are rows of sop2.def and sop1.def.
#include "number.h"
#include "wave.h"

static uint64_t field_u(uint64_t x, uint64_t offset, uint64_t width)
{
    return width >= 64 ? x >> offset : x >> offset & ((1ull << width) - 1);
}

static int64_t field_i(uint64_t x, uint64_t offset, uint64_t width, uint64_t bits)
{
    if (width == 0)
        return 0;
    if (offset + width >= bits)
        return (int64_t)x >> offset;
    return (int64_t)(x << (64 - offset - width)) >> (64 - width);
}

struct scalar_row {
    uint8_t d, a, b; // widths in bits; 0: none
    bool known;
    uint64_t (*run)(struct wave *w, uint64_t a, uint64_t b, uint64_t d);
};

#define OP(number, name, wd, wa, wb, ...)                                                          \
    static uint64_t s_##name(struct wave *w, uint64_t a, uint64_t b, uint64_t d)                   \
    {                                                                                              \
        uint64_t scc = w->scc;                                                                     \
        (void)a, (void)b;                                                                          \
        __VA_ARGS__;                                                                               \
        w->scc = scc;                                                                              \
        return d;                                                                                  \
    }
#include "sop2.def"
#undef OP
#define OP(number, name, wd, wa, wb, ...) [number] = {wd, wa, wb, true, s_##name},
static const struct scalar_row SOP2[128] = {
#include "sop2.def"
};
#undef OP

#define OP(number, name, wd, wa, ...)                                                              \
    static uint64_t s_##name(struct wave *w, uint64_t a, uint64_t b, uint64_t d)                   \
    {                                                                                              \
        uint64_t scc = w->scc, exec = exec_mask(w);                                                \
        const uint64_t before = exec;                                                              \
        (void)a, (void)b;                                                                          \
        __VA_ARGS__;                                                                               \
        if (exec != before)                                                                        \
            set_pair(w->s + EXEC, exec);                                                           \
        w->scc = scc;                                                                              \
        return d;                                                                                  \
    }
#include "sop1.def"
#undef OP
#define OP(number, name, wd, wa, ...) [number] = {wd, wa, 0, true, s_##name},
static const struct scalar_row SOP1[256] = {
#include "sop1.def"
};
#undef OP

static enum gcn_status run_row(struct wave *w, const struct scalar_row *row, unsigned d, unsigned a,
                               unsigned b)
{
    if (!row->known)
        return GCN_ILLEGAL;
    const uint64_t x = row->a ? scalar_read(w, a, row->a) : 0;
    const uint64_t y = row->b ? scalar_read(w, b, row->b) : 0;
    if (w->bad_operand)
        return GCN_ILLEGAL;
    const uint64_t before = row->d == 64 ? pair(w->s + d) : w->s[d];
    const uint64_t result = row->run(w, x, y, before);
    if (row->d == 64)
        set_pair(w->s + d, result);
    else if (row->d == 32)
        w->s[d] = (uint32_t)result;
    return GCN_OK;
}

enum gcn_status run_sop2(struct wave *w, uint32_t i)
{
    return run_row(w, &SOP2[i >> 23 & 127], i >> 16 & 127, i & 255, i >> 8 & 255);
}

enum gcn_status run_sop1(struct wave *w, uint32_t i)
{
    return run_row(w, &SOP1[i >> 8 & 255], i >> 16 & 127, i & 255, 0);
}

enum { EQ, NE, GT, GE, LT, LE }; // in the order of SOPC's and SOPK's numbers

static bool compare(unsigned how, int64_t a, int64_t b)
{
    switch (how) {
    case EQ:
        return a == b;
    case NE:
        return a != b;
    case GT:
        return a > b;
    case GE:
        return a >= b;
    case LT:
        return a < b;
    default:
        return a <= b;
    }
}

enum gcn_status run_sopc(struct wave *w, uint32_t i)
{
    const unsigned op = i >> 16 & 127, a = i & 255, b = i >> 8 & 255;
    if (op == 17) { // s_set_gpr_idx_on: the mode is in the instruction
        w->index_mode = b & 15;
        w->s[M0] =
            (uint32_t)((w->s[M0] & ~0xf0ffu) | (scalar_read(w, a, 32) & 0xff) | (b & 15) << 12);
        return w->bad_operand ? GCN_ILLEGAL : GCN_OK;
    }
    const unsigned bits = op == 14 || op == 15 || op == 18 || op == 19 ? 64 : 32;
    const uint64_t x = scalar_read(w, a, bits), y = scalar_read(w, b, op >= 18 ? 64 : 32);
    if (w->bad_operand)
        return GCN_ILLEGAL;
    if (op < 6)
        w->scc = compare(op, (int32_t)x, (int32_t)y);
    else if (op < 12)
        w->scc = compare(op - 6, (int64_t)x, (int64_t)y);
    else if (op < 16)
        w->scc = (x >> (y & (bits - 1)) & 1) == (op & 1);
    else if (op == 18 || op == 19)
        w->scc = (x == y) == (op == 18);
    else
        return GCN_ILLEGAL;
    return GCN_OK;
}

enum gcn_status run_sopk(struct wave *w, uint32_t i)
{
    const unsigned op = i >> 23 & 31, d = i >> 16 & 127;
    const int32_t k = (int16_t)i;
    if (op == 0 || (op == 1 && w->scc))
        w->s[d] = (uint32_t)k;
    else if (op >= 2 && op <= 7)
        w->scc = compare(op - 2, (int32_t)w->s[d], k);
    else if (op >= 8 && op <= 13)
        w->scc = compare(op - 8, w->s[d], (uint16_t)i);
    else if (op == 14) {
        const int64_t sum = (int64_t)(int32_t)w->s[d] + k;
        w->scc = sum != (int32_t)sum;
        w->s[d] = (uint32_t)sum;
    } else if (op == 15)
        w->s[d] *= (uint32_t)k;
    else if (op == 21) { // s_call_b64
        set_pair(w->s + d, w->pc);
        w->pc += (uint64_t)((int64_t)k * 4);
    } else if (op != 1)
        return GCN_ILLEGAL;
    return GCN_OK;
}
