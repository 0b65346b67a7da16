/*
 * Checksums of a capture (docs/CAPTURE.md): XXH3-64 of each block of CAPTURE_BLOCK bytes, and of
 * those, in order, big-endian. For who writes and who reads: allocates nothing.
 */
#ifndef ROOFTOP_FORMAT_SUM_H
#define ROOFTOP_FORMAT_SUM_H

#include <stddef.h>
#include <stdint.h>

/* XXH3-64 of n bytes: of one block. */
uint64_t sum_block(const void *p, size_t n);
/* The same of a block that comes in parts. */
struct sum_parts {
    _Alignas(64) unsigned char state[640];
};
void sum_start(struct sum_parts *s);
void sum_add(struct sum_parts *s, const void *p, size_t n);
uint64_t sum_end(const struct sum_parts *s);
/* Of contents whose blocks have these sums. */
uint64_t sum_blocks(const uint64_t *sums, size_t n);
/* Of contents that are in memory. */
uint64_t sum_bytes(const void *p, size_t n);

enum { SUM_TEXT = 17 };
/* 16 hexadecimal digits and a NUL. Returns out. */
const char *sum_text(uint64_t sum, char out[SUM_TEXT]);

#endif
