/*
 * The graph of calls out of a store: programs, their lanes, spans nested by time, what launched
 * what. One file of functions for each step; read.c runs them.
 */
#ifndef ROOFTOP_BACKENDS_CHROME_BUILD_H
#define ROOFTOP_BACKENDS_CHROME_BUILD_H

#include "backends/chrome/store.h"

/* Stable, O(n log n), O(n) where it is in order already. after: a must come behind b. spare: n. */
void chrome_sort(uint32_t *order, uint32_t n, uint32_t *spare,
                 bool (*after)(const struct chrome_store *s, uint32_t a, uint32_t b),
                 const struct chrome_store *s);
/* 0..n-1, and room to sort them. Free it. */
uint32_t *chrome_order(uint32_t n, uint32_t **spare);

/* Gives spans that came as begin and end their durations. */
void chrome_match(struct chrome_store *s);
/* Programs and lanes; the lanes in their order. Free it. */
uint32_t *chrome_add_programs(struct chrome_store *s);
struct chrome_way {
    int64_t add; /* ns from the file's clock to the graph's */
    const char *path;
    struct error *err;
};
/* Programs, lanes, and the spans of lanes. 0, or -ECANCELED with err. */
int chrome_build(struct chrome_store *s, const struct chrome_way *way);
/* Asynchronous spans: after the lanes. add: as in chrome_way. */
void chrome_build_async(struct chrome_store *s, int64_t add);
/* One span; its node or GRAPH_NONE, which is counted. */
uint32_t chrome_add_node(struct chrome_store *s, uint32_t span, uint32_t parent, enum edge_kind via,
                         int64_t add);
/* Launches and dependencies, from correlations and flows. */
void chrome_link(struct chrome_store *s, int64_t add);
/* Dependencies between streams. */
void chrome_add_waits(struct chrome_store *s);
/* The node that a moment of a lane belongs to: the innermost around it, or (next) the first that
 * begins then or later; never a range on a queue. GRAPH_NONE: none. */
uint32_t chrome_bind(const struct chrome_store *s, uint32_t lane, int64_t ts, bool next,
                     int64_t add);

/* rooftop's export: nodes by the numbers it gave. */
bool chrome_is_numbered(const struct chrome_store *s);
/* In place of chrome_build and chrome_build_async. */
void chrome_build_numbered(struct chrome_store *s, int64_t add);
struct chrome_numbers {
    uint32_t *spans, n;
};
struct chrome_numbers chrome_numbers(const struct chrome_store *s);
uint32_t chrome_numbered(const struct chrome_store *s, const struct chrome_numbers *by,
                         uint64_t number);

/* The agent of a device, made where it is new. */
uint32_t chrome_agent(struct chrome_store *s, uint32_t device);
/* "deviceProperties": its value has begun with t. */
enum json_token chrome_devices_read(struct chrome_store *s, struct chrome_json *j,
                                    enum json_token t);

#endif
