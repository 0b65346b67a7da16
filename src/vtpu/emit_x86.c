/*
 * x86-64. Encodings: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2.
 *
 * rbx holds the state; rax, rcx, rdx are scratch, rsi also the argument of the stub. [rsp] counts
 * passes, [rsp+8] those of the inner loop. Without AVX-512 some registers of the vTPU live in
 * general registers, the others in the state. With AVX-512 all but two live in the vector registers
 * 0 to 29, and addresses of cells in general registers; vectors 30 and 31 are scratch.
 */
#include "vtpu/vtpu_impl.h"

#include <string.h>

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };
enum { V30 = 30, V31 };

/* Opcodes with 64-bit operands; 0x0f00: the two-byte ones. */
enum {
    MOV = 0x8b,
    MOV_STORE = 0x89,
    ADD = 0x03,
    SUB = 0x2b,
    XOR = 0x33,
    CMP = 0x3b,
    IMUL = 0x0faf,
};

static void opcode(struct emitter *e, unsigned code, int reg, int rm)
{
    emit_byte(e, 0x48u | (reg & 8 ? 4 : 0) | (rm & 8 ? 1 : 0)); /* REX.W */
    if (code > 0xff)
        emit_byte(e, code >> 8);
    emit_byte(e, code & 0xff);
}

static void modrm(struct emitter *e, unsigned mod, int reg, int rm)
{
    emit_byte(e, mod << 6 | (unsigned)(reg & 7) << 3 | (unsigned)(rm & 7));
}

static void op_reg(struct emitter *e, unsigned code, int reg, int rm)
{
    opcode(e, code, reg, rm);
    modrm(e, 3, reg, rm);
}

/* The other operand is a member of the state. */
static void op_state(struct emitter *e, unsigned code, int reg, int32_t at)
{
    opcode(e, code, reg, RBX);
    modrm(e, 2, reg, RBX);
    emit_u32(e, (uint32_t)at);
}

/* The other operand is what a register points to (not rsp or r12). */
static void op_at(struct emitter *e, unsigned code, int reg, int base)
{
    opcode(e, code, reg, base);
    modrm(e, 1, reg, base);
    emit_byte(e, 0);
}

static void move_imm(struct emitter *e, int reg, uint64_t v)
{
    emit_byte(e, 0x48u | (reg & 8 ? 1 : 0));
    emit_byte(e, 0xb8u | (unsigned)(reg & 7));
    emit_u64(e, v);
}

/* EVEX instructions with W = 1 and vectors of 128 bits. */
enum evex_form { F66_0F = 0x101, F66_0F38 = 0x201, FF3_0F = 0x102 }; /* map, prefix */

static void evex(struct emitter *e, enum evex_form form, unsigned code, int reg, int second, int rm,
                 bool memory)
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
    evex(e, form, code, to, a, b, false);
    modrm(e, 3, to, b);
}

static void vector_state(struct emitter *e, enum evex_form form, unsigned code, int reg, int32_t at)
{
    evex(e, form, code, reg, 0, RBX, true);
    modrm(e, 2, reg, RBX);
    emit_u32(e, (uint32_t)at);
}

static void vector_at(struct emitter *e, enum evex_form form, unsigned code, int reg, int base)
{
    evex(e, form, code, reg, 0, base, true);
    modrm(e, 1, reg, base);
    emit_byte(e, 0);
}

enum {
    VMOVQ_LOAD = 0x7e,  /* FF3_0F */
    VMOVQ_STORE = 0xd6, /* F66_0F, this and the next */
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

static void load(struct emitter *e, int to, unsigned reg)
{
    int home = e->home[reg];
    if (home == IN_MEMORY)
        op_state(e, MOV, to, AT_R(reg));
    else if (e->vector)
        vector_reg(e, F66_0F, VMOVQ_TO, home, 0, to);
    else
        op_reg(e, MOV, to, home);
}

static void store(struct emitter *e, unsigned reg, int from)
{
    int home = e->home[reg];
    if (home == IN_MEMORY)
        op_state(e, MOV_STORE, from, AT_R(reg));
    else if (e->vector)
        vector_reg(e, F66_0F, VMOVQ_FROM, home, 0, from);
    else
        op_reg(e, MOV, home, from);
}

/* rax = rax OP the register. */
static void with(struct emitter *e, unsigned code, unsigned reg)
{
    if (e->home[reg] == IN_MEMORY) {
        op_state(e, code, RAX, AT_R(reg));
    } else if (e->vector) {
        load(e, RCX, reg);
        op_reg(e, code, RAX, RCX);
    } else {
        op_reg(e, code, RAX, e->home[reg]);
    }
}

/* The vector register that holds it, after loading it into the scratch one where it has no home. */
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
}

/* The register that holds the address of a cell; rax where it has no home. */
static int cell_of(struct emitter *e, unsigned p)
{
    if (e->cell_home[p] != IN_MEMORY)
        return e->cell_home[p];
    op_state(e, MOV, RAX, AT_CELL(p));
    return RAX;
}

static void all_homes(struct emitter *e, bool keep)
{
    for (int k = 0; k < VTPU_R; k++) {
        if (e->home[k] == IN_MEMORY)
            continue;
        if (!e->vector)
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
    unsigned code = op->code == VTPU_DSUB ? VPSUBQ : op->code == VTPU_DHDBIND ? VPXORQ : VPADDQ;
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

static void emit_compare(struct emitter *e, const struct vtpu_op *op)
{
    static const uint8_t sign[] = {
        0x0f, 0x9f, 0xc0,       /* setg al */
        0x0f, 0x9c, 0xc1,       /* setl cl */
        0x28, 0xc8,             /* sub al, cl */
        0x48, 0x0f, 0xbe, 0xc0, /* movsx rax, al */
    };
    load(e, RAX, op->a);
    with(e, CMP, op->b);
    emit_bytes(e, sign, sizeof sign);
}

static void emit_select(struct emitter *e, const struct vtpu_op *op)
{
    static const uint8_t choose[] = {
        0x48, 0x85, 0xd2,       /* test rdx, rdx */
        0x48, 0x0f, 0x44, 0xc1, /* cmovz rax, rcx */
    };
    load(e, RDX, op->c);
    load(e, RAX, op->a);
    load(e, RCX, op->b);
    emit_bytes(e, choose, sizeof choose);
}

static void emit_d(struct emitter *e, const struct vtpu_op *op, int64_t imm)
{
    static const uint16_t codes[VTPU_CODES] = {
        [VTPU_DADD] = ADD,  [VTPU_DSUB] = SUB,    [VTPU_DMUL] = IMUL,
        [VTPU_DFMA] = IMUL, [VTPU_DHDBIND] = XOR, [VTPU_DHDBUND] = ADD,
    };
    if (op->code == VTPU_DNOP || (e->vector && emit_vector_d(e, op)))
        return;
    if (op->code == VTPU_DMOV) {
        move_imm(e, RAX, (uint64_t)imm);
    } else if (op->code == VTPU_DCMP) {
        emit_compare(e, op);
    } else if (op->code == VTPU_DSEL) {
        emit_select(e, op);
    } else {
        load(e, RAX, op->a);
        if (codes[op->code])
            with(e, codes[op->code], op->b);
        if (op->code == VTPU_DFMA)
            with(e, ADD, op->c);
        if (op->code == VTPU_DTACC)
            with(e, ADD, op->rd);
        if (op->code == VTPU_DHDENC || op->code == VTPU_DHDPERM) {
            op_reg(e, 0xc1, 0, RAX); /* rol */
            emit_byte(e, op->b);
        }
    }
    store(e, op->rd, RAX);
}

static void emit_gather(struct emitter *e, const struct vtpu_op *op)
{
    int base = cell_of(e, op->a), home = e->home[op->rd];
    if (e->vector && home != IN_MEMORY) {
        vector_at(e, FF3_0F, VMOVQ_LOAD, home, base);
        return;
    }
    int to = home == IN_MEMORY ? RAX : home;
    op_at(e, MOV, to, base);
    if (home == IN_MEMORY)
        store(e, op->rd, to);
}

static void emit_scatter(struct emitter *e, const struct vtpu_op *op)
{
    int base = cell_of(e, op->a), home = e->home[op->b];
    if (home == IN_MEMORY) {
        load(e, RCX, op->b);
        op_at(e, MOV_STORE, RCX, base);
    } else if (e->vector) {
        vector_at(e, F66_0F, VMOVQ_STORE, home, base);
    } else {
        op_at(e, MOV_STORE, home, base);
    }
}

static void emit_s(struct emitter *e, const struct vtpu_op *op)
{
    switch (op->code) {
    case VTPU_SGATHER:
        emit_gather(e, op);
        break;
    case VTPU_SSCATTR:
        emit_scatter(e, op);
        break;
    case VTPU_SPREFCH:
        op_at(e, 0x0f18, 1, cell_of(e, op->a)); /* prefetcht0 */
        break;
    case VTPU_SDEDUP:
        load(e, RAX, op->a);
        store(e, op->rd, RAX);
        break;
    case VTPU_SALLOC:
        move_imm(e, RAX, (uint64_t)(int64_t)op->offset);
        store(e, op->rd, RAX);
        break;
    }
}

static void emit_pack(struct emitter *e, const struct vtpu_op *op)
{
    if (e->vector) {
        int a = vector_of(e, op->a, V30), b = vector_of(e, op->b, V31);
        vector_reg(e, F66_0F, VPUNPCKLQDQ, V31, a, b);
        evex(e, FF3_0F, VMOVDQU_STORE, V31, 0, RBX, true);
        modrm(e, 1, V31, RBX);
        emit_byte(e, (unsigned)AT_M(op->rd) / 16); /* a displacement of a byte counts vectors */
        return;
    }
    for (int half = 0; half < 2; half++) {
        unsigned reg = half ? op->b : op->a;
        int from = e->home[reg] == IN_MEMORY ? RAX : e->home[reg];
        if (from == RAX)
            load(e, RAX, reg);
        op_state(e, MOV_STORE, from, AT_M(op->rd) + 8 * half);
    }
}

/* An access of rcx to the inbox, at rax from its beginning plus `at` places. */
static void inbox(struct emitter *e, unsigned code, int at)
{
    opcode(e, code, RCX, RBX);
    modrm(e, 2, RCX, RSP); /* a SIB byte follows */
    emit_byte(e, 3 << 6 | RAX << 3 | RBX);
    emit_u32(e, (uint32_t)(AT_INBOX + 8 * at));
}

static void emit_send(struct emitter *e, const struct vtpu_op *op)
{
    static const uint8_t one_more[] = {
        0x48, 0x83, 0xf8, VTPU_INBOX, /* cmp rax, 64 */
        0x48, 0x83, 0xd0, 0,          /* adc rax, 0: one more where it was below */
    };
    op_state(e, MOV, RAX, AT_DEPTH);
    op_state(e, MOV, RCX, AT_M(op->a));
    inbox(e, MOV_STORE, 1);
    emit_bytes(e, one_more, sizeof one_more);
    op_state(e, MOV_STORE, RAX, AT_DEPTH);
}

static void emit_receive(struct emitter *e, const struct vtpu_op *op)
{
    static const uint8_t one_less[] = {
        0x48, 0x83, 0xe8, 1, /* sub rax, 1 */
        0x48, 0x83, 0xd0, 0, /* adc rax, 0: 0 stays 0 */
    };
    op_state(e, MOV, RAX, AT_DEPTH);
    inbox(e, MOV, 0);
    emit_bytes(e, one_less, sizeof one_less);
    op_state(e, MOV_STORE, RAX, AT_DEPTH);
    store(e, op->rd, RCX);
}

static void emit_c(struct emitter *e, const struct vtpu_op *op)
{
    switch (op->code) {
    case VTPU_CPACK:
        emit_pack(e, op);
        break;
    case VTPU_CSEND:
        emit_send(e, op);
        break;
    case VTPU_CRECV:
        emit_receive(e, op);
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
        store(e, op->rd, RAX);
        break;
    }
}

static void emit_op(struct emitter *e, const struct vtpu_op *op, int64_t imm)
{
    if (vtpu_op_is_called(op)) {
        uint64_t bits;
        memcpy(&bits, op, sizeof bits);
        move_imm(e, RSI, bits);
        emit_byte(e, 0xe8); /* call */
        emit_u32(e, (uint32_t)(e->stub - (e->n + 4)));
        return;
    }
    switch (vtpu_ops[op->code].pipe) {
    case VTPU_PIPE_D:
        emit_d(e, op, imm);
        break;
    case VTPU_PIPE_S:
        emit_s(e, op);
        break;
    default:
        emit_c(e, op);
    }
}

/* --- around them */

static void stub(struct emitter *e)
{
    static const uint8_t align[] = {0x48, 0x83, 0xec, 8}, back[] = {0x48, 0x83, 0xc4, 8};
    all_homes(e, true);
    emit_bytes(e, align, sizeof align); /* sub rsp, 8 */
    op_reg(e, MOV, RDI, RBX);
    move_imm(e, RAX, (uint64_t)(uintptr_t)vtpu_emit_call);
    emit_bytes(e, (const uint8_t[]){0xff, 0xd0}, 2); /* call rax */
    emit_bytes(e, back, sizeof back);
    all_homes(e, false);
    emit_byte(e, 0xc3);
}

static void enter(struct emitter *e)
{
    static const uint8_t keep[] = {
        0xf3, 0x0f, 0x1e, 0xfa,                   /* endbr64 */
        0x53, 0x55, 0x41, 0x54, 0x41, 0x55,       /* push rbx, rbp, r12, r13 */
        0x41, 0x56, 0x41, 0x57, 0x50, 0x50, 0x56, /* r14, r15, rax twice for room, rsi: times */
    };
    emit_bytes(e, keep, sizeof keep);
    op_reg(e, MOV, RBX, RDI);
    all_homes(e, false);
}

/* dec qword [rsp + at]; jnz begin */
static void count_down(struct emitter *e, unsigned at, size_t begin)
{
    emit_bytes(e, (const uint8_t[]){0x48, 0xff, 0x4c, 0x24, (uint8_t)at, 0x0f, 0x85}, 7);
    emit_u32(e, (uint32_t)(begin - (e->n + 4)));
}

static size_t loop_begin(struct emitter *e, size_t count)
{
    emit_bytes(e, (const uint8_t[]){0x48, 0xc7, 0x44, 0x24, 8}, 5); /* mov qword [rsp + 8], count */
    emit_u32(e, (uint32_t)count);
    return e->n;
}

static void loop_end(struct emitter *e, size_t begin)
{
    count_down(e, 8, begin);
}

static void leave(struct emitter *e, size_t begin)
{
    static const uint8_t back[] = {
        0x48, 0x83, 0xc4, 24,               /* add rsp, 24 */
        0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, /* pop r15, r14, r13 */
        0x41, 0x5c, 0x5d, 0x5b, 0xc3,       /* r12, rbp, rbx; ret */
    };
    count_down(e, 0, begin);
    all_homes(e, true);
    emit_bytes(e, back, sizeof back);
}

static const uint8_t general[] = {RDI, RBP, R8, R9, R10, R11, R13, R14, R15, R12};
static const uint8_t vectors[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,
                                  15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29};

#define COMMON                                                                                     \
    .stub = stub, .enter = enter, .op = emit_op, .loop_begin = loop_begin, .loop_end = loop_end,   \
    .leave = leave

const struct emit_target emit_x86 = {
    .name = "x86-64", .homes = general, .nhomes = sizeof general, COMMON};
const struct emit_target emit_x86_avx512 = {.name = "x86-64 with AVX-512",
                                            .vector = true,
                                            .homes = vectors,
                                            .nhomes = sizeof vectors,
                                            .cell_homes = general,
                                            .ncell_homes = sizeof general - 1, /* not r12 */
                                            COMMON};
