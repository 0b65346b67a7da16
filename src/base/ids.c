#include "base/ids.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { RUN = 32 /* neighbouring keys that stay together */, FIRST = 256, FULL = 1 << 30 };
/* keys are direct below ALWAYS, or below SPARSE times their number */
enum { ALWAYS = 1024, SPARSE = 4 };

/* Returns the slot that holds the key, or the free slot for it. */
static uint32_t slot_of_key(const struct ids *ids, uint64_t key)
{
    uint32_t mask = ids->size - 1;
    uint32_t at = (uint32_t)(ids_mix(key / RUN) * RUN + key % RUN) & mask;
    while (ids->value[at] != IDS_NONE && ids->key[at] != key)
        at = (at + 1) & mask;
    return at;
}

static uint32_t *make_empty_ids(uint64_t n)
{
    uint32_t *list = xcalloc(n, sizeof *list);
    memset(list, 0xff, n * sizeof *list);
    return list;
}

static void grow_ids(struct ids *ids)
{
    uint64_t *key = ids->key;
    uint32_t *value = ids->value, size = ids->size;
    ids->size = size ? size * 2 : FIRST;
    ids->key = xcalloc(ids->size, sizeof *ids->key);
    ids->value = make_empty_ids(ids->size);
    for (uint32_t i = 0; i < size; i++) {
        if (value[i] == IDS_NONE)
            continue;
        uint32_t at = slot_of_key(ids, key[i]);
        ids->key[at] = key[i];
        ids->value[at] = value[i];
    }
    free(key);
    free(value);
}

uint32_t ids_get(const struct ids *ids, uint64_t key)
{
    if (key < ids->ndirect && ids->direct[key] != IDS_NONE)
        return ids->direct[key];
    return ids->nhashed ? ids->value[slot_of_key(ids, key)] : IDS_NONE;
}

/* Returns whether the key belongs in the direct array, and makes the array large enough for it. */
static bool is_direct(struct ids *ids, uint64_t key)
{
    if (key < ids->ndirect)
        return true;
    if (key >= ALWAYS && key / SPARSE > ids->n)
        return false;
    uint64_t size = ids->ndirect ? ids->ndirect * 2 : 64;
    while (size <= key)
        size *= 2;
    ids->direct = xrealloc(ids->direct, size, sizeof *ids->direct);
    memset(ids->direct + ids->ndirect, 0xff, (size - ids->ndirect) * sizeof *ids->direct);
    ids->ndirect = size;
    return true;
}

bool ids_add(struct ids *ids, uint64_t key, uint32_t value)
{
    if (ids_get(ids, key) != IDS_NONE)
        return false;
    if (is_direct(ids, key)) {
        ids->direct[key] = value;
    } else {
        if (ids->nhashed >= ids->size / 8 * 5 && ids->size < FULL)
            grow_ids(ids);
        if (ids->nhashed >= FULL / 2)
            return false;
        uint32_t at = slot_of_key(ids, key);
        ids->key[at] = key;
        ids->value[at] = value;
        ids->nhashed++;
    }
    ids->n++;
    return true;
}

bool ids_set(struct ids *ids, uint64_t key, uint32_t value)
{
    if (ids_get(ids, key) == IDS_NONE)
        return ids_add(ids, key, value);
    if (key < ids->ndirect && ids->direct[key] != IDS_NONE)
        ids->direct[key] = value;
    else
        ids->value[slot_of_key(ids, key)] = value;
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
    free(ids->direct);
    free(ids->key);
    free(ids->value);
    *ids = (struct ids){0};
}
