/* What hot_sum.c (adding, taking away), hot_sum_rows.c (what is added to),
 * hot_sum_move.c and hot_sum_view.c (the sum as a profile) share. */
#pragma once

#include "base/arena.h"
#include "base/hash_table.h"
#include "engine/functions/hot_sum.h"

/* Samples of intervals that are no longer kept, and of kept ones inside the window. */
struct sum_count {
    uint64_t past, window;
};

struct sum_node {
    uint32_t parent, symbol;       /* parent: always lower than its own number; 0 is the root */
    uint32_t first_child, sibling; /* 0 = none */
    struct sum_count count;
    bool unsorted; /* its children are not yet in order */
};

struct sum_place {
    uint32_t symbol;
    int line;
    uint64_t address;
    const char *file;
    struct sum_count count;
};

struct sample_tally {
    uint32_t id, samples;
};

struct sum_interval {
    uint64_t time_ns;
    uint64_t samples, lost, throttled;
    double seconds;
    uint32_t nnodes, nplaces;
    struct sample_tally *tallies; /* of nodes, then of places */
};

struct hot_sum {
    size_t limit;
    double window_s; /* 0 = all */

    struct arena texts;
    size_t text_bytes;
    bool compacting; /* what was kept before has room, however much its texts take */
    struct hot_symbol *symbols;
    size_t nsymbols, symbols_cap;
    struct sum_node *nodes; /* [0]: the root of all */
    size_t nnodes, nodes_cap;
    struct sum_place *places;
    size_t nplaces, places_cap;
    uint32_t *order; /* symbols by name; those from norder on are not in it yet */
    size_t norder, order_cap;
    struct hash_table symbol_table, node_table, place_table;
    uint32_t other_symbol, other_node; /* 0 = there is none yet; symbol number + 1 */

    struct sum_interval *intervals; /* kept ones, oldest first, from `head` on */
    size_t head, nintervals, intervals_cap, window_from;
    size_t ntallies; /* of all kept ones */
    uint64_t newest_ns, compacted_ns;
    struct sum_interval past, window; /* sums of the totals */

    struct hot_stacks last; /* event, why, callgraph, hz of the newest */
    bool any;

    /* the view; stale: to be made anew */
    bool stale;
    struct hot_stacks view;
    struct hot_symbol *view_symbols;
    struct hot_node *view_nodes;
    struct hot_place *view_places;
};

/* In hot_sum_rows.c. Finds a row or adds it; if there are too many, returns the row that stands
 * for the others. */
uint32_t sum_symbol(struct hot_sum *ps, const struct hot_symbol *s);
uint32_t sum_add_node(struct hot_sum *ps, uint32_t parent, uint32_t symbol);
uint32_t sum_node_of(struct hot_sum *ps, uint32_t parent, uint32_t symbol);
uint32_t sum_other(struct hot_sum *ps);
/* UINT32_MAX if there are too many; then only the line is unknown. */
uint32_t sum_place_of(struct hot_sum *ps, uint32_t symbol, const struct hot_place *p);
void sum_sort_nodes(struct hot_sum *ps);   /* siblings by name */
void sum_sort_symbols(struct hot_sum *ps); /* order[0..nsymbols) */
/* `same` if it equals text, else a copy of text. */
const char *sum_keep(struct hot_sum *ps, const char *text, const char *same);
void sum_keep_last(struct hot_sum *ps, const struct hot_stacks *p); /* hot_sum.c */
/* hot_sum_move.c */
void sum_compact(struct hot_sum *ps); /* rows that no kept interval names become one */
void sum_free_rows(struct hot_sum *ps);
