/*
 * The memory of the vTPU: cells of 8 bytes, found by coordinates.
 *
 * A coordinate's dimensions 0 to 2, modulo 128, give a cell of a region in Morton order; dimensions
 * 3 to 10, modulo 256, name the region. So coordinates that differ by 128 (or 256) name the same
 * cell, as documented. Regions get 16 MiB of the flat address space each, in the order of their
 * first use. Only blocks of 4 KiB that are used take memory.
 *
 * The translation cache has 256 sets of 8 ways; in a full set way 0 is replaced.
 */
#pragma once

#include "vtpu/word.h"

struct vtpu_memory;

struct vtpu_memory_stats {
    uint64_t hits, misses; /* of the translation cache */
    size_t regions, blocks;
    bool full; /* memory was used up: further coordinates share one cell */
};

struct vtpu_memory *vtpu_memory_new(void);
void vtpu_memory_free(struct vtpu_memory *m);
/* Returns the cell of a coordinate, which never moves; 0 until it is written. Uses the translation
 * cache. */
uint64_t *vtpu_memory_cell(struct vtpu_memory *m, const struct coord *c);
/* The address in the flat space that a coordinate is translated to. */
uint64_t vtpu_memory_address(struct vtpu_memory *m, const struct coord *c);
struct vtpu_memory_stats vtpu_memory_stats(const struct vtpu_memory *m);
/* A checksum: equal for two memories with the same value at each flat address. */
uint64_t vtpu_memory_sum(const struct vtpu_memory *m);
