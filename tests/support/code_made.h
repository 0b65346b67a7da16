/* Code objects for tests: committed files, and small ones built byte by byte with any damage. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { CODE_MADE_MAX = 1 << 16 };
struct code_made { /* MessagePack under construction */
    uint8_t bytes[CODE_MADE_MAX];
    size_t n;
};
void made_byte(struct code_made *m, unsigned byte);
void made_map(struct code_made *m, unsigned pairs); /* fewer than 16 pairs */
void made_array(struct code_made *m, unsigned elements);
void made_text(struct code_made *m, const char *text);
void made_number(struct code_made *m, uint64_t v);
void made_pair(struct code_made *m, const char *key, uint64_t v);

/* Makes a linked gfx942 ELF file of code object version 5 that has only a note with this metadata.
 * The caller frees it. */
uint8_t *code_made_elf(const struct code_made *m, size_t *n);

/* Reads tests/data/gpu/hsaco/NAME; the test fails if it does not exist. The caller frees it. */
uint8_t *code_file(const char *name, size_t *n);
const char *code_path(const char *name); /* valid until the next call */

/* Skips the test if no installed disassembler knows the file's target. */
void needs_disassembler(const char *path);

/* Makes a clang offload bundle of n parts. The caller frees it. */
struct code_part {
    const char *target;
    const uint8_t *bytes;
    size_t n;
};
uint8_t *code_bundle(const struct code_part *parts, size_t n, size_t *size);
