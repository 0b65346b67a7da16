/*
 * The instructions of a function, through objdump or llvm-objdump, whichever is installed; of AMD's
 * GPUs through llvm-objdump, ROCm's own before others. Runs it as a child of a process group of its
 * own, for ten seconds at most; blocks so long: call it from a thread that may.
 */
#ifndef ROOFTOP_SYMBOLS_SOURCE_DISASSEMBLE_H
#define ROOFTOP_SYMBOLS_SOURCE_DISASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct disassembly_row {
    uint64_t address;
    const char *text;     /* the instruction, without tabs and control characters */
    const char *encoding; /* "D1FD0000 04020304", of GPUs; NULL where the tool does not tell */
    const char *file;     /* source of the innermost function here; NULL unknown */
    int line;             /* 0 unknown */
};

struct disassembly {
    const struct disassembly_row *rows; /* by address */
    size_t n;
    const char *tool; /* "objdump" */
    bool cut;         /* there is more than is shown */
};

enum { DISASSEMBLE_BYTES_MAX = 1 << 20 }; /* of code; what is longer is cut */

/*
 * The code of the file at path in [address, address + size), addresses as in the file. 0, or
 * -errno with err: no such program installed, nothing there, it took too long. Free *out with
 * disassembly_free.
 */
int disassemble(const char *path, uint64_t address, uint64_t size, struct disassembly **out,
                struct error *err);
/* The same of a file given by its bytes; name: for messages. */
int disassemble_bytes(const char *name, const void *bytes, size_t n, uint64_t address,
                      uint64_t size, struct disassembly **out, struct error *err);
/*
 * All code of the function called name (mangled or not), of an object file given by its bytes or,
 * where those are NULL, by its path. Code objects of GPUs are ELF files too: of bytes without that
 * function all code is taken.
 */
int disassemble_function(const char *path, const void *bytes, size_t size, const char *name,
                         struct disassembly **out, struct error *err);
void disassembly_free(struct disassembly *d);

#endif
