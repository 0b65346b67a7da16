// How vector instructions run: VOP1, VOP2, VOPC and VOP3 name the operands, this gathers them, runs
// the row's function and puts the results back.
#include "vop.h"

void vop_gather(struct vop *o, uint64_t *into, unsigned kind, unsigned code, unsigned index_bit)
{
    struct wave *w = o->w;
    const unsigned bits = kind_bits(kind);
    if (code < FIRST_VGPR) {
        uint64_t value = scalar_read(w, code, bits);
        if (code == LITERAL && kind == F64) // a literal is the upper half of a double
            value <<= 32;
        else if (code == LITERAL && kind == I64)
            value = (uint64_t)(int64_t)(int32_t)value;
        for (unsigned l = 0; l < GCN_LANES; l++)
            into[l] = value;
        return;
    }
    unsigned r = code - FIRST_VGPR;
    if (w->index_mode & index_bit)
        r += w->s[M0] & 0xff;
    if (r + 1 >= VGPRS + (bits < 64)) {
        w->bad_operand = true;
        r = 0;
    }
    const uint32_t *low = w->v[r], *high = w->v[r + 1];
    if (bits == 64)
        for (unsigned l = 0; l < GCN_LANES; l++)
            into[l] = low[l] | (uint64_t)high[l] << 32;
    else
        for (unsigned l = 0; l < GCN_LANES; l++)
            into[l] = low[l];
}

void vop_modify(uint64_t *values, unsigned kind, bool absolute, bool negate)
{
    const uint64_t sign = 1ull << (kind_bits(kind) - 1);
    for (unsigned l = 0; l < GCN_LANES; l++) {
        if (absolute)
            values[l] &= ~sign;
        if (negate)
            values[l] ^= sign;
    }
}

static bool is_float(unsigned kind)
{
    return kind == F16 || kind == F32 || kind == F64;
}

static double clamp01(double x)
{
    return isnan(x) ? 0 : fmin(fmax(x, 0), 1);
}

// Output modifiers of floating-point results: times 2, times 4, half; then into [0, 1].
static void modify_output(struct vop *o, const struct vop_modifiers *m)
{
    static const double factors[] = {1, 2, 4, 0.5};
    const unsigned kind = o->row->d;
    for (unsigned l = 0; l < GCN_LANES; l++) {
        double x = kind == F16 ? f16(o->d[l]) : kind == F32 ? f32(o->d[l]) : f64(o->d[l]);
        x *= factors[m->output];
        if (m->clamp)
            x = clamp01(x);
        o->d[l] = kind == F16 ? b16(x) : kind == F32 ? b32((float)x) : b64(x);
    }
}

static void scatter(struct vop *o, const struct vop_where *where)
{
    struct wave *w = o->w;
    unsigned r = where->d;
    if (w->index_mode & INDEX_DST)
        r += w->s[M0] & 0xff;
    if (r + 1 >= VGPRS + (kind_bits(o->row->d) < 64)) {
        w->bad_operand = true;
        return;
    }
    const unsigned bits = kind_bits(o->row->d);
    const bool high = bits == 16 && where->modifiers.op_sel & 8;
    const bool keep = high || (bits == 16 && o->row->flags & KEEPS_HIGH);
    for (unsigned l = 0; l < GCN_LANES; l++) {
        if (!(o->exec >> l & 1))
            continue;
        uint32_t value = (uint32_t)o->d[l];
        if (bits == 16 && keep)
            value = high ? (w->v[r][l] & 0xffff) | value << 16
                         : (w->v[r][l] & ~0xffffu) | (value & 0xffff);
        w->v[r][l] = value;
        if (bits == 64)
            w->v[r + 1][l] = (uint32_t)(o->d[l] >> 32);
    }
}

void vop_prepare(struct vop *o, struct wave *w, const struct vop_row *row, unsigned op,
                 const struct vop_where *where)
{
    o->w = w;
    o->row = row;
    o->op = op;
    o->exec = exec_mask(w);
    o->vdst = where->d;
    for (int k = 0; k < 3; k++)
        o->sources[k] = where->sources[k];
    o->carry_in = row->flags & CARRY_IN ? pair(w->s + where->carry_in) : 0;
    o->mask = 0;
}

void vop_finish(struct vop *o, const struct vop_where *where)
{
    struct wave *w = o->w;
    const struct vop_modifiers *m = &where->modifiers;
    if ((m->clamp || m->output) && o->row->d != NONE) {
        if (!is_float(o->row->d)) {
            w->bad_operand = true; // saturating integers: not emulated
            return;
        }
        modify_output(o, m);
    }
    if (o->row->d != NONE)
        scatter(o, where);
    if (o->row->flags & CARRY_OUT)
        set_pair(w->s + where->scalar_d, o->mask);
    if (o->row->flags & SETS_EXEC)
        set_pair(w->s + EXEC, o->mask);
}

static void gather_source(struct vop *o, const struct vop_where *where, int k, uint64_t *into,
                          unsigned kind)
{
    const struct vop_modifiers *m = &where->modifiers;
    vop_gather(o, into, kind, where->sources[k], 1u << k);
    if (kind_bits(kind) == 16 && m->op_sel >> k & 1)
        for (unsigned l = 0; l < GCN_LANES; l++)
            into[l] >>= 16;
    if ((m->negate | m->absolute) >> k & 1) {
        if (!is_float(kind))
            o->w->bad_operand = true;
        vop_modify(into, kind, m->absolute >> k & 1, m->negate >> k & 1);
    }
}

enum gcn_status vop_execute(struct wave *w, const struct vop_row *row, unsigned op,
                            const struct vop_where *where)
{
    if (!row)
        return GCN_ILLEGAL;
    struct vop o;
    vop_prepare(&o, w, row, op, where);
    if (row->flags & RAW) {
        row->run(&o);
        return GCN_OK;
    }
    if (row->a != NONE)
        gather_source(&o, where, 0, o.a, row->a);
    if (row->b != NONE)
        gather_source(&o, where, 1, o.b, row->b);
    if (row->c != NONE)
        gather_source(&o, where, 2, o.c, row->c);
    if (w->bad_operand)
        return GCN_ILLEGAL;
    row->run(&o);
    vop_finish(&o, where);
    return GCN_OK;
}

// Runs a one-word instruction, or hands it to SDWA or DPP where its first source says so.
static enum gcn_status run_short(struct wave *w, unsigned op, struct vop_where *where,
                                 uint32_t word)
{
    const struct vop_row *row = vop_row(w, op);
    if (!row)
        return GCN_ILLEGAL;
    if (row->flags & ADDS_D)
        where->sources[2] = FIRST_VGPR + where->d;
    if (row->flags & CONSTANT_B) {
        where->sources[2] = where->sources[1];
        where->sources[1] = LITERAL;
    }
    if (row->flags & CONSTANT_C)
        where->sources[2] = LITERAL;
    if (where->sources[0] == 249)
        return run_sdwa(w, row, op, where, word);
    if (where->sources[0] == 250)
        return run_dpp(w, row, op, where, word);
    return vop_execute(w, row, op, where);
}

enum gcn_status run_vop1(struct wave *w, uint32_t i0, uint32_t i1)
{
    struct vop_where where = {
        .d = i0 >> 17 & 255, .sources = {i0 & 511}, .scalar_d = VCC, .carry_in = VCC};
    return run_short(w, VOP1_FIRST + (i0 >> 9 & 255), &where, i1);
}

enum gcn_status run_vop2(struct wave *w, uint32_t i0, uint32_t i1)
{
    struct vop_where where = {.d = i0 >> 17 & 255,
                              .sources = {i0 & 511, FIRST_VGPR + (i0 >> 9 & 255)},
                              .scalar_d = VCC,
                              .carry_in = VCC};
    return run_short(w, VOP2_FIRST + (i0 >> 25 & 63), &where, i1);
}

enum gcn_status run_vopc(struct wave *w, uint32_t i0, uint32_t i1)
{
    struct vop_where where = {.sources = {i0 & 511, FIRST_VGPR + (i0 >> 9 & 255)}, .scalar_d = VCC};
    return run_short(w, i0 >> 17 & 255, &where, i1);
}

enum gcn_status run_vop3(struct wave *w, uint32_t i0, uint32_t i1)
{
    const unsigned op = i0 >> 16 & 0x3ff;
    const struct vop_row *row = vop_row(w, op);
    if (!row || row->flags & (CONSTANT_B | CONSTANT_C))
        return GCN_ILLEGAL;
    struct vop_where where = {.d = i0 & 255,
                              .sources = {i1 & 511, i1 >> 9 & 511, i1 >> 18 & 511},
                              .scalar_d = VCC,
                              .carry_in = VCC};
    struct vop_modifiers *m = &where.modifiers;
    m->negate = i1 >> 29 & 7;
    m->output = i1 >> 27 & 3;
    m->clamp = i0 >> 15 & 1;
    if (row->flags & COMPARES) {
        where.scalar_d = i0 & 127;
        m->clamp = false; // raises exceptions there; results are the same
    }
    if (row->flags & CARRY_OUT && !(row->flags & COMPARES))
        where.scalar_d = i0 >> 8 & 127;
    else {
        m->absolute = i0 >> 8 & 7;
        m->op_sel = i0 >> 11 & 15;
    }
    if (row->flags & SCALAR_C)
        where.carry_in = i1 >> 18 & 127;
    if (row->flags & ADDS_D)
        where.sources[2] = FIRST_VGPR + where.d;
    return vop_execute(w, row, op, &where);
}
