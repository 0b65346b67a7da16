/*
 * From the 64-bit identifiers of an export to small numbers: strings, threads, processes, calls by
 * their correlation. Identifiers that follow each other lie beside each other, so that 10^7
 * correlations, which come about in order, cost few misses of the cache.
 */
#ifndef ROOFTOP_BACKENDS_NSYS_IDS_H
#define ROOFTOP_BACKENDS_NSYS_IDS_H

#include <stdbool.h>
#include <stdint.h>

#define IDS_NONE UINT32_MAX

struct ids { /* zeroed: empty */
    uint64_t *key;
    uint32_t *value; /* IDS_NONE: a free place */
    uint32_t n, size;
};

uint32_t ids_get(const struct ids *ids, uint64_t key);       /* IDS_NONE: not there */
bool ids_add(struct ids *ids, uint64_t key, uint32_t value); /* false: it had one, which stays */
uint32_t ids_number(struct ids *ids, uint64_t key, bool *is_new); /* 0, 1, 2… as they come */
void ids_free(struct ids *ids);

#endif
