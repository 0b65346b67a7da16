/*
 * The samples of a whole file, folded into one tree while the file is read. Its stacks are valid
 * after hot_profile_end.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "base/hash_table.h"
#include "engine/functions/hot_stacks.h"

/* Limits of what one file may take; a real file of 10^6 samples has some 10^5 nodes. */
enum {
    HOT_PROFILE_NODES = 8 << 20,
    HOT_PROFILE_SYMBOLS = 4 << 20,
    HOT_PROFILE_TEXTS = 512 << 20, /* bytes of names */
    HOT_PROFILE_DEPTH = 16384      /* frames of a stack: each is written for each call path */
};
/* Stands for the stack of a sample that has none. */
#define HOT_NO_STACK "[no stack]"

struct hot_profile {
    struct hot_stacks stacks;
    uint64_t taken;    /* samples in the file that are in the stacks */
    double squares;    /* sum of the squares of the weights */
    uint64_t left_out; /* samples of other events, or of another unit */
    bool full;         /* a limit was reached; what is asked for is no longer added */
    bool unit_unknown; /* the weights have a unit that only the writer of the file knows */
    bool overflow;     /* the weights add up to more than 2^64 */
    bool uneven;       /* samples have different weights */
    /* used only by hot_profile.c: */
    uint64_t first_weight; /* of the first sample */
    struct arena arena;
    struct hot_symbol *symbols;
    struct hot_node *nodes;
    size_t nsymbols, symbols_cap, nnodes, nodes_cap, text_bytes;
    struct hash_table symbol_index, node_index;
};

struct hot_profile *hot_profile_new(void);
void hot_profile_free(struct hot_profile *p); /* NULL allowed */
const char *hot_profile_text(struct hot_profile *p, const char *text, size_t n);
/* Finds the symbol with this name, module, file and "inlined", or adds a copy. */
uint32_t hot_profile_symbol(struct hot_profile *p, const struct hot_symbol *s);
/* Finds the node of a symbol below its caller (-1: none), or adds it. */
int32_t hot_profile_node(struct hot_profile *p, int32_t parent, uint32_t symbol);
/* Adds one sample to a node; -1: it has no stack. */
void hot_profile_add(struct hot_profile *p, int32_t node, uint64_t weight);
/* Completes the stacks. Siblings are ordered by name. HOT_EVENTS become HOT_SAMPLES if all samples
 * stand for equally many events. -EFBIG with err if a
 * limit was reached. */
int hot_profile_end(struct hot_profile *p, const char *path, struct error *err);
