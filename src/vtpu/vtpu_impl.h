/* What the files of vtpu share among themselves. */
#pragma once

#include "vtpu/compile.h"
#include "vtpu/state.h"
#include "vtpu/word.h"

/* Parts of the ops of pipe D. */
static inline uint64_t vtpu_rotate(uint64_t v, unsigned k)
{
    return v << (k & 63) | v >> (-k & 63);
}

static inline uint64_t vtpu_compare(uint64_t a, uint64_t b)
{
    int64_t x = (int64_t)a, y = (int64_t)b;
    return (uint64_t)((x > y) - (x < y));
}

/* Computes the value of an op of pipe D from the registers r. If code is a constant, the compiler
 * reduces it to that op. */
static inline uint64_t vtpu_d_value(enum vtpu_code code, const struct vtpu_op *op,
                                    const uint64_t *r, int64_t imm)
{
    uint64_t a = r[op->a];
    switch ((int)code) {
    case VTPU_DADD:
    case VTPU_DHDBUND:
        return a + r[op->b];
    case VTPU_DSUB:
        return a - r[op->b];
    case VTPU_DMUL:
        return a * r[op->b];
    case VTPU_DFMA:
        return a * r[op->b] + r[op->c];
    case VTPU_DCMP:
        return vtpu_compare(a, r[op->b]);
    case VTPU_DSEL:
        return r[op->c] ? a : r[op->b];
    case VTPU_DMOV:
        return (uint64_t)imm;
    case VTPU_DHDENC:
    case VTPU_DHDPERM:
        return vtpu_rotate(a, op->b);
    case VTPU_DHDBIND:
        return a ^ r[op->b];
    case VTPU_DHDSIM:
        return 64 - (uint64_t)__builtin_popcountll(a ^ r[op->b]);
    case VTPU_DTERNARY:
        return a * (uint64_t)(int64_t)vtpu_trit_sum(r[op->b]);
    case VTPU_DTPOP:
        return (uint64_t)vtpu_trit_count(a);
    case VTPU_DTACC:
        return r[op->rd] + a;
    default: /* DRED */
        return a;
    }
}

/* Coordinates: their 128 bits, their place in Morton order. */
struct coord_bits {
    uint64_t low, high;
};

/* 11 times 11 bits and 7 flags fill 128 bits exactly: dimension k begins at bit 11 k, flags at bit
 * 121. (The original wrote dimension 5 into the 9 bits left in the lower half, and lost values from
 * 512.) */
struct coord_bits coord_pack(const struct coord *c);
/* The place of (x, y, z), 7 bits each, in Morton order: bits x0 y0 z0 x1 y1 z1 ... from the lowest.
 */
uint32_t morton3(unsigned x, unsigned y, unsigned z);

/* For the compiler: what its common part and the instruction sets share. */
enum { IN_MEMORY = -1 };

struct emitter {
    uint8_t *bytes;
    size_t n, size;
    int home[VTPU_R];       /* the host's register; IN_MEMORY: in the state */
    int cell_home[VTPU_P];  /* the same for the addresses of cells */
    bool vector;            /* general registers of the vTPU live in vector registers */
    bool vector_multiplies; /* vector registers are multiplied without a copy */
    uint8_t held[3];        /* x86-64: 1 + vTPU's register that a scratch one holds; 0: none */
    size_t stub;            /* offset of the code that calls vtpu_emit_call */
};

struct emit_target {
    const char *name;
    bool vector, vector_multiplies;
    const uint8_t *homes, *cell_homes; /* registers that may be homes */
    size_t nhomes, ncell_homes;
    /* Code that keeps all homes in the state, calls vtpu_emit_call, and loads the homes again. */
    void (*stub)(struct emitter *e);
    void (*enter)(struct emitter *e);
    void (*op)(struct emitter *e, const struct vtpu_op *op, int64_t imm);
    /* Begins a loop of `count` passes over the code that is emitted until loop_end. */
    size_t (*loop_begin)(struct emitter *e, size_t count);
    void (*loop_end)(struct emitter *e, size_t begin);
    /* Goes back to `begin` until all times are done; then returns. */
    void (*leave)(struct emitter *e, size_t begin);
};

extern const struct emit_target emit_x86, emit_x86_no_vpmullq, emit_x86_avx512, emit_arm64;

void emit_byte(struct emitter *e, unsigned byte);
void emit_bytes(struct emitter *e, const void *bytes, size_t n);
void emit_u32(struct emitter *e, uint32_t v); /* little-endian, as all these instruction sets are */
void emit_u64(struct emitter *e, uint64_t v);

/* Executes an op that is not compiled: SINDEX and the ops that count bits. op: the bytes of a
 * struct vtpu_op. */
void vtpu_emit_call(struct vtpu_state *s, uint64_t op);
bool vtpu_op_is_called(const struct vtpu_op *op);

/* Offsets of the members of the state. */
#define AT_R(k)     ((int32_t)(offsetof(struct vtpu_state, r) + 8 * (size_t)(k)))
#define AT_M(k)     ((int32_t)(offsetof(struct vtpu_state, m) + 32 * (size_t)(k)))
#define AT_CELL(k)  ((int32_t)(offsetof(struct vtpu_state, cell) + 8 * (size_t)(k)))
#define AT_INBOX    ((int32_t)offsetof(struct vtpu_state, inbox))
#define AT_DEPTH    ((int32_t)offsetof(struct vtpu_state, depth))
#define AT_BARRIERS ((int32_t)offsetof(struct vtpu_state, barriers))
#define AT_FENCES   ((int32_t)offsetof(struct vtpu_state, fences))
