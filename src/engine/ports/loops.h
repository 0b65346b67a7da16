/*
 * Loops in disassembled code, and their instructions as text that an assembler takes. The
 * disassembler may have read a hostile file, so a line is used only if it has the form of an
 * instruction.
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
    unsigned depth;     /* 1 = outermost */
    bool innermost;     /* contains no other loop */
    unsigned width;     /* bits of the widest vector register in it; 0 = none */
    unsigned calls;     /* number of calls in it, which a model does not follow */
    uint64_t samples;   /* samples in it; set by loops_weigh */
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
/* Returns the innermost loop with the most samples. Without samples: the deepest one, then the one
 * with the widest registers, then the longest. Returns n if there is no loop. */
size_t loops_hottest(const struct code_loop *loops, size_t n);

/* Writes an instruction as an assembler takes it: without notes, with a label as the target of a
 * branch, each kind of nop as "nop". false: text does not have the form of an instruction. */
bool loop_line(const char *text, enum code_machine machine, char out[LOOP_LINE_MAX]);
