/*
 * What is looked up in a code object's ELF file: kernels by address, variables, what lies at an
 * address. It is the program's own, and the runtime has accepted it; it is read with bounds all the
 * same. Nothing is allocated.
 */
#ifndef ROOFTOP_CAPTURE_CODE_ELF_H
#define ROOFTOP_CAPTURE_CODE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_symbol {
    const char *name;       /* kernels: with .kd */
    uint64_t address, size; /* before relocation */
    bool kernel;            /* else a variable */
};

/* Each kernel and variable once: *at is 0 at first. False after the last. */
bool code_next_symbol(const void *elf, size_t size, size_t *at, struct code_symbol *out);
/* len bytes at an address, as the file has them; NULL: not in the file. */
const void *code_bytes_at(const void *elf, size_t size, uint64_t address, size_t len);
/* Bytes of arguments, from the kernel's descriptor; 0 unknown, or none. */
uint32_t code_elf_kernarg_size(const void *elf, size_t size, const struct code_symbol *kernel);

#endif
