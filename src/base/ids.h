/*
 * A map from 64-bit identifiers to small numbers. Dense identifiers are indexes of an array. The
 * others are hashed so that consecutive identifiers lie next to each other: 10^7 correlation ids
 * that come in order cause few cache misses. Identifiers chosen to collide cost no more than
 * others.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define IDS_NONE UINT32_MAX

struct ids {          /* all zero: empty */
    uint32_t *direct; /* indexed by the key; IDS_NONE: absent, or hashed */
    uint64_t ndirect;
    uint64_t *key;
    uint32_t *value; /* IDS_NONE: a free slot */
    uint32_t n;      /* direct and hashed together */
    uint32_t nhashed, size;
};

uint32_t ids_get(const struct ids *ids, uint64_t key); /* IDS_NONE: absent */
/* Adds a key; value must not be IDS_NONE. Returns false if the key has a value already (which
 * stays), or if 2^29 keys are hashed. */
bool ids_add(struct ids *ids, uint64_t key, uint32_t value);
/* Adds a key, or replaces its value. Returns false if 2^29 keys are hashed. */
bool ids_set(struct ids *ids, uint64_t key, uint32_t value);
uint32_t ids_number(struct ids *ids, uint64_t key, bool *is_new); /* numbers new keys 0, 1, 2… */
void ids_free(struct ids *ids);

/* Mixes the bits of a key: the finalizer in Steele, Lea, Flood: Fast splittable pseudorandom number
 * generators (2014). */
static inline uint64_t ids_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}
