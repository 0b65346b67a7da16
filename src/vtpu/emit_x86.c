/*
 * x86-64. Encodings: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2.
 *
 * rbx holds the state; rax, rcx, with AVX-512 also rdx and the vectors 30 and 31, are scratch; rax
 * is the argument of the stub. [rsp] counts passes, [rsp+8] those of the inner loop. A register of
 * the vTPU lives in a general register, in a vector register (with AVX-512), or in the state; a
 * target's table of homes decides which. The address of a cell lives in a general register or in
 * the state.
 */
#include "vtpu/vtpu_impl.h"

#include <string.h>

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };
/* Homes from VECTOR on are vector registers; encodings use the lower 5 bits. */
enum { VECTOR = 32, V30 = 30, V31 };

/* Opcodes with 64-bit operands; with 0x0f00 they have two bytes. */
enum {
    MOV = 0x8b,
    MOV_STORE = 0x89,
    ADD = 0x03,
    SUB = 0x2b,
    XOR = 0x33,
    CMP = 0x3b,
    TEST = 0x85,
    IMUL = 0x0faf,
};

/* --- scratch registers that still hold a register of the vTPU: a copy costs less than a load */

static void forget_all(struct emitter *e)
{
    memset(e->held, 0, sizeof e->held);
}

/* Forgets which scratch register holds the old value of this register. */
static void forget_register(struct emitter *e, unsigned reg)
{
    for (int i = RAX; i <= RDX; i++)
        if (e->held[i] == reg + 1)
            e->held[i] = 0;
}

/* Returns the scratch register that holds reg, or -1. */
static int find_holder(const struct emitter *e, unsigned reg)
{
    for (int i = RAX; i <= RDX; i++)
        if (e->held[i] == reg + 1)
            return i;
    return -1;
}

/* A scratch register other than `taken`, if possible one that holds no operand of the op. */
static int free_scratch(const struct emitter *e, const struct vtpu_op *op, int taken)
{
    for (int i = RAX; i <= RDX; i++)
        if (i != taken && e->held[i] != op->a + 1 && e->held[i] != op->b + 1 &&
            e->held[i] != op->c + 1)
            return i;
    return taken == RAX ? RCX : RAX;
}

/* --- instructions */

static void emit_opcode(struct emitter *e, unsigned code, int reg, int rm)
{
    if (reg <= RDX && code != MOV_STORE)
        e->held[reg] = 0;
    emit_byte(e, 0x48u | (unsigned)(reg & 8) >> 1 | (unsigned)(rm & 8) >> 3); /* REX.W, R, B */
    if (code > 0xff)
        emit_byte(e, code >> 8);
    emit_byte(e, code & 0xff);
}

static void emit_modrm(struct emitter *e, unsigned mod, int reg, int rm)
{
    emit_byte(e, mod << 6 | (unsigned)(reg & 7) << 3 | (unsigned)(rm & 7));
}

static void op_reg(struct emitter *e, unsigned code, int reg, int rm)
{
    emit_opcode(e, code, reg, rm);
    emit_modrm(e, 3, reg, rm);
}

/* Emits an instruction whose other operand is a member of the state. */
static void op_state(struct emitter *e, unsigned code, int reg, int32_t at)
{
    emit_opcode(e, code, reg, RBX);
    emit_modrm(e, 2, reg, RBX);
    emit_u32(e, (uint32_t)at);
}

/* Emits an instruction whose other operand is memory at a register (not rsp or r12). */
static void op_at(struct emitter *e, unsigned code, int reg, int base)
{
    emit_opcode(e, code, reg, base);
    emit_modrm(e, 1, reg, base);
    emit_byte(e, 0);
}

static void emit_x86_move(struct emitter *e, int reg, uint64_t v)
{
    if (reg <= RDX)
        e->held[reg] = 0;
    emit_byte(e, 0x48u | (reg & 8 ? 1 : 0));
    emit_byte(e, 0xb8u | (unsigned)(reg & 7));
    emit_u64(e, v);
}

/* EVEX instructions with W = 1 and vectors of 128 bits. */
enum evex_form { F66_0F = 0x101, F66_0F38 = 0x201, FF3_0F = 0x102 }; /* map, prefix */

static void emit_evex(struct emitter *e, enum evex_form form, unsigned code, int reg, int second,
                      int rm, bool memory)
{
    unsigned r = ~(unsigned)reg, b = ~(unsigned)rm, v = ~(unsigned)second;
    unsigned x = memory ? 1 : b >> 4 & 1;
    emit_byte(e, 0x62);
    emit_byte(e, (r >> 3 & 1) << 7 | x << 6 | (b >> 3 & 1) << 5 | (r >> 4 & 1) << 4 | (form >> 8));
    emit_byte(e, 0x80u | (v & 15) << 3 | 4 | (form & 3));
    emit_byte(e, (v >> 4 & 1) << 3);
    emit_byte(e, code);
}

static void vector_reg(struct emitter *e, enum evex_form form, unsigned code, int to, int a, int b)
{
    emit_evex(e, form, code, to, a, b, false);
    emit_modrm(e, 3, to, b);
}

static void vector_state(struct emitter *e, enum evex_form form, unsigned code, int reg, int32_t at)
{
    emit_evex(e, form, code, reg, 0, RBX, true);
    emit_modrm(e, at / 8 < 128 ? 1 : 2, reg, RBX);
    if (at / 8 < 128)
        emit_byte(e, (unsigned)at / 8); /* a byte of displacement counts operands */
    else
        emit_u32(e, (uint32_t)at);
}

static void vector_at(struct emitter *e, enum evex_form form, unsigned code, int reg, int base)
{
    emit_evex(e, form, code, reg, 0, base, true);
    emit_modrm(e, 1, reg, base);
    emit_byte(e, 0);
}

enum {
    VMOVQ_LOAD = 0x7e,  /* FF3_0F */
    VMOVQ_STORE = 0xd6, /* F66_0F, up to VPUNPCKLQDQ */
    VMOVQ_FROM = 0x6e,
    VMOVQ_TO = 0x7e,
    VMOVDQA = 0x6f,
    VPADDQ = 0xd4,
    VPSUBQ = 0xfb,
    VPXORQ = 0xef,
    VPUNPCKLQDQ = 0x6c,
    VPMULLQ = 0x40,       /* F66_0F38 */
    VMOVDQU_STORE = 0x7f, /* FF3_0F */
};

/* --- registers of the vTPU */

static void load_vtpu_register(struct emitter *e, int to, unsigned reg)
{
    int home = e->home[reg], held = find_holder(e, reg);
    if (held == to)
        return;
    if (held >= 0)
        op_reg(e, MOV, to, held);
    else if (home == IN_MEMORY)
        op_state(e, MOV, to, AT_R(reg));
    else if (home >= VECTOR)
        vector_reg(e, F66_0F, VMOVQ_TO, home, 0, to);
    else
        op_reg(e, MOV, to, home);
    e->held[to] = (uint8_t)(reg + 1);
}

/* from: a scratch register. */
static void store_vtpu_register(struct emitter *e, unsigned reg, int from)
{
    int home = e->home[reg];
    if (home == IN_MEMORY)
        op_state(e, MOV_STORE, from, AT_R(reg));
    else if (home >= VECTOR)
        vector_reg(e, F66_0F, VMOVQ_FROM, home, 0, from);
    else
        op_reg(e, MOV, home, from);
    forget_register(e, reg);
    e->held[from] = (uint8_t)(reg + 1);
}

/* Returns the general register that holds reg, or `scratch` after loading it there. */
static int general_of(struct emitter *e, unsigned reg, int scratch)
{
    int held = find_holder(e, reg), home = e->home[reg];
    if (held >= 0)
        return held;
    if (home != IN_MEMORY && home < VECTOR)
        return home;
    load_vtpu_register(e, scratch, reg);
    return scratch;
}

/* rax = rax OP the register. */
static void emit_with_register(struct emitter *e, unsigned code, unsigned reg)
{
    if (e->home[reg] == IN_MEMORY && find_holder(e, reg) < 0)
        op_state(e, code, RAX, AT_R(reg));
    else
        op_reg(e, code, RAX, general_of(e, reg, RCX));
}

/* Returns the vector register that is reg's home, or `scratch` after loading it there. */
static int vector_of(struct emitter *e, unsigned reg, int scratch)
{
    if (e->home[reg] != IN_MEMORY)
        return e->home[reg];
    vector_state(e, FF3_0F, VMOVQ_LOAD, scratch, AT_R(reg));
    return scratch;
}

static int vector_result(const struct emitter *e, unsigned reg)
{
    return e->home[reg] == IN_MEMORY ? V31 : e->home[reg];
}

static void vector_keep(struct emitter *e, unsigned reg)
{
    if (e->home[reg] == IN_MEMORY)
        vector_state(e, F66_0F, VMOVQ_STORE, V31, AT_R(reg));
    forget_register(e, reg);
}

/* Returns the register that holds the address of a cell; loads it into rcx if it has no home. */
static int load_cell_address(struct emitter *e, unsigned p)
{
    if (e->cell_home[p] != IN_MEMORY)
        return e->cell_home[p];
    op_state(e, MOV, RCX, AT_CELL(p));
    return RCX;
}

static void move_all_homes(struct emitter *e, bool keep)
{
    for (int k = 0; k < VTPU_R; k++) {
        if (e->home[k] == IN_MEMORY)
            continue;
        if (e->home[k] < VECTOR)
            op_state(e, keep ? MOV_STORE : MOV, e->home[k], AT_R(k));
        else if (keep)
            vector_state(e, F66_0F, VMOVQ_STORE, e->home[k], AT_R(k));
        else
            vector_state(e, FF3_0F, VMOVQ_LOAD, e->home[k], AT_R(k));
    }
    for (int k = 0; k < VTPU_P && !keep; k++)
        if (e->cell_home[k] != IN_MEMORY)
            op_state(e, MOV, e->cell_home[k], AT_CELL(k));
}

/* --- ops */

static bool emit_vector_d(struct emitter *e, const struct vtpu_op *op)
{
    unsigned code = VPADDQ;
    if (op->code == VTPU_DSUB)
        code = VPSUBQ;
    else if (op->code == VTPU_DHDBIND)
        code = VPXORQ;
    bool accumulate = op->code == VTPU_DTACC;
    int to = vector_result(e, op->rd), a, b;
    switch (op->code) {
    case VTPU_DADD:
    case VTPU_DSUB:
    case VTPU_DHDBIND:
    case VTPU_DHDBUND:
    case VTPU_DTACC:
        a = vector_of(e, op->a, V30);
        b = vector_of(e, accumulate ? op->rd : op->b, V31);
        vector_reg(e, F66_0F, code, to, a, b);
        break;
    case VTPU_DMUL:
    case VTPU_DFMA:
        if (!e->vector_multiplies)
            return false;
        a = vector_of(e, op->a, V30);
        b = vector_of(e, op->b, V31);
        vector_reg(e, F66_0F38, VPMULLQ, op->code == VTPU_DFMA ? V31 : to, a, b);
        if (op->code == VTPU_DFMA)
            vector_reg(e, F66_0F, VPADDQ, to, V31, vector_of(e, op->c, V30));
        break;
    default:
        return false;
    }
    vector_keep(e, op->rd);
    return true;
}

/* Multiplies copies of vector registers in general registers. The product overwrites the copy of a;
 * those of b and c stay, because the next words may read them. */
static void emit_multiply(struct emitter *e, const struct vtpu_op *op)
{
    int to = general_of(e, op->a, free_scratch(e, op, -1));
    op_reg(e, IMUL, to, general_of(e, op->b, free_scratch(e, op, to)));
    if (op->code == VTPU_DFMA)
        op_reg(e, ADD, to, general_of(e, op->c, free_scratch(e, op, to)));
    store_vtpu_register(e, op->rd, to);
}

static void emit_compare(struct emitter *e, const struct vtpu_op *op)
{
    static const uint8_t sign[] = {
        0x0f, 0x9f, 0xc0,       /* setg al */
        0x0f, 0x9c, 0xc1,       /* setl cl */
        0x28, 0xc8,             /* sub al, cl */
        0x48, 0x0f, 0xbe, 0xc0, /* movsx rax, al */
    };
    load_vtpu_register(e, RAX, op->a);
    emit_with_register(e, CMP, op->b);
    emit_bytes(e, sign, sizeof sign);
    forget_all(e);
}

static void emit_select(struct emitter *e, const struct vtpu_op *op)
{
    static const uint8_t choose[] = {
        0x48, 0x0f, 0x44, 0xc1, /* cmovz rax, rcx */
    };
    int c = general_of(e, op->c, RCX);
    op_reg(e, TEST, c, c); /* moves do not change the flags */
    load_vtpu_register(e, RAX, op->a);
    load_vtpu_register(e, RCX, op->b);
    emit_bytes(e, choose, sizeof choose);
}

static void emit_x86_d(struct emitter *e, const struct vtpu_op *op, int64_t imm)
{
    static const uint16_t codes[VTPU_CODES] = {
        [VTPU_DADD] = ADD,  [VTPU_DSUB] = SUB,    [VTPU_DMUL] = IMUL,
        [VTPU_DFMA] = IMUL, [VTPU_DHDBIND] = XOR, [VTPU_DHDBUND] = ADD,
    };
    if (op->code == VTPU_DNOP || (e->vector && emit_vector_d(e, op)))
        return;
    if (e->vector && codes[op->code] == IMUL) {
        emit_multiply(e, op);
        return;
    }
    if (op->code == VTPU_DMOV) {
        emit_x86_move(e, RAX, (uint64_t)imm);
    } else if (op->code == VTPU_DCMP) {
        emit_compare(e, op);
    } else if (op->code == VTPU_DSEL) {
        emit_select(e, op);
    } else {
        load_vtpu_register(e, RAX, op->a);
        if (codes[op->code])
            emit_with_register(e, codes[op->code], op->b);
        if (op->code == VTPU_DFMA)
            emit_with_register(e, ADD, op->c);
        if (op->code == VTPU_DTACC)
            emit_with_register(e, ADD, op->rd);
        if (op->code == VTPU_DHDENC || op->code == VTPU_DHDPERM) {
            op_reg(e, 0xc1, 0, RAX); /* rol */
            emit_byte(e, op->b);
        }
    }
    store_vtpu_register(e, op->rd, RAX);
}

static void emit_gather(struct emitter *e, const struct vtpu_op *op)
{
    int base = load_cell_address(e, op->a), home = e->home[op->rd];
    forget_register(e, op->rd);
    if (home >= VECTOR) {
        vector_at(e, FF3_0F, VMOVQ_LOAD, home, base);
    } else if (home != IN_MEMORY) {
        op_at(e, MOV, home, base);
    } else {
        op_at(e, MOV, RCX, base);
        store_vtpu_register(e, op->rd, RCX);
    }
}

static void emit_scatter(struct emitter *e, const struct vtpu_op *op)
{
    int base = load_cell_address(e, op->a), home = e->home[op->b];
    if (home >= VECTOR)
        vector_at(e, F66_0F, VMOVQ_STORE, home, base);
    else
        op_at(e, MOV_STORE, general_of(e, op->b, RAX), base);
}

static void emit_x86_s(struct emitter *e, const struct vtpu_op *op)
{
    switch (op->code) {
    case VTPU_SGATHER:
        emit_gather(e, op);
        break;
    case VTPU_SSCATTR:
        emit_scatter(e, op);
        break;
    case VTPU_SPREFCH:
        op_at(e, 0x0f18, 1, load_cell_address(e, op->a)); /* prefetcht0 */
        break;
    case VTPU_SDEDUP:
        load_vtpu_register(e, RAX, op->a);
        store_vtpu_register(e, op->rd, RAX);
        break;
    case VTPU_SALLOC:
        emit_x86_move(e, RAX, (uint64_t)(int64_t)op->offset);
        store_vtpu_register(e, op->rd, RAX);
        break;
    }
}

static void emit_pack(struct emitter *e, const struct vtpu_op *op)
{
    if (e->vector_multiplies && e->home[op->a] >= VECTOR && e->home[op->b] >= VECTOR) {
        vector_reg(e, F66_0F, VPUNPCKLQDQ, V31, e->home[op->a], e->home[op->b]);
        emit_evex(e, FF3_0F, VMOVDQU_STORE, V31, 0, RBX, true);
        emit_modrm(e, 1, V31, RBX);
        emit_byte(e, (unsigned)AT_M(op->rd) / 16); /* a byte of displacement counts vectors */
        return;
    }
    for (int half = 0; half < 2; half++) {
        unsigned reg = half ? op->b : op->a;
        int32_t at = AT_M(op->rd) + 8 * half;
        if (e->home[reg] >= VECTOR)
            vector_state(e, F66_0F, VMOVQ_STORE, e->home[reg], at);
        else
            op_state(e, MOV_STORE, general_of(e, reg, RAX), at);
    }
}

/* Emits a load or store of rcx at inbox[rax + at]. */
static void emit_inbox_access(struct emitter *e, unsigned code, int at)
{
    emit_opcode(e, code, RCX, RBX);
    emit_modrm(e, 2, RCX, RSP); /* a SIB byte follows */
    emit_byte(e, 3 << 6 | RAX << 3 | RBX);
    emit_u32(e, (uint32_t)(AT_INBOX + 8 * at));
}

static void emit_x86_send(struct emitter *e, const struct vtpu_op *op)
{
    static const uint8_t one_more[] = {
        0x48, 0x83, 0xf8, VTPU_INBOX, /* cmp rax, 64 */
        0x48, 0x83, 0xd0, 0,          /* adc rax, 0: + 1 if rax < 64 */
    };
    op_state(e, MOV, RAX, AT_DEPTH);
    op_state(e, MOV, RCX, AT_M(op->a));
    emit_inbox_access(e, MOV_STORE, 1);
    emit_bytes(e, one_more, sizeof one_more);
    op_state(e, MOV_STORE, RAX, AT_DEPTH);
}

static void emit_x86_receive(struct emitter *e, const struct vtpu_op *op)
{
    static const uint8_t one_less[] = {
        0x48, 0x83, 0xe8, 1, /* sub rax, 1 */
        0x48, 0x83, 0xd0, 0, /* adc rax, 0: 0 stays 0 */
    };
    op_state(e, MOV, RAX, AT_DEPTH);
    emit_inbox_access(e, MOV, 0);
    emit_bytes(e, one_less, sizeof one_less);
    op_state(e, MOV_STORE, RAX, AT_DEPTH);
    store_vtpu_register(e, op->rd, RCX);
}

static void emit_x86_c(struct emitter *e, const struct vtpu_op *op)
{
    switch (op->code) {
    case VTPU_CPACK:
        emit_pack(e, op);
        break;
    case VTPU_CSEND:
        emit_x86_send(e, op);
        break;
    case VTPU_CRECV:
        emit_x86_receive(e, op);
        break;
    case VTPU_CBAR:
    case VTPU_CFENCE:
        op_state(e, 0xff, 0, op->code == VTPU_CBAR ? AT_BARRIERS : AT_FENCES); /* inc */
        break;
    case VTPU_CREDUCE:
    case VTPU_CCAST:
    case VTPU_CSLICE:
    case VTPU_CMERGE:
        op_reg(e, XOR, RAX, RAX);
        store_vtpu_register(e, op->rd, RAX);
        break;
    }
}

static void emit_op(struct emitter *e, const struct vtpu_op *op, int64_t imm)
{
    if (vtpu_op_is_called(op)) {
        uint64_t bits;
        memcpy(&bits, op, sizeof bits);
        forget_all(e);
        emit_x86_move(e, RAX, bits);
        emit_byte(e, 0xe8); /* call */
        emit_u32(e, (uint32_t)(e->stub - (e->n + 4)));
        return;
    }
    switch (vtpu_ops[op->code].pipe) {
    case VTPU_PIPE_D:
        emit_x86_d(e, op, imm);
        break;
    case VTPU_PIPE_S:
        emit_x86_s(e, op);
        break;
    default:
        emit_x86_c(e, op);
    }
}

/* --- the function around the ops */

static void stub(struct emitter *e)
{
    static const uint8_t align[] = {0x48, 0x83, 0xec, 8}, back[] = {0x48, 0x83, 0xc4, 8};
    move_all_homes(e, true);
    emit_bytes(e, align, sizeof align); /* sub rsp, 8 */
    op_reg(e, MOV, RDI, RBX);
    op_reg(e, MOV, RSI, RAX);
    emit_x86_move(e, RAX, (uint64_t)(uintptr_t)vtpu_emit_call);
    emit_bytes(e, (const uint8_t[]){0xff, 0xd0}, 2); /* call rax */
    emit_bytes(e, back, sizeof back);
    move_all_homes(e, false);
    emit_byte(e, 0xc3);
}

static void enter(struct emitter *e)
{
    static const uint8_t keep[] = {
        0xf3, 0x0f, 0x1e, 0xfa,             /* endbr64 */
        0x53, 0x55, 0x41, 0x54, 0x41, 0x55, /* push rbx, rbp, r12, r13 */
        0x41, 0x56, 0x41, 0x57, 0x50, 0x50,
        0x56, /* r14, r15, rax twice (free space), rsi (times) */
    };
    emit_bytes(e, keep, sizeof keep);
    op_reg(e, MOV, RBX, RDI);
    move_all_homes(e, false);
}

/* dec qword [rsp + at]; jnz begin */
static void emit_x86_count_down(struct emitter *e, unsigned at, size_t begin)
{
    emit_bytes(e, (const uint8_t[]){0x48, 0xff, 0x4c, 0x24, (uint8_t)at, 0x0f, 0x85}, 7);
    emit_u32(e, (uint32_t)(begin - (e->n + 4)));
}

static size_t loop_begin(struct emitter *e, size_t count)
{
    emit_bytes(e, (const uint8_t[]){0x48, 0xc7, 0x44, 0x24, 8}, 5); /* mov qword [rsp + 8], count */
    emit_u32(e, (uint32_t)count);
    forget_all(e); /* later passes begin here too */
    return e->n;
}

static void loop_end(struct emitter *e, size_t begin)
{
    emit_x86_count_down(e, 8, begin);
}

static void emit_x86_return(struct emitter *e, size_t begin)
{
    static const uint8_t back[] = {
        0x48, 0x83, 0xc4, 24,               /* add rsp, 24 */
        0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, /* pop r15, r14, r13 */
        0x41, 0x5c, 0x5d, 0x5b, 0xc3,       /* r12, rbp, rbx; ret */
    };
    emit_x86_count_down(e, 0, begin);
    move_all_homes(e, true);
    emit_bytes(e, back, sizeof back);
}

#define GENERAL RDI, RBP, RSI, R8, R9, R10, R11, R13, R14, R15
static const uint8_t general[] = {GENERAL, RDX, R12}, addresses[] = {GENERAL};
static const uint8_t vectors[] = {32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46,
                                  47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61};

#define COMMON                                                                                     \
    .stub = stub, .enter = enter, .op = emit_op, .loop_begin = loop_begin, .loop_end = loop_end,   \
    .leave = emit_x86_return
#define IN_VECTORS                                                                                 \
    .vector = true, .homes = vectors, .nhomes = sizeof vectors, .cell_homes = addresses,           \
    .ncell_homes = sizeof addresses, COMMON

const struct emit_target emit_x86 = {
    .name = "x86-64", .homes = general, .nhomes = sizeof general, COMMON};
const struct emit_target emit_x86_no_vpmullq = {.name = "x86-64 with AVX-512 less vpmullq",
                                                IN_VECTORS};
const struct emit_target emit_x86_avx512 = {
    .name = "x86-64 with AVX-512", .vector_multiplies = true, IN_VECTORS};
