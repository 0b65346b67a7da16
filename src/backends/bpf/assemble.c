#include "backends/bpf/bpf_impl.h"

#include <string.h>

void code_start(struct code *c)
{
    memset(c, 0, sizeof *c);
    c->nfunctions = 1;
}

int code_label(struct code *c)
{
    if (c->nlabels == CODE_LABELS) {
        c->full = true;
        return 0;
    }
    c->labels[c->nlabels] = -1;
    return c->nlabels++;
}

void code_place(struct code *c, int label)
{
    c->labels[label] = (int16_t)c->n;
}

void code_function(struct code *c, int label)
{
    code_place(c, label);
    if (c->nfunctions == CODE_FUNCTIONS)
        c->full = true;
    else
        c->functions[c->nfunctions++] = (uint32_t)c->n;
}

void code_function_alone(struct code *c, int label)
{
    code_function(c, label);
    c->stands_alone[c->nfunctions - 1] = true;
}

static void emit_instruction(struct code *c, struct bpf_insn i, int label)
{
    if (c->n == CODE_MAX) {
        c->full = true;
        return;
    }
    c->to[c->n] = (int16_t)(label + 1);
    c->list[c->n++] = i;
}

static bool is_jump(const struct bpf_insn *i)
{
    return BPF_CLASS(i->code) == BPF_JMP && i->code != (BPF_JMP | BPF_CALL);
}

bool code_finish(struct code *c)
{
    for (size_t i = 0; i < c->n; i++) {
        if (c->to[i] == 0)
            continue;
        const int at = c->labels[c->to[i] - 1];
        if (at < 0)
            return false;
        const int distance = at - (int)i - 1;
        if (is_jump(&c->list[i]))
            c->list[i].off = (int16_t)distance;
        else /* a call, or the address of a function */
            c->list[i].imm = distance;
    }
    return !c->full;
}

static struct bpf_insn make_instruction(int code, int dst, int src, int off, int32_t imm)
{
    return (struct bpf_insn){.code = (uint8_t)code,
                             .dst_reg = (uint8_t)(dst & 15),
                             .src_reg = (uint8_t)(src & 15),
                             .off = (int16_t)off,
                             .imm = imm};
}

void put_mov(struct code *c, int to, int from)
{
    emit_instruction(c, make_instruction(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0), -1);
}

void put_mov_number(struct code *c, int to, int32_t number)
{
    emit_instruction(c, make_instruction(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, number), -1);
}

void put_mov32(struct code *c, int to, int from)
{
    emit_instruction(c, make_instruction(BPF_ALU | BPF_MOV | BPF_X, to, from, 0, 0), -1);
}

void put_alu(struct code *c, int op, int to, int from)
{
    emit_instruction(c, make_instruction(BPF_ALU64 | op | BPF_X, to, from, 0, 0), -1);
}

void put_alu_number(struct code *c, int op, int to, int32_t number)
{
    emit_instruction(c, make_instruction(BPF_ALU64 | op | BPF_K, to, 0, 0, number), -1);
}

void put_load(struct code *c, int size, int to, int base, int offset)
{
    emit_instruction(c, make_instruction(BPF_LDX | BPF_MEM | size, to, base, offset, 0), -1);
}

void put_store(struct code *c, int size, int base, int offset, int from)
{
    emit_instruction(c, make_instruction(BPF_STX | BPF_MEM | size, base, from, offset, 0), -1);
}

void put_store_number(struct code *c, int size, int base, int offset, int32_t number)
{
    emit_instruction(c, make_instruction(BPF_ST | BPF_MEM | size, base, 0, offset, number), -1);
}

void put_jump(struct code *c, int label)
{
    emit_instruction(c, make_instruction(BPF_JMP | BPF_JA, 0, 0, 0, 0), label);
}

void put_jump_if(struct code *c, int op, int a, int b, int label)
{
    emit_instruction(c, make_instruction(BPF_JMP | op | BPF_X, a, b, 0, 0), label);
}

void put_jump_if_number(struct code *c, int op, int a, int32_t number, int label)
{
    emit_instruction(c, make_instruction(BPF_JMP | op | BPF_K, a, 0, 0, number), label);
}

void put_jump_if_set(struct code *c, int a, int32_t bits, int label)
{
    put_jump_if_number(c, BPF_JSET, a, bits, label);
}

/* A number of 64 bits in two instructions (BPF_LD and BPF_IMM are 0). */
enum { LOAD_WIDE = BPF_DW };

void put_load_map(struct code *c, int to, int fd)
{
    emit_instruction(c, make_instruction(LOAD_WIDE, to, BPF_PSEUDO_MAP_FD, 0, fd), -1);
    emit_instruction(c, make_instruction(0, 0, 0, 0, 0), -1);
}

void put_load_function(struct code *c, int to, int label)
{
    emit_instruction(c, make_instruction(LOAD_WIDE, to, BPF_PSEUDO_FUNC, 0, 0), label);
    emit_instruction(c, make_instruction(0, 0, 0, 0, 0), -1);
}

void put_helper(struct code *c, int number)
{
    emit_instruction(c, make_instruction(BPF_JMP | BPF_CALL, 0, 0, 0, number), -1);
}

void put_call_function(struct code *c, int label)
{
    emit_instruction(c, make_instruction(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 0), label);
}

void put_leave(struct code *c)
{
    emit_instruction(c, make_instruction(BPF_JMP | BPF_EXIT, 0, 0, 0, 0), -1);
}
