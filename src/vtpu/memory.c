#include "vtpu/memory.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/hash_table.h"
#include "vtpu/vtpu_impl.h"

enum {
    SETS = 256,
    WAYS = 8,
    REGION_BITS = 24,    /* 16 MiB */
    BLOCK_CELLS = 512,   /* 4 KiB */
    BLOCKS_MAX = 1 << 15 /* 128 MiB */
};

struct way {
    struct coord_bits tag;
    uint64_t *cell; /* NULL: free */
};

struct block {
    uint64_t number; /* flat address / 4096 */
    uint64_t *cells;
};

struct vtpu_memory {
    struct way cache[SETS][WAYS];
    uint64_t *regions; /* keys of the regions, in the order of their first use */
    size_t nregions;
    struct block *blocks;
    size_t nblocks;
    struct hash_table region_table, block_table;
    uint64_t hits, misses;
    uint64_t shared; /* the one cell of all coordinates beyond BLOCKS_MAX */
    bool full;
};

struct vtpu_memory *vtpu_memory_new(void)
{
    return xcalloc(1, sizeof(struct vtpu_memory));
}

void vtpu_memory_free(struct vtpu_memory *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->nblocks; i++)
        free(m->blocks[i].cells);
    free(m->blocks);
    free(m->regions);
    hash_table_free(&m->region_table);
    hash_table_free(&m->block_table);
    free(m);
}

/* Returns the list with room for one more element; it doubles. */
static void *grow_doubling(void *list, size_t n, size_t size)
{
    if (n & (n - 1))
        return list;
    return xrealloc(list, n ? 2 * n : 1, size);
}

static size_t find_or_add_region(struct vtpu_memory *m, const struct coord *c)
{
    uint64_t key = 0;
    for (int k = 3; k < COORD_DIMS; k++)
        key = key << 8 | (c->dim[k] & 0xff);
    uint64_t hash = hash_number(0, key);
    HASH_EACH (&m->region_table, hash, i)
        if (m->regions[i] == key)
            return i;
    hash_table_add(&m->region_table, hash, m->nregions);
    m->regions = grow_doubling(m->regions, m->nregions, sizeof *m->regions);
    m->regions[m->nregions] = key;
    return m->nregions++;
}

uint64_t vtpu_memory_address(struct vtpu_memory *m, const struct coord *c)
{
    return (uint64_t)find_or_add_region(m, c) << REGION_BITS |
           8 * (uint64_t)morton3(c->dim[0], c->dim[1], c->dim[2]);
}

static uint64_t *cell_at(struct vtpu_memory *m, uint64_t address)
{
    uint64_t number = address / sizeof(uint64_t) / BLOCK_CELLS, hash = hash_number(1, number);
    size_t cell = address / sizeof(uint64_t) % BLOCK_CELLS;
    HASH_EACH (&m->block_table, hash, i)
        if (m->blocks[i].number == number)
            return &m->blocks[i].cells[cell];
    if (m->nblocks == BLOCKS_MAX) {
        m->full = true;
        return &m->shared;
    }
    hash_table_add(&m->block_table, hash, m->nblocks);
    m->blocks = grow_doubling(m->blocks, m->nblocks, sizeof *m->blocks);
    m->blocks[m->nblocks] = (struct block){number, xcalloc(BLOCK_CELLS, sizeof(uint64_t))};
    return &m->blocks[m->nblocks++].cells[cell];
}

static unsigned cache_set_of(struct coord_bits b)
{
    uint64_t h = b.low * UINT64_C(0x517cc1b727220a95) ^ b.high * UINT64_C(0x9e3779b97f4a7c15);
    h ^= h >> 17 ^ h >> 34;
    return (unsigned)(h % SETS);
}

uint64_t *vtpu_memory_cell(struct vtpu_memory *m, const struct coord *c)
{
    struct coord_bits tag = coord_pack(c);
    struct way *set = m->cache[cache_set_of(tag)], *free_way = set;
    for (struct way *w = set; w < set + WAYS; w++) {
        if (!w->cell) {
            free_way = w;
            break;
        }
        if (w->tag.low == tag.low && w->tag.high == tag.high) {
            m->hits++;
            return w->cell;
        }
    }
    m->misses++;
    *free_way = (struct way){tag, cell_at(m, vtpu_memory_address(m, c))};
    return free_way->cell;
}

struct vtpu_memory_stats vtpu_memory_stats(const struct vtpu_memory *m)
{
    return (struct vtpu_memory_stats){m->hits, m->misses, m->nregions, m->nblocks, m->full};
}

uint64_t vtpu_memory_sum(const struct vtpu_memory *m)
{
    uint64_t sum = m->shared;
    for (size_t i = 0; i < m->nblocks; i++)
        for (unsigned k = 0; k < BLOCK_CELLS; k++)
            if (m->blocks[i].cells[k])
                sum += hash_number(hash_number(m->blocks[i].number, k), m->blocks[i].cells[k]);
    return sum;
}
