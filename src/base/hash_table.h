/*
 * Finds elements of a list by a hash of their content. The list and the comparison stay with the
 * caller; the table stores hashes and numbers (open addressing, at most half full):
 *
 *     HASH_EACH (&t->table, hash, i)
 *         if (same(&t->list[i], wanted))
 *             return i;
 *     hash_table_add(&t->table, hash, t->n);
 *     t->list[t->n++] = *wanted;
 *
 * 32 bits of the hash are used (base/hash.h mixes them well enough); the loop visits all elements
 * whose hashes are equal, so the comparison must be complete. Elements cannot be removed. For
 * 64-bit identifiers there is base/ids.h.
 *
 * src/brick and src/capture have tables of their own: they run inside other programs, where they
 * may neither allocate nor lock while others read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_slot {
    uint32_t hash;
    uint32_t number; /* 1 + the number; 0: free */
};

struct hash_table { /* all zero: empty */
    struct hash_slot *slots;
    uint32_t n, size; /* size: a power of two, or 0 */
};

/* Runs the statement for each element with this hash; i is its number. hash is evaluated several
 * times. */
/* NOLINTBEGIN(bugprone-macro-parentheses): i is declared */
#define HASH_EACH(table, hash, i)                                                                  \
    for (uint32_t i, i##_at = (uint32_t)(hash);                                                    \
         hash_table_next((table), (uint32_t)(hash), &i##_at, &i);)
/* NOLINTEND(bugprone-macro-parentheses) */

/* Adds a number below UINT32_MAX, without a check that it is new. */
void hash_table_add(struct hash_table *t, uint64_t hash, size_t number);
void hash_table_clear(struct hash_table *t);          /* keeps the memory */
void hash_table_free(struct hash_table *t);           /* empty afterwards */
size_t hash_table_memory(const struct hash_table *t); /* bytes */

static inline bool hash_table_next(const struct hash_table *t, uint32_t hash, uint32_t *at,
                                   uint32_t *number)
{
    while (t->size) {
        const struct hash_slot *s = &t->slots[(*at)++ & (t->size - 1)];
        if (s->number == 0)
            return false;
        *number = s->number - 1;
        if (s->hash == hash)
            return true;
    }
    return false;
}
