#include "capture/capture_impl.h"

#include <string.h>
#include <sys/mman.h>

enum { FREE, USED, GONE, FIRST_ROOM = 64 };

/* The header of each record. */
struct map_slot {
    uint64_t key;
    uint64_t state;
};

void *map_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void map_memory_free(void *memory, size_t size)
{
    if (memory)
        munmap(memory, size);
}

static size_t slot_stride(const struct map *m)
{
    return sizeof(struct map_slot) + (m->record + 7) / 8 * 8;
}

static struct map_slot *slot_at(const struct map *m, size_t i)
{
    return (struct map_slot *)(void *)(m->slots + i * slot_stride(m));
}

static size_t hash_address(uint64_t key, size_t room)
{
    key ^= key >> 33; /* addresses differ in their middle bits */
    key *= 0xff51afd7ed558ccdull;
    key ^= key >> 33;
    return (size_t)key & (room - 1);
}

static struct map_slot *find_slot(const struct map *m, uint64_t key)
{
    if (!m->room)
        return NULL;
    for (size_t i = hash_address(key, m->room);; i = (i + 1) & (m->room - 1)) {
        struct map_slot *s = slot_at(m, i);
        if (s->state == FREE)
            return NULL;
        if (s->state == USED && s->key == key)
            return s;
    }
}

/* Finds a free slot for a key that is not in the table. */
static struct map_slot *take_slot(struct map *m, uint64_t key)
{
    size_t i = hash_address(key, m->room);
    while (slot_at(m, i)->state == USED)
        i = (i + 1) & (m->room - 1);
    struct map_slot *s = slot_at(m, i);
    m->used += s->state == FREE;
    m->live++;
    s->state = USED;
    s->key = key;
    memset(s + 1, 0, m->record);
    return s;
}

/* Moves the live records into a table of at least twice their number, without removed slots. */
static bool grow_map(struct map *m)
{
    struct map larger = {.record = m->record, .room = FIRST_ROOM};
    while (larger.room < 4 * (m->live + 1))
        larger.room *= 2;
    larger.slots = map_memory(larger.room * slot_stride(m));
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < m->room; i++) {
        const struct map_slot *s = slot_at(m, i);
        if (s->state == USED)
            memcpy(take_slot(&larger, s->key) + 1, s + 1, m->record);
    }
    map_memory_free(m->slots, m->room * slot_stride(m));
    *m = larger;
    return true;
}

void *map_put(struct map *m, uint64_t key)
{
    struct map_slot *s = find_slot(m, key);
    if (s)
        return s + 1;
    if (4 * (m->used + 1) > 3 * m->room && !grow_map(m))
        return NULL;
    return take_slot(m, key) + 1;
}

void *map_get(const struct map *m, uint64_t key)
{
    struct map_slot *s = find_slot(m, key);
    return s ? s + 1 : NULL;
}

bool map_remove(struct map *m, uint64_t key)
{
    struct map_slot *s = find_slot(m, key);
    if (!s)
        return false;
    s->state = GONE;
    m->live--;
    return true;
}

void *map_next(const struct map *m, size_t *at, uint64_t *key)
{
    while (*at < m->room) {
        struct map_slot *s = slot_at(m, (*at)++);
        if (s->state == USED) {
            if (key)
                *key = s->key;
            return s + 1;
        }
    }
    return NULL;
}

void map_clear(struct map *m)
{
    map_memory_free(m->slots, m->room * slot_stride(m));
    *m = (struct map){.record = m->record};
}
