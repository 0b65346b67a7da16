/*
 * Folds call stacks into a tree of calls. Symbols are plain numbers here; stacks begin with the
 * outermost frame. Used by one thread, or under the owner's lock.
 */
#ifndef ROOFTOP_BACKENDS_SAMPLER_FOLD_H
#define ROOFTOP_BACKENDS_SAMPLER_FOLD_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash_table.h"
#include "engine/hot/hot_stacks.h"

/* The position of a sample's innermost frame. */
struct fold_place {
    uint64_t address;
    const char *file; /* borrowed until the next reset */
    int line;
};

struct fold {
    struct hot_node *nodes; /* parents come before their children */
    size_t nnodes, cap_nodes;
    struct hot_place *places;
    size_t nplaces, cap_places;
    uint64_t samples;
    struct hash_table by_call, by_place;
};

enum { FOLD_NODES_MAX = 1 << 16, FOLD_PLACES_MAX = 1 << 16 };

/*
 * Adds one sample with the stack symbols[0..n), n >= 1. When FOLD_NODES_MAX is reached, new nodes
 * are not made: the sample counts for the last known frame.
 */
void fold_add(struct fold *f, const uint32_t *symbols, size_t n, const struct fold_place *place);
size_t fold_memory(const struct fold *f); /* bytes */
void fold_reset(struct fold *f);          /* keeps the memory; a zeroed fold is empty */
void fold_free(struct fold *f);

#endif
