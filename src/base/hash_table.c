#include "base/hash_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { FIRST = 64 };
#define LARGEST (UINT32_C(1) << 31)

static void put_slot(struct hash_table *t, struct hash_slot s)
{
    uint32_t at = s.hash;
    while (t->slots[at & (t->size - 1)].number)
        at++;
    t->slots[at & (t->size - 1)] = s;
}

static void grow_hash_slots(struct hash_table *t)
{
    struct hash_table old = *t;
    t->size = old.size ? old.size * 2 : FIRST;
    t->slots = xcalloc(t->size, sizeof *t->slots);
    for (uint32_t i = 0; i < old.size; i++)
        if (old.slots[i].number)
            put_slot(t, old.slots[i]);
    free(old.slots);
}

void hash_table_add(struct hash_table *t, uint64_t hash, size_t number)
{
    if (2 * ((uint64_t)t->n + 1) > t->size && t->size < LARGEST)
        grow_hash_slots(t);
    put_slot(t, (struct hash_slot){(uint32_t)hash, (uint32_t)number + 1});
    t->n++;
}

void hash_table_clear(struct hash_table *t)
{
    if (t->n)
        memset(t->slots, 0, t->size * sizeof *t->slots);
    t->n = 0;
}

void hash_table_free(struct hash_table *t)
{
    free(t->slots);
    *t = (struct hash_table){0};
}

size_t hash_table_memory(const struct hash_table *t)
{
    return t->size * sizeof *t->slots;
}
