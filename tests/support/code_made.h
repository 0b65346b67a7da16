/* Code objects for tests: the committed ones, and small ones made byte by byte, with any damage. */
#ifndef TESTS_SUPPORT_CODE_MADE_H
#define TESTS_SUPPORT_CODE_MADE_H

#include <stddef.h>
#include <stdint.h>

enum { CODE_MADE_MAX = 1 << 16 };
struct code_made { /* MessagePack being written */
    uint8_t bytes[CODE_MADE_MAX];
    size_t n;
};
void made_byte(struct code_made *m, unsigned byte);
void made_map(struct code_made *m, unsigned pairs); /* below 16 */
void made_array(struct code_made *m, unsigned elements);
void made_text(struct code_made *m, const char *text);
void made_number(struct code_made *m, uint64_t v);
void made_pair(struct code_made *m, const char *key, uint64_t v);

/* A linked gfx942 ELF file of code object version 5 with this metadata in a note and nothing else;
 * the caller frees it. */
uint8_t *code_made_elf(const struct code_made *m, size_t *n);

/* tests/data/gpu/hsaco/NAME; the caller frees it, the test fails where it is not there. */
uint8_t *code_file(const char *name, size_t *n);
const char *code_path(const char *name); /* valid until the next call */

/* Skips the test where no disassembler that is installed knows what the file at path is for. */
void needs_disassembler(const char *path);

/* A clang offload bundle of n parts, in one piece; the caller frees it. */
struct code_part {
    const char *target;
    const uint8_t *bytes;
    size_t n;
};
uint8_t *code_bundle(const struct code_part *parts, size_t n, size_t *size);

#endif
