/*
 * Builds the graph of calls from a store: programs, their lanes, spans nested by time, and
 * launches. Each step has a file of functions; chrome_reader.c runs them.
 */
#pragma once

#include "backends/chrome/store.h"

/*
 * Sorts indexes. Stable, O(n log n); O(n) where they are in order already. after: whether a must
 * follow b. spare: space for n.
 */
void chrome_sort(uint32_t *order, uint32_t n, uint32_t *spare,
                 bool (*after)(const struct chrome_store *s, uint32_t a, uint32_t b),
                 const struct chrome_store *s);
/* The indexes 0..n-1, and in *spare space to sort them. The caller frees both. */
uint32_t *chrome_order(uint32_t n, uint32_t **spare);

/* Gives durations to spans that came as begin and end. */
void chrome_match(struct chrome_store *s);
/* Adds programs and lanes. Returns the lanes in order; the caller frees the list. */
uint32_t *chrome_add_programs(struct chrome_store *s);
struct chrome_way {
    int64_t add; /* ns, added to the file's times */
    const char *path;
    struct error *err;
};
/* Adds programs, lanes, and the spans of lanes. Returns 0, or -ECANCELED with err. */
int chrome_build(struct chrome_store *s, const struct chrome_way *way);
/* Adds asynchronous spans; call it after the lanes. add: as in chrome_way. */
void chrome_build_async(struct chrome_store *s, int64_t add);
/* Adds one span. Returns its node, or GRAPH_NONE, which is counted. */
uint32_t chrome_add_node(struct chrome_store *s, uint32_t span, uint32_t parent, enum edge_kind via,
                         int64_t add);
static inline bool chrome_on_device(const struct chrome_store *s, const struct chrome_span *span)
{
    return span->bits & SPAN_WORK && s->lanes.at[span->lane].queue;
}
/*
 * Files of several ranks that were merged: their ids begin anew for each rank. Returns for each
 * process of a device the one that launched its work, and for others themselves; NULL where nearly
 * all ids have calls of one process only. order: n spans, sorted by id, calls first. The caller
 * frees the list.
 */
uint32_t *chrome_find_owners(const struct chrome_store *s, const uint32_t *order, uint32_t n);
/* Adds launches and dependencies, from correlations and flows. */
void chrome_link(struct chrome_store *s, int64_t add);
/* Adds dependencies between streams. */
void chrome_add_waits(struct chrome_store *s);
/*
 * Finds the node for a time in a lane: the innermost span around it, or (next) the first that
 * begins then or later; never a range on a queue. GRAPH_NONE: none.
 */
uint32_t chrome_bind(const struct chrome_store *s, uint32_t lane, int64_t ts, bool next,
                     int64_t add);

/* Whether the file is rooftop's own export, whose nodes have numbers. */
bool chrome_is_numbered(const struct chrome_store *s);
/* Replaces chrome_build and chrome_build_async for such a file. */
void chrome_build_numbered(struct chrome_store *s, int64_t add);
struct chrome_numbers {
    uint32_t *spans, n;
};
struct chrome_numbers chrome_numbers(const struct chrome_store *s);
uint32_t chrome_numbered(const struct chrome_store *s, const struct chrome_numbers *by,
                         uint64_t number);

/* numbers.c. Finds which device of the properties each device of the work is; call it before work
 * is added. */
void chrome_number_devices(struct chrome_store *s);
/* The number of a device of the work, as its properties and its allocator have it. */
uint32_t chrome_device_number(const struct chrome_store *s, uint32_t device);
/* Notes kernels whose times cannot be right: they end before an earlier one of their stream. */
void chrome_note_overlaps(struct chrome_store *s);
/* Divides grids that are given in work-items, of launches added from edge `first` on. */
void chrome_divide_grids(struct chrome_store *s, uint32_t first);
bool chrome_is_amd(const struct chrome_store *s, const struct chrome_device *d);
/* The agent of a device, added if it is new. */
uint32_t chrome_agent(struct chrome_store *s, uint32_t device);
/* Reads "deviceProperties", whose value begins with token t. */
enum json_token chrome_devices_read(struct chrome_store *s, struct json_tokens *j,
                                    enum json_token t);
