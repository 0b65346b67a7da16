/*
 * A compact encoding. Integers take as few bytes as they need; a double is stored as the bytes that
 * differ from the previous one. A reader never passes the end: from there on it returns 0 and sets
 * `bad`.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes { /* a buffer that grows; the caller frees .p */
    uint8_t *p;
    size_t n, cap;
};
void bytes_put(struct bytes *b, const void *p, size_t n);
void bytes_put_byte(struct bytes *b, uint8_t v);
void bytes_put_u64(struct bytes *b, uint64_t v); /* LEB128: 7 bits a byte */
/* Appends the difference v - prev, which may be negative. */
void bytes_put_delta(struct bytes *b, uint64_t v, uint64_t prev);
/* Appends the bytes of v that differ from those of prev. No bit is lost. */
void bytes_put_double(struct bytes *b, double v, double prev);

struct byte_reader {
    const uint8_t *p, *end;
    bool bad;
};
uint8_t bytes_get_byte(struct byte_reader *r);
uint64_t bytes_get_u64(struct byte_reader *r);
uint64_t bytes_get_delta(struct byte_reader *r, uint64_t prev);
double bytes_get_double(struct byte_reader *r, double prev);
/* A pointer to the next n bytes, in the reader's own buffer. NULL, with `bad` set, if fewer are
 * left. */
const uint8_t *bytes_get(struct byte_reader *r, size_t n);

/*
 * A dictionary of blobs, for texts and rows that repeat. Each content is stored once and has a
 * number; number 0 means "none". A writer looks up a number by content, a reader a content by
 * number.
 */
struct dictionary;
struct dictionary *dictionary_new(void);
void dictionary_free(struct dictionary *d);
/* Appends the number of p[0..n), followed by the content if it is new. p NULL means "none". */
void dictionary_put(struct dictionary *d, struct bytes *b, const void *p, size_t n);
/* Reads one reference. Returns the content, with a NUL after it; it lives as long as d. NULL means
 * "none" or damaged input. *n is its length, *number its number, for callers that cache by it. */
const char *dictionary_get(struct dictionary *d, struct byte_reader *r, size_t *n, size_t *number);
