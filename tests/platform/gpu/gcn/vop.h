// Vector arithmetic: what an instruction is (a row of vop1.def, vop2.def, vop3.def or made by
// vopc.c), its operands gathered for all lanes, and its results. Rows are numbered as VOP3 numbers
// them: VOPC from 0, VOP2 from 0x100, VOP1 from 0x140.
#pragma once

#include "number.h"
#include "wave.h"

enum { VOP2_FIRST = 0x100, VOP1_FIRST = 0x140, VOP_ROWS = 0x400 };

// What a source or destination holds. The F kinds take modifiers (absolute, negative, clamp, output
// times).
enum vop_kind { NONE, I16, F16, I32, F32, I64, F64 };

enum vop_flag {
    ADDS_D = 1,           // the destination is source c
    CARRY_IN = 2,         // takes a bit of each lane: VCC, or source c as a scalar
    CARRY_OUT = 4,        // gives a bit for each lane: VCC, or the scalar destination of VOP3b
    SCALAR_C = 8,         // with CARRY_IN: source c is no operand of the arithmetic
    RAW = 16,             // does everything itself
    KEEPS_HIGH = 32,      // 16 bits, the other half stays as it is
    ONLY_90A = 64,        // exists on gfx90a only
    ONLY_942 = 128,       // exists on gfx942 only
    CONSTANT_B = 256,     // the literal is source b, source b is c (v_madmk)
    CONSTANT_C = 512,     // the literal is source c (v_madak)
    COMPARES = 1024,      // CARRY_OUT is the result; VOP3 names it where vectors are named
    SETS_EXEC = 2048,     // v_cmpx
    WITH_SCALAR_D = 4096, // VOP3b without a carry in (v_mad_u64_u32, v_div_scale)
};

struct vop;
struct vop_row {
    const char *name;
    void (*run)(struct vop *o);
    uint8_t d, a, b, c; // enum vop_kind
    uint16_t flags;
};

struct vop {
    struct wave *w;
    const struct vop_row *row;
    uint64_t exec;
    uint64_t a[GCN_LANES], b[GCN_LANES], c[GCN_LANES], d[GCN_LANES];
    uint64_t carry_in, mask;   // bits of lanes
    unsigned vdst, sources[3]; // as encoded, for RAW
    unsigned op;               // VOP3 number, for comparisons
};

// Operand modifiers of an encoding.
struct vop_modifiers {
    unsigned negate, absolute; // bit for each source
    unsigned op_sel;           // bit for each source, bit 3 destination: upper 16 bits
    unsigned output;           // 1: times 2, 2: times 4, 3: half
    bool clamp;
};

struct vop_where {
    unsigned d, sources[3];
    unsigned scalar_d, carry_in; // scalar registers
    struct vop_modifiers modifiers;
};

const struct vop_row *vop_row(const struct wave *w, unsigned op);
enum gcn_status vop_execute(struct wave *w, const struct vop_row *row, unsigned op,
                            const struct vop_where *where);

// SDWA and DPP: the second word says which part, or which lane, each source is.
enum gcn_status run_sdwa(struct wave *w, const struct vop_row *row, unsigned op,
                         const struct vop_where *where, uint32_t word);
enum gcn_status run_dpp(struct wave *w, const struct vop_row *row, unsigned op,
                        const struct vop_where *where, uint32_t word);

// The steps of vop_execute().
void vop_gather(struct vop *o, uint64_t *into, unsigned kind, unsigned code, unsigned index_bit);
void vop_modify(uint64_t *values, unsigned kind, bool absolute, bool negate);
void vop_finish(struct vop *o, const struct vop_where *where);
void vop_prepare(struct vop *o, struct wave *w, const struct vop_row *row, unsigned op,
                 const struct vop_where *where);

void vop_compare(struct vop *o); // VOPC, by o->op

static inline unsigned kind_bits(unsigned kind)
{
    return kind <= F16 ? 16 : kind <= F32 ? 32 : 64;
}
