/*
 * Loops in disassembled code, and their instructions as text that an assembler takes. The text
 * comes from a disassembler that read a file which nobody trusts, so a line is taken only if it has
 * the form of an instruction.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/source/disassemble.h"

enum code_machine { MACHINE_OTHER, MACHINE_X86_64, MACHINE_ARM64 };

/* A head, a branch back to it, and all between them in the order of addresses. */
struct code_loop {
    size_t first, last; /* rows of the disassembly */
    unsigned depth;     /* 1: it is in no other loop */
    bool innermost;     /* no other loop is in it */
    unsigned width;     /* bits of the widest vector register that it names; 0: none */
    unsigned calls;     /* calls in it, which a model does not follow */
    uint64_t samples;   /* that were taken in it; set by loops_weigh */
};

enum { LOOPS_MAX = 1024, LOOP_LINE_MAX = 160 };

/* The machine that the ELF file at path is for. */
enum code_machine code_machine_of(const char *path);

/* Finds the loops, sorted by their heads. Returns how many, LOOPS_MAX at most. */
size_t loops_find(const struct disassembly *d, enum code_machine machine,
                  struct code_loop out[LOOPS_MAX]);
/* Adds samples at an address to the loops that hold it. */
void loops_weigh(struct code_loop *loops, size_t n, const struct disassembly *d, uint64_t address,
                 uint64_t samples);
/*
 * The hot one: of the innermost loops that with the most samples; without samples the deepest, and
 * of these the one with the widest registers, then the longest. n: where there is none.
 */
size_t loops_hottest(const struct code_loop *loops, size_t n);

/*
 * Writes an instruction as an assembler takes it: without notes, the target of a branch as a
 * label, each kind of nop as "nop". False: it does not have the form of an instruction.
 */
bool loop_line(const char *text, enum code_machine machine, char out[LOOP_LINE_MAX]);
