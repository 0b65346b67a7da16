/*
 * Bytes written and read in the small: numbers in as few bytes as they need, doubles by what
 * changed since the last one. Reading never passes the end: past it everything is 0 and `bad` is
 * set.
 */
#ifndef ROOFTOP_ENGINE_VALUE_BYTES_H
#define ROOFTOP_ENGINE_VALUE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes { /* growing; free .p */
    uint8_t *p;
    size_t n, cap;
};
void bytes_put(struct bytes *b, const void *p, size_t n);
void bytes_put_byte(struct bytes *b, uint8_t v);
void bytes_put_u64(struct bytes *b, uint64_t v); /* LEB128: 7 bits a byte */
/* v as its difference from prev. */
void bytes_put_delta(struct bytes *b, uint64_t v, uint64_t prev);
/* The bytes of v that differ from those of prev, bit for bit. */
void bytes_put_double(struct bytes *b, double v, double prev);

struct byte_reader {
    const uint8_t *p, *end;
    bool bad;
};
uint8_t bytes_get_byte(struct byte_reader *r);
uint64_t bytes_get_u64(struct byte_reader *r);
uint64_t bytes_get_delta(struct byte_reader *r, uint64_t prev);
double bytes_get_double(struct byte_reader *r, double prev);
/* n bytes in place, NULL (and bad) where there are fewer. */
const uint8_t *bytes_get(struct byte_reader *r, size_t n);

/*
 * Blobs by number, each content once: for texts and rows that come again and again. Number 0 is
 * "none". The writer's form finds a content, the reader's form a number.
 */
struct dictionary;
struct dictionary *dictionary_new(void);
void dictionary_free(struct dictionary *d);
/* The reference, followed by the content where it is new; p NULL = none. */
void dictionary_put(struct dictionary *d, struct bytes *b, const void *p, size_t n);
/* In place, NUL after it, for d's life; NULL = none. *number: its number, for caches beside. */
const char *dictionary_get(struct dictionary *d, struct byte_reader *r, size_t *n, size_t *number);

#endif
