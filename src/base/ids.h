/*
 * From 64-bit identifiers to small numbers. Those that are about as dense as an array lie in one;
 * the others are hashed so that identifiers that follow each other lie beside each other: 10^7
 * correlations, which come about in order, cost few misses of the cache. Any identifiers: a file
 * that was made to collide costs no more than another.
 */
#ifndef ROOFTOP_BASE_IDS_H
#define ROOFTOP_BASE_IDS_H

#include <stdbool.h>
#include <stdint.h>

#define IDS_NONE UINT32_MAX

struct ids {          /* zeroed: empty */
    uint32_t *direct; /* by the key itself; IDS_NONE: not there, or among the hashed */
    uint64_t ndirect;
    uint64_t *key;
    uint32_t *value; /* IDS_NONE: a free place */
    uint32_t n;      /* of all */
    uint32_t nhashed, size;
};

uint32_t ids_get(const struct ids *ids, uint64_t key); /* IDS_NONE: not there */
/* value: not IDS_NONE. false: the key had one, which stays; or 2^29 hashed ones are there. */
bool ids_add(struct ids *ids, uint64_t key, uint32_t value);
uint32_t ids_number(struct ids *ids, uint64_t key, bool *is_new); /* 0, 1, 2… as they come */
void ids_free(struct ids *ids);

/* Spreads the bits of a key: Steele, Lea, Flood: Fast splittable pseudorandom number generators
 * (2014), the finalizer. */
static inline uint64_t ids_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

#endif
