#include "backends/nsys/ids.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { RUN = 32 /* neighbours that stay together */, FIRST = 256, FULL = 1 << 30 };

/* Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014), the finalizer. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Where it is, or the free place where it belongs. */
static uint32_t place(const struct ids *ids, uint64_t key)
{
    uint32_t mask = ids->size - 1;
    uint32_t at = (uint32_t)(mix(key / RUN) * RUN + key % RUN) & mask;
    while (ids->value[at] != IDS_NONE && ids->key[at] != key)
        at = (at + 1) & mask;
    return at;
}

static void grow(struct ids *ids)
{
    uint64_t *key = ids->key;
    uint32_t *value = ids->value, size = ids->size;
    ids->size = size ? size * 2 : FIRST;
    ids->key = xcalloc(ids->size, sizeof *ids->key);
    ids->value = xcalloc(ids->size, sizeof *ids->value);
    memset(ids->value, 0xff, ids->size * sizeof *ids->value);
    for (uint32_t i = 0; i < size; i++) {
        if (value[i] == IDS_NONE)
            continue;
        uint32_t at = place(ids, key[i]);
        ids->key[at] = key[i];
        ids->value[at] = value[i];
    }
    free(key);
    free(value);
}

uint32_t ids_get(const struct ids *ids, uint64_t key)
{
    return ids->size ? ids->value[place(ids, key)] : IDS_NONE;
}

bool ids_add(struct ids *ids, uint64_t key, uint32_t value)
{
    if (ids->n >= ids->size / 8 * 5 && ids->size < FULL)
        grow(ids);
    uint32_t at = place(ids, key);
    if (ids->value[at] != IDS_NONE || ids->n + 1 >= ids->size)
        return false;
    ids->key[at] = key;
    ids->value[at] = value;
    ids->n++;
    return true;
}

uint32_t ids_number(struct ids *ids, uint64_t key, bool *is_new)
{
    uint32_t next = ids->n;
    *is_new = ids_add(ids, key, next);
    return *is_new ? next : ids_get(ids, key);
}

void ids_free(struct ids *ids)
{
    free(ids->key);
    free(ids->value);
    *ids = (struct ids){0};
}
