/*
 * Reads from a code object's ELF file: kernels by address, variables, the bytes at an address. The
 * file is the program's own and the runtime has accepted it; it is still read with bounds checks.
 * Nothing is allocated.
 */
#ifndef ROOFTOP_CAPTURE_CODE_ELF_H
#define ROOFTOP_CAPTURE_CODE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct captured_symbol {
    const char *name;       /* of kernels: with .kd */
    uint64_t address, size; /* before relocation */
    bool kernel;            /* else a variable */
};

/* Returns each kernel and variable once; *at is 0 for the first call. False after the last. */
bool code_next_symbol(const void *elf, size_t size, size_t *at, struct captured_symbol *out);
/* The file's len bytes for an address; NULL: not in the file. */
const void *code_bytes_at(const void *elf, size_t size, uint64_t address, size_t len);
/* The size of a kernel's arguments in bytes, from its descriptor; 0: unknown, or none. */
uint32_t code_elf_kernarg_size(const void *elf, size_t size, const struct captured_symbol *kernel);

#endif
