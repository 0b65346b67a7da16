/* Which disassemblers are installed, those first that know most of what is to be read. */
#ifndef ROOFTOP_SYMBOLS_SOURCE_DISASSEMBLER_H
#define ROOFTOP_SYMBOLS_SOURCE_DISASSEMBLER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum { DISASSEMBLERS_MAX = 32 };
struct disassembler {
    const char *name; /* for people: "llvm-objdump-19", "/opt/rocm-6.4.0/llvm/bin/llvm-objdump" */
    const char *path;
};

/* Whether the ELF file at path is for AMD's GPUs: of those binutils know nothing. */
bool disassembler_is_gpu(const char *path);
/* What kind of AMD GPU the ELF file at path is for ("gfx942", "a GPU of number 0x7e"); false: none.
 */
bool disassembler_processor(const char *path, char out[32]);
/*
 * Whether the disassembler (its path) knows the machine that the ELF file is for: it is asked, with
 * a file that has the same header and no code. Runs it, for five seconds at most.
 */
bool disassembler_knows(const char *tool, const char *path);
/* "LLVM 14.0.6", from the program itself; "" where it does not tell. */
void disassembler_version(const char *tool, char *out, size_t size);
/* In the arena. GPUs: ROCm's own ($ROCM_PATH, /opt/rocm*, newest first), then LLVM's of PATH,
 * newest first. */
size_t disassembler_list(bool gpu, struct disassembler out[DISASSEMBLERS_MAX], struct arena *arena);

#endif
