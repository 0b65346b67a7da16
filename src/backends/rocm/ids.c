#include "backends/rocm/ids.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static uint32_t place(const struct rocm_ids *ids, uint64_t key)
{
    uint32_t i = (uint32_t)rocm_mix(key) & (ids->size - 1);
    while (ids->value[i] != IDS_NONE && ids->key[i] != key)
        i = (i + 1) & (ids->size - 1);
    return i;
}

uint32_t rocm_ids_get(const struct rocm_ids *ids, uint64_t key)
{
    return ids->size ? ids->value[place(ids, key)] : IDS_NONE;
}

static void grow(struct rocm_ids *ids)
{
    struct rocm_ids old = *ids;
    ids->size = old.size ? old.size * 2 : 16;
    ids->key = xcalloc(ids->size, sizeof *ids->key);
    ids->value = xcalloc(ids->size, sizeof *ids->value);
    memset(ids->value, 0xff, ids->size * sizeof *ids->value);
    for (uint32_t i = 0; i < old.size; i++)
        if (old.value[i] != IDS_NONE) {
            uint32_t at = place(ids, old.key[i]);
            ids->key[at] = old.key[i];
            ids->value[at] = old.value[i];
        }
    free(old.key);
    free(old.value);
}

bool rocm_ids_add(struct rocm_ids *ids, uint64_t key, uint32_t value)
{
    if (3 * ((uint64_t)ids->n + 1) > 2 * (uint64_t)ids->size)
        grow(ids);
    uint32_t at = place(ids, key);
    if (ids->value[at] != IDS_NONE)
        return false;
    ids->key[at] = key;
    ids->value[at] = value;
    ids->n++;
    return true;
}

void rocm_ids_free(struct rocm_ids *ids)
{
    free(ids->key);
    free(ids->value);
    *ids = (struct rocm_ids){0};
}
