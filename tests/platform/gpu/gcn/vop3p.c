// Packed arithmetic: two halves in a register (vop3p.def), two floats in a pair; and moves of
// accumulation registers. Each half of the result chooses its half of each source: op_sel for the
// low one, op_sel_hi for the high one.
#include "vop.h"

struct packed { // a VOP3P encoding
    unsigned d, sources[3];
    unsigned low, high; // which half each half of the result takes, a bit for each source
    unsigned negate_low, negate_high;
    bool clamp;
};

static struct packed decode(uint32_t i0, uint32_t i1)
{
    return (struct packed){
        .d = i0 & 255,
        .sources = {i1 & 511, i1 >> 9 & 511, i1 >> 18 & 511},
        .low = i0 >> 11 & 7,
        .high = (i1 >> 27 & 3) | (i0 >> 14 & 1) << 2,
        .negate_low = i1 >> 29 & 7,
        .negate_high = i0 >> 8 & 7,
        .clamp = i0 >> 15 & 1,
    };
}

struct half_row {
    uint8_t sources;
    bool is_float;
    uint32_t (*run)(uint32_t a, uint32_t b, uint32_t c);
};
#define OP(number, name, sources, is_float, ...)                                                   \
    static uint32_t pk_##name(uint32_t a, uint32_t b, uint32_t c)                                  \
    {                                                                                              \
        (void)a, (void)c;                                                                          \
        return (__VA_ARGS__);                                                                      \
    }
#include "vop3p.def"
#undef OP
#define OP(number, name, sources, is_float, ...) [number] = {sources, is_float, pk_##name},
static const struct half_row HALVES[19] = {
#include "vop3p.def"
};
#undef OP

// A source of one lane as a dword; constants of floats are halves in the low part.
static uint32_t dword(struct wave *w, unsigned code, unsigned lane, unsigned bits)
{
    if (code >= FIRST_VGPR)
        return w->v[code - FIRST_VGPR][lane];
    return (uint32_t)scalar_read(w, code, bits);
}

static enum gcn_status run_halves(struct wave *w, const struct half_row *row,
                                  const struct packed *p)
{
    if (p->clamp)
        return GCN_ILLEGAL;
    const uint64_t exec = exec_mask(w);
    for (unsigned l = 0; l < GCN_LANES; l++) {
        if (!(exec >> l & 1))
            continue;
        uint32_t lo[3] = {0}, hi[3] = {0};
        for (unsigned k = 0; k < row->sources; k++) {
            const uint32_t x =
                dword(w, p->sources[k], l, row->is_float && p->sources[k] >= 240 ? 16 : 32);
            lo[k] = (p->low >> k & 1 ? x >> 16 : x) & 0xffff;
            hi[k] = (p->high >> k & 1 ? x >> 16 : x) & 0xffff;
            if (p->negate_low >> k & 1)
                lo[k] ^= 0x8000;
            if (p->negate_high >> k & 1)
                hi[k] ^= 0x8000;
        }
        if (w->bad_operand)
            return GCN_ILLEGAL;
        w->v[p->d][l] = row->run(lo[0], lo[1], lo[2]) | row->run(hi[0], hi[1], hi[2]) << 16;
    }
    return GCN_OK;
}

// One float of a pair of registers. A constant has no upper one: asking for it is not emulated.
static float single(struct wave *w, unsigned code, unsigned upper, unsigned lane)
{
    if (code >= FIRST_VGPR)
        return f32(w->v[code - FIRST_VGPR + upper][lane]);
    if (code < SGPRS)
        return f32(w->s[code + upper]);
    if (upper)
        w->bad_operand = true;
    return f32(scalar_read(w, code, 32));
}

enum { PK_FMA_F32 = 48, PK_MUL_F32, PK_ADD_F32, PK_MOV_B32 };

static float compute(unsigned op, const float *x)
{
    if (op == PK_FMA_F32)
        return fmaf(x[0], x[1], x[2]);
    return op == PK_MUL_F32 ? x[0] * x[1] : x[0] + x[1];
}

static enum gcn_status run_floats(struct wave *w, unsigned op, const struct packed *p)
{
    const uint64_t exec = exec_mask(w);
    const unsigned count = op == PK_FMA_F32 ? 3 : 2;
    if (p->clamp)
        return GCN_ILLEGAL;
    for (unsigned l = 0; l < GCN_LANES; l++) {
        if (!(exec >> l & 1))
            continue;
        float lo[3], hi[3];
        for (unsigned k = 0; k < count; k++) {
            lo[k] = single(w, p->sources[k], p->low >> k & 1, l);
            hi[k] = single(w, p->sources[k], p->high >> k & 1, l);
            if (p->negate_low >> k & 1)
                lo[k] = -lo[k];
            if (p->negate_high >> k & 1)
                hi[k] = -hi[k];
        }
        if (w->bad_operand)
            return GCN_ILLEGAL;
        w->v[p->d][l] = (uint32_t)b32(compute(op, lo));
        w->v[p->d + 1][l] = (uint32_t)b32(compute(op, hi));
    }
    return GCN_OK;
}

// The low result from source 0, the high one from source 1.
static enum gcn_status run_move(struct wave *w, const struct packed *p)
{
    const uint64_t exec = exec_mask(w);
    for (unsigned l = 0; l < GCN_LANES; l++) {
        if (!(exec >> l & 1))
            continue;
        const float lo = single(w, p->sources[0], p->low & 1, l);
        const float hi = single(w, p->sources[1], p->low >> 1 & 1, l);
        if (w->bad_operand)
            return GCN_ILLEGAL;
        w->v[p->d][l] = (uint32_t)b32(lo);
        w->v[p->d + 1][l] = (uint32_t)b32(hi);
    }
    return GCN_OK;
}

// v_fma_mix: each source is a float, or (op_sel_hi) the half of it that op_sel names.
static enum gcn_status run_mix(struct wave *w, unsigned op, const struct packed *p)
{
    const uint64_t exec = exec_mask(w);
    if (p->clamp)
        return GCN_ILLEGAL;
    for (unsigned l = 0; l < GCN_LANES; l++) {
        if (!(exec >> l & 1))
            continue;
        float x[3];
        for (unsigned k = 0; k < 3; k++) {
            const bool half = p->high >> k & 1;
            const uint32_t bits = dword(w, p->sources[k], l, half ? 16 : 32);
            x[k] = half ? (float)f16(p->low >> k & 1 ? bits >> 16 : bits) : f32(bits);
            if (p->negate_high >> k & 1) // the place of "absolute" here
                x[k] = fabsf(x[k]);
            if (p->negate_low >> k & 1)
                x[k] = -x[k];
        }
        if (w->bad_operand)
            return GCN_ILLEGAL;
        const float value = fmaf(x[0], x[1], x[2]);
        uint32_t *d = &w->v[p->d][l];
        if (op == 32)
            *d = (uint32_t)b32(value);
        else if (op == 33)
            *d = (*d & ~0xffffu) | (uint32_t)b16(value);
        else
            *d = (*d & 0xffff) | (uint32_t)b16(value) << 16;
    }
    return GCN_OK;
}

// v_accvgpr_read_b32 and v_accvgpr_write_b32
static enum gcn_status run_accumulator(struct wave *w, unsigned op, const struct packed *p)
{
    const uint64_t exec = exec_mask(w);
    const bool write = op == 89;
    for (unsigned l = 0; l < GCN_LANES; l++) {
        if (!(exec >> l & 1))
            continue;
        if (write)
            w->v[VGPRS + p->d][l] = dword(w, p->sources[0], l, 32);
        else
            w->v[p->d][l] = w->v[VGPRS + (p->sources[0] & 255)][l];
    }
    return w->bad_operand ? GCN_ILLEGAL : GCN_OK;
}

enum gcn_status run_vop3p(struct wave *w, uint32_t i0, uint32_t i1)
{
    const unsigned op = i0 >> 16 & 127;
    const struct packed p = decode(i0, i1);
    if (w->index_mode)
        return GCN_ILLEGAL;
    if (op < sizeof HALVES / sizeof HALVES[0])
        return run_halves(w, &HALVES[op], &p);
    switch (op) {
    case 32:
    case 33:
    case 34:
        return run_mix(w, op, &p);
    case PK_FMA_F32:
    case PK_MUL_F32:
    case PK_ADD_F32:
        return run_floats(w, op, &p);
    case PK_MOV_B32:
        return run_move(w, &p);
    case 88:
    case 89:
        return run_accumulator(w, op, &p);
    default:
        return GCN_ILLEGAL;
    }
}
