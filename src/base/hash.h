/*
 * Hashes for tables and keys: 64-bit XXH3 from xxHash, the same on every machine. All bits are
 * mixed, so the low bits can index a table. Start from 0, and give each result to the next call.
 *
 * src/brick has its own FNV-1a: it runs inside other programs, which must not need a library for
 * it, and rooftop_hash is part of its interface.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <xxhash.h>

/* (h, v) and (v, h) differ. The factors: 2^64 over the golden ratio (Knuth, TAOCP vol. 3, 6.4), and
 * the finalizer's of Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014). */
static inline uint64_t hash_number(uint64_t h, uint64_t v)
{
    h = (h * UINT64_C(0x9e3779b97f4a7c15) ^ v) * UINT64_C(0xbf58476d1ce4e5b9);
    return h ^ h >> 29;
}

static inline uint64_t hash_bytes(uint64_t h, const void *p, size_t n)
{
    return hash_number(h, XXH3_64bits(p, n));
}

static inline uint64_t hash_text(uint64_t h, const char *text)
{
    return hash_bytes(h, text, strlen(text));
}
