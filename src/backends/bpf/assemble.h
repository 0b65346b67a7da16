/*
 * Writes programs for the kernel's BPF machine, instruction by instruction. Registers R0 to R10;
 * jumps go to labels, which may be placed later; functions are called by label too.
 */
#pragma once

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CODE_MAX = 1024, CODE_LABELS = 128, CODE_FUNCTIONS = 8 };
enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, FP };

struct code {
    struct bpf_insn list[CODE_MAX];
    size_t n;
    int16_t to[CODE_MAX];        /* label + 1 that an instruction jumps to; 0: none */
    int16_t labels[CODE_LABELS]; /* where each is; -1: not placed */
    int nlabels;
    uint32_t functions[CODE_FUNCTIONS]; /* where each begins; the program itself is the first */
    uint32_t nfunctions;
    bool stands_alone[CODE_FUNCTIONS]; /* see code_function_alone */
    bool full;
};

void code_start(struct code *c); /* empties c */
/* Makes a label, to be placed once: here, or anywhere later. */
int code_label(struct code *c);
void code_place(struct code *c, int label);
void code_function(struct code *c, int label); /* a function begins here */
/* The same, of a function that the kernel verifies once and not at each call. It knows nothing of
 * the arguments but their types (kernel_types_load), so R1 may be NULL. */
void code_function_alone(struct code *c, int label);
/* Fills in the jumps. False: a label was not placed, or there are too many instructions. */
bool code_finish(struct code *c);

/* register = register, number; register += ... (op: BPF_ADD, BPF_AND, ...), 64 and 32 bits */
void put_mov(struct code *c, int to, int from);
void put_mov_number(struct code *c, int to, int32_t number);
void put_mov32(struct code *c, int to, int from);
void put_alu(struct code *c, int op, int to, int from);
void put_alu_number(struct code *c, int op, int to, int32_t number);
/* to = memory at base + offset, and the other way. size: BPF_B, BPF_H, BPF_W, BPF_DW */
void put_load(struct code *c, int size, int to, int base, int offset);
void put_store(struct code *c, int size, int base, int offset, int from);
void put_store_number(struct code *c, int size, int base, int offset, int32_t number);
/* Jumps to the label; if a op b; if a has any of the bits. op: BPF_JEQ, BPF_JNE, BPF_JGT, BPF_JSLE,
 * ...; comparisons are unsigned unless their name has an S. */
void put_jump(struct code *c, int label);
void put_jump_if(struct code *c, int op, int a, int b, int label);
void put_jump_if_number(struct code *c, int op, int a, int32_t number, int label);
void put_jump_if_set(struct code *c, int a, int32_t bits, int label);
/* to = the map of this descriptor; the address of the function at a label. */
void put_load_map(struct code *c, int to, int fd);
void put_load_function(struct code *c, int to, int label); /* for helpers that call back */
/* Calls a function of the kernel (BPF_FUNC_...), or the one at a label: R1 to R5 in, R0 out. */
void put_helper(struct code *c, int number);
void put_call_function(struct code *c, int label);
void put_leave(struct code *c); /* returns R0 */
