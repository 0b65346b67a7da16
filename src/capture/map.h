/*
 * A table from numbers to fixed-size records, in memory of its own: it grows by mmap, never by the
 * program's malloc, and without limit. It has no lock.
 */
#ifndef ROOFTOP_CAPTURE_MAP_H
#define ROOFTOP_CAPTURE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct map {
    size_t record; /* bytes of a record; set before the first use */
    size_t room, used, live;
    uint8_t *slots;
};

/* Converts an address from a number to a pointer. */
static inline void *map_pointer(uint64_t address)
{
    void *p;
    memcpy(&p, &address, sizeof p);
    return p;
}

/* Zeroed memory from the system; NULL: no memory. */
void *map_memory(size_t size);
void map_memory_free(void *memory, size_t size); /* NULL is allowed */

/* The key's record, zeroed if it is new; valid until the next map_put. NULL: no memory. */
void *map_put(struct map *m, uint64_t key);
void *map_get(const struct map *m, uint64_t key); /* NULL: not found */
bool map_remove(struct map *m, uint64_t key);
/* Returns each record once; *at is 0 for the first call. NULL after the last. */
void *map_next(const struct map *m, size_t *at, uint64_t *key);
void map_clear(struct map *m);

#endif
