/*
 * From 64-bit identifiers of a profile to small numbers. Any identifiers: a file that was made to
 * collide costs no more than another.
 */
#ifndef ROOFTOP_BACKENDS_ROCM_IDS_H
#define ROOFTOP_BACKENDS_ROCM_IDS_H

#include <stdbool.h>
#include <stdint.h>

#define IDS_NONE UINT32_MAX

struct rocm_ids { /* zeroed: empty */
    uint64_t *key;
    uint32_t *value; /* IDS_NONE: a free place */
    uint32_t n, size;
};

uint32_t rocm_ids_get(const struct rocm_ids *ids, uint64_t key); /* IDS_NONE: not there */
/* value: not IDS_NONE. false: the key had one, which stays. */
bool rocm_ids_add(struct rocm_ids *ids, uint64_t key, uint32_t value);
void rocm_ids_free(struct rocm_ids *ids);

/* Spreads the bits of a key: the last step of MurmurHash3 (Austin Appleby, public domain). */
static inline uint64_t rocm_mix(uint64_t key)
{
    key = (key ^ key >> 33) * UINT64_C(0xff51afd7ed558ccd);
    key = (key ^ key >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return key ^ key >> 33;
}

#endif
