/*
 * arm64. Encodings: Arm Architecture Reference Manual for A-profile architecture, C6.
 *
 * x19 holds the state; x0 to x4 are scratch, x1 also the argument of the stub. [sp] counts passes,
 * [sp, 8] those of the inner loop. The most used registers of the vTPU live in x5 to x17 and x20 to
 * x28, the others in the state.
 */
#include "vtpu/vtpu_impl.h"

#include <string.h>

enum { STATE = 19, LINK = 30, ZERO = 31, STACK = 31 };
enum { NE = 1, HS = 2, GE = 10, LE = 13 };

/* Instructions with two or three registers: | m << 16 | n << 5 | d. MOV is orr with n: x31, zero;
 * MADD has its addend at bit 10, EXTR its number of bits; CSEL, CSINC and CSINV have a condition at
 * bit 12. */
static const uint32_t ADD = 0x8b000000u, SUB = 0xcb000000u, EOR = 0xca000000u, MOV = 0xaa000000u,
                      MADD = 0x9b000000u, SUBS = 0xeb000000u, CSEL = 0x9a800000u,
                      CSINC = 0x9a800400u, CSINV = 0xda800000u, EXTR = 0x93c00000u;

static void emit_three_registers(struct emitter *e, uint32_t code, int d, int n, int m)
{
    emit_u32(e, code | (uint32_t)m << 16 | (uint32_t)n << 5 | (uint32_t)d);
}

/* An addition or a comparison with a number below 4096. */
static const uint32_t ADD_IMM = 0x91000000u, SUB_IMM = 0xd1000000u, SUBS_IMM = 0xf1000000u;

static void emit_immediate(struct emitter *e, uint32_t code, int d, int n, int32_t v)
{
    emit_u32(e, code | (uint32_t)v << 10 | (uint32_t)n << 5 | (uint32_t)d);
}

static const uint32_t LDR = 0xf9400000u, STR = 0xf9000000u, PRFM = 0xf9800000u;

static void access_at(struct emitter *e, uint32_t code, int reg, int base, int32_t at)
{
    emit_immediate(e, code, reg, base, at / 8);
}

/* [base, index, lsl 3] */
static const uint32_t LDR_INDEX = 0xf8607800u, STR_INDEX = 0xf8207800u;

static void emit_arm64_move(struct emitter *e, int reg, uint64_t v)
{
    emit_u32(e, 0xd2800000u | (uint32_t)(v & 0xffff) << 5 | (uint32_t)reg); /* movz */
    for (uint32_t k = 1; k < 4; k++)
        if (v >> 16 * k & 0xffff) /* movk */
            emit_u32(e,
                     0xf2800000u | k << 21 | (uint32_t)(v >> 16 * k & 0xffff) << 5 | (uint32_t)reg);
}

/* Returns the register's home, or `scratch` after loading it there if it has no home. */
static int read_reg(struct emitter *e, unsigned reg, int scratch)
{
    if (e->home[reg] != IN_MEMORY)
        return e->home[reg];
    access_at(e, LDR, scratch, STATE, AT_R(reg));
    return scratch;
}

static int result_reg(const struct emitter *e, unsigned reg)
{
    return e->home[reg] == IN_MEMORY ? 0 : e->home[reg];
}

static void keep_result(struct emitter *e, unsigned reg)
{
    if (e->home[reg] == IN_MEMORY)
        access_at(e, STR, 0, STATE, AT_R(reg));
}

static void access_all_homes(struct emitter *e, uint32_t code)
{
    for (int k = 0; k < VTPU_R; k++)
        if (e->home[k] != IN_MEMORY)
            access_at(e, code, e->home[k], STATE, AT_R(k));
}

static void emit_arithmetic(struct emitter *e, const struct vtpu_op *op, int to)
{
    int a = read_reg(e, op->a, 0), b = ZERO;
    if (op->code == VTPU_DHDENC || op->code == VTPU_DHDPERM) {
        emit_three_registers(e, EXTR | (uint32_t)(-op->b & 63) << 10, to, a, a);
        return;
    }
    if (op->code == VTPU_DRED) {
        emit_three_registers(e, MOV, to, ZERO, a);
        return;
    }
    b = read_reg(e, op->code == VTPU_DTACC ? op->rd : op->b, 1);
    switch (op->code) {
    case VTPU_DSUB:
        emit_three_registers(e, SUB, to, a, b);
        break;
    case VTPU_DHDBIND:
        emit_three_registers(e, EOR, to, a, b);
        break;
    case VTPU_DMUL:
        emit_three_registers(e, MADD | ZERO << 10, to, a, b);
        break;
    case VTPU_DFMA:
        emit_three_registers(e, MADD | (uint32_t)read_reg(e, op->c, 2) << 10, to, a, b);
        break;
    case VTPU_DCMP:
        emit_three_registers(e, SUBS, ZERO, a, b);
        emit_three_registers(e, CSINC | LE << 12, to, ZERO, ZERO); /* 1 if greater, else 0 */
        emit_three_registers(e, CSINV | GE << 12, to, to, ZERO);   /* -1 if less */
        break;
    case VTPU_DSEL:
        emit_immediate(e, SUBS_IMM, ZERO, read_reg(e, op->c, 2), 0);
        emit_three_registers(e, CSEL | NE << 12, to, a, b);
        break;
    default:
        emit_three_registers(e, ADD, to, a, b);
    }
}

static void emit_arm64_d(struct emitter *e, const struct vtpu_op *op, int64_t imm)
{
    int to = result_reg(e, op->rd);
    if (op->code == VTPU_DNOP)
        return;
    if (op->code == VTPU_DMOV)
        emit_arm64_move(e, to, (uint64_t)imm);
    else
        emit_arithmetic(e, op, to);
    keep_result(e, op->rd);
}

static void emit_arm64_s(struct emitter *e, const struct vtpu_op *op)
{
    int to = result_reg(e, op->rd);
    bool through_cell = strchr(vtpu_ops[op->code].reads, 'p') != NULL;
    if (through_cell)
        access_at(e, LDR, 3, STATE, AT_CELL(op->a));
    switch (op->code) {
    case VTPU_SGATHER:
        access_at(e, LDR, to, 3, 0);
        break;
    case VTPU_SSCATTR:
        access_at(e, STR, read_reg(e, op->b, 0), 3, 0);
        return;
    case VTPU_SPREFCH:
        access_at(e, PRFM, 0, 3, 0);
        return;
    case VTPU_SDEDUP:
        emit_three_registers(e, MOV, to, ZERO, read_reg(e, op->a, 0));
        break;
    case VTPU_SALLOC:
        emit_arm64_move(e, to, (uint64_t)(int64_t)op->offset);
        break;
    default:
        return;
    }
    keep_result(e, op->rd);
}

static void emit_arm64_send(struct emitter *e, const struct vtpu_op *op)
{
    access_at(e, LDR, 0, STATE, AT_DEPTH);
    access_at(e, LDR, 1, STATE, AT_M(op->a));
    emit_immediate(e, ADD_IMM, 2, STATE, AT_INBOX + 8);
    emit_three_registers(e, STR_INDEX, 1, 2, 0);
    emit_immediate(e, SUBS_IMM, ZERO, 0, VTPU_INBOX);
    emit_three_registers(e, CSINC | HS << 12, 0, 0, 0); /* x0 + 1 if x0 < VTPU_INBOX */
    access_at(e, STR, 0, STATE, AT_DEPTH);
}

static void emit_arm64_receive(struct emitter *e, const struct vtpu_op *op)
{
    int to = result_reg(e, op->rd);
    access_at(e, LDR, 1, STATE, AT_DEPTH);
    emit_immediate(e, ADD_IMM, 2, STATE, AT_INBOX);
    emit_three_registers(e, LDR_INDEX, to, 2, 1);
    emit_immediate(e, SUB_IMM, 2, 1, 1);
    emit_immediate(e, SUBS_IMM, ZERO, 1, 0);
    emit_three_registers(e, CSEL | NE << 12, 1, 2, 1); /* x1 - 1, but 0 stays 0 */
    access_at(e, STR, 1, STATE, AT_DEPTH);
    keep_result(e, op->rd);
}

static void emit_arm64_c(struct emitter *e, const struct vtpu_op *op)
{
    int32_t counter = op->code == VTPU_CBAR ? AT_BARRIERS : AT_FENCES;
    switch (op->code) {
    case VTPU_CPACK:
        access_at(e, STR, read_reg(e, op->a, 0), STATE, AT_M(op->rd));
        access_at(e, STR, read_reg(e, op->b, 0), STATE, AT_M(op->rd) + 8);
        break;
    case VTPU_CSEND:
        emit_arm64_send(e, op);
        break;
    case VTPU_CRECV:
        emit_arm64_receive(e, op);
        break;
    case VTPU_CBAR:
    case VTPU_CFENCE:
        access_at(e, LDR, 0, STATE, counter);
        emit_immediate(e, ADD_IMM, 0, 0, 1);
        access_at(e, STR, 0, STATE, counter);
        break;
    case VTPU_CREDUCE:
    case VTPU_CCAST:
    case VTPU_CSLICE:
    case VTPU_CMERGE:
        emit_arm64_move(e, result_reg(e, op->rd), 0);
        keep_result(e, op->rd);
        break;
    }
}

static void emit_op(struct emitter *e, const struct vtpu_op *op, int64_t imm)
{
    if (vtpu_op_is_called(op)) {
        uint64_t bits;
        memcpy(&bits, op, sizeof bits);
        emit_arm64_move(e, 1, bits);
        emit_u32(e, 0x94000000u | ((uint32_t)((int64_t)(e->stub - e->n) / 4) & 0x3ffffff)); /* bl */
        return;
    }
    switch (vtpu_ops[op->code].pipe) {
    case VTPU_PIPE_D:
        emit_arm64_d(e, op, imm);
        break;
    case VTPU_PIPE_S:
        emit_arm64_s(e, op);
        break;
    default:
        emit_arm64_c(e, op);
    }
}

static void stub(struct emitter *e)
{
    access_all_homes(e, STR);
    access_at(e, STR, LINK, STACK, 16);
    emit_three_registers(e, MOV, 0, ZERO, STATE);
    emit_arm64_move(e, 2, (uint64_t)(uintptr_t)vtpu_emit_call);
    emit_u32(e, 0xd63f0040u); /* blr x2 */
    access_at(e, LDR, LINK, STACK, 16);
    access_all_homes(e, LDR);
    emit_u32(e, 0xd65f03c0u); /* ret */
}

/* The frame: three words for this function, above them the registers that it must restore. */
enum { FRAME = 128, KEPT_AT = 32 };

static void kept_registers(struct emitter *e, uint32_t code)
{
    for (int reg = 19; reg <= LINK; reg++)
        access_at(e, code, reg, STACK, KEPT_AT + 8 * (reg - 19));
}

static void enter(struct emitter *e)
{
    emit_immediate(e, SUB_IMM, STACK, STACK, FRAME);
    kept_registers(e, STR);
    access_at(e, STR, 1, STACK, 0);
    emit_three_registers(e, MOV, STATE, ZERO, 0);
    access_all_homes(e, LDR);
}

static void emit_arm64_count_down(struct emitter *e, int32_t at, size_t begin)
{
    access_at(e, LDR, 0, STACK, at);
    emit_immediate(e, SUB_IMM, 0, 0, 1);
    access_at(e, STR, 0, STACK, at);
    emit_u32(e, 0xb4000040u); /* cbz x0: skips the next; a cbnz does not reach far enough */
    emit_u32(e, 0x14000000u | ((uint32_t)((int64_t)(begin - e->n) / 4) & 0x3ffffff)); /* b */
}

static size_t loop_begin(struct emitter *e, size_t count)
{
    emit_arm64_move(e, 0, count);
    access_at(e, STR, 0, STACK, 8);
    return e->n;
}

static void loop_end(struct emitter *e, size_t begin)
{
    emit_arm64_count_down(e, 8, begin);
}

static void leave(struct emitter *e, size_t begin)
{
    emit_arm64_count_down(e, 0, begin);
    access_all_homes(e, STR);
    kept_registers(e, LDR);
    emit_immediate(e, ADD_IMM, STACK, STACK, FRAME);
    emit_u32(e, 0xd65f03c0u); /* ret */
}

static const uint8_t homes[] = {5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                16, 17, 20, 21, 22, 23, 24, 25, 26, 27, 28};

const struct emit_target emit_arm64 = {.name = "arm64",
                                       .homes = homes,
                                       .nhomes = sizeof homes,
                                       .stub = stub,
                                       .enter = enter,
                                       .op = emit_op,
                                       .loop_begin = loop_begin,
                                       .loop_end = loop_end,
                                       .leave = leave};
