/*
 * Checksums of a capture (docs/CAPTURE.md): XXH3-64 of each block of CAPTURE_BLOCK bytes, and
 * XXH3-64 of those checksums, in order, big-endian. Allocates nothing.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* XXH3-64 of one block of n bytes. */
uint64_t sum_block(const void *p, size_t n);
/* The same for a block that arrives in parts. */
struct sum_parts {
    _Alignas(64) unsigned char state[640];
};
void sum_start(struct sum_parts *s);
void sum_add(struct sum_parts *s, const void *p, size_t n);
uint64_t sum_end(const struct sum_parts *s);
/* The checksum of contents, from the checksums of their n blocks. */
uint64_t sum_blocks(const uint64_t *sums, size_t n);
/* The checksum of n bytes of contents in memory. */
uint64_t sum_bytes(const void *p, size_t n);

enum { SUM_TEXT = 17 };
/* Writes 16 hexadecimal digits and a NUL. Returns out. */
const char *sum_text(uint64_t sum, char out[SUM_TEXT]);
