/*
 * The instructions of a function, from the installed objdump or llvm-objdump. For AMD GPUs from
 * llvm-objdump, ROCm's own first. The tool runs as a child in its own process group, for at most
 * ten seconds, during which the call blocks: call it from a thread that may wait.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct disassembly_row {
    uint64_t address;
    const char *text;     /* the instruction, without tabs and control characters */
    const char *encoding; /* "D1FD0000 04020304", for GPUs; NULL if the tool does not show it */
    const char *file;     /* source of the innermost function here; NULL: unknown */
    int line;             /* 0: unknown */
};

struct disassembly {
    const struct disassembly_row *rows; /* sorted by address */
    size_t n;
    const char *tool; /* "objdump" */
    bool cut;         /* there is more code than shown */
};

enum { DISASSEMBLE_BYTES_MAX = 1 << 20 }; /* of code; the rest is cut */

/* Disassembles [address, address + size) of the file at path, with addresses as in the file.
 * Returns 0, or -errno with err: no disassembler installed, no code there, it took too long. The
 * caller frees *out with disassembly_free. */
int disassemble(const char *path, uint64_t address, uint64_t size, struct disassembly **out,
                struct error *err);
/* The same for n bytes of a file in memory; name is used in messages. */
int disassemble_bytes(const char *name, const void *bytes, size_t n, uint64_t address,
                      uint64_t size, struct disassembly **out, struct error *err);
/* Disassembles the function called name (mangled or not). The object file is given by its bytes or,
 * if these are NULL, by its path. Code objects of GPUs are ELF files too. If bytes have no such
 * function, all their code is taken. */
int disassemble_function(const char *path, const void *bytes, size_t size, const char *name,
                         struct disassembly **out, struct error *err);
void disassembly_free(struct disassembly *d);
