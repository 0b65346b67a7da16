/* Lists the installed disassemblers, the most capable first. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum { DISASSEMBLERS_MAX = 32 };
struct disassembler {
    const char *name; /* for people: "llvm-objdump-19", "/opt/rocm-6.4.0/llvm/bin/llvm-objdump" */
    const char *path;
};

/* Whether the ELF file at path is for AMD GPUs, which binutils does not know. */
bool disassembler_is_gpu(const char *path);
/* Writes the AMD GPU that the ELF file at path is for ("gfx942", "a GPU of number 0x7e"); false:
 * none. */
bool disassembler_processor(const char *path, char out[32]);
/* Whether the disassembler at path `tool` knows the machine of the ELF file at path. Runs it, for
 * at most five seconds, on a file with the same header and no code. */
bool disassembler_knows(const char *tool, const char *path);
/* Lists the tools; texts lie in the arena. For GPUs: ROCm's own ($ROCM_PATH, /opt/rocm*, newest
 * first), then LLVM's in PATH, newest first; for other machines binutils' before them. Returns how
 * many. */
size_t disassembler_list(bool gpu, struct disassembler out[DISASSEMBLERS_MAX], struct arena *arena);
