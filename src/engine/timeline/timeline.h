/*
 * An index over the calls of a profile for drawing them over time: lanes (threads, queues) in
 * groups (programs), in each lane rows of spans that do not overlap, and sums over every 8, 64 …
 * spans of a row, so that a cell of a picture costs O(log n) however many spans lie in it.
 *
 * A span is a call with a start and a duration that is no program and no lane. What lies inside of
 * another span of its lane stands in a row below it; what overlaps without that too. Times are
 * nanoseconds as in the graph; ends beyond 2^64 - 1 are cut there. Built once in O(n log n),
 * O(n) where spans come in order; about 12 bytes a span and 8 an edge that is no sequence.
 * Read-only from then on. Nothing here depends on the order in which a file holds its rows.
 */
#ifndef ROOFTOP_ENGINE_TIMELINE_TIMELINE_H
#define ROOFTOP_ENGINE_TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "engine/path/critical_path.h"
#include "engine/graph/graph.h"

struct timeline_group {
    uint32_t node; /* a program; GRAPH_NONE: lanes and spans of no program */
    const char *name;
    uint32_t first_lane, nlanes;
};
struct timeline_lane {
    uint32_t node;     /* a thread or queue; GRAPH_NONE: spans of the group outside of all lanes */
    const char *name;  /* no other lane of the group has it (lane_names.h) */
    const char *alone; /* no other lane of all has it: where its group's name is not seen */
    uint32_t group;
    uint32_t first_row, nrows; /* 0 rows: nothing ran there */
    uint32_t nspans;
};

enum { TIMELINE_LEVELS = 9 };
struct timeline {
    const struct graph *calls;       /* borrowed, as the next */
    const struct critical_path *way; /* through calls */
    uint64_t from, to;               /* first start, last end; 0, 0 without spans */
    struct timeline_group *groups;   /* programs with threads first, by name and number */
    struct timeline_lane *lanes;     /* of a group: threads, then queues, by name and number */
    uint32_t ngroups, nlanes, nrows, nspans;
    struct arena names;  /* of groups and lanes, where the graph's are not theirs alone */
    uint32_t untimed;    /* calls without a start or a duration: not here */
    uint32_t *spans;     /* nodes, by row, then by start */
    uint32_t *row_first; /* of each row its first place in spans; one more at the end */
    uint32_t *row_of;    /* of each node; GRAPH_NONE: no span */
    uint8_t *critical;   /* a bit a node: a step of the path */
    /* Of each block of 8 spans, of 8 such blocks… : time in spans, that of the longest; the place
     * of that, and whether one is critical (bit 31). And the start of each block's first span. */
    uint64_t *busy[TIMELINE_LEVELS], *longest[TIMELINE_LEVELS];
    uint32_t *best[TIMELINE_LEVELS];
    uint64_t *block_start;
    uint32_t nlevels;
    uint32_t *by_from, *by_to; /* edges that are no sequence, by where they leave and arrive */
    uint32_t nlinks;
};

/* Zeroed before. calls is finished, and lives longer, as way does. 0, or -ENOMEM or -ECANCELED
 * (base/watch.h) with err: then it can only be freed. */
int timeline_build(struct timeline *t, const struct graph *calls, const struct critical_path *way,
                   struct error *err);
void timeline_free(struct timeline *t);
size_t timeline_memory(const struct timeline *t); /* bytes held */

const char *timeline_group_name(const struct timeline *t, uint32_t group);
const char *timeline_lane_name(const struct timeline *t, uint32_t lane);
const char *timeline_lane_alone(const struct timeline *t, uint32_t lane);
uint32_t timeline_lane_of_row(const struct timeline *t, uint32_t row);
/* Start, end and what lies between, as they are drawn. */
uint64_t timeline_end(const struct graph *g, uint32_t node);
bool timeline_is_critical(const struct timeline *t, uint32_t node);
/* A total order of spans: by start; the longer, the outer, then the name first. */
int timeline_order(const struct graph *g, uint32_t a, uint32_t b);

/* --- pictures --- */

/* What a row holds in [t0, t1): spans that began before t1, and end after t0 or begin at it. */
struct timeline_cell {
    uint64_t busy;        /* ns in spans */
    uint64_t first, last; /* begin of the first and end of the last of them, inside the cell */
    uint32_t count;
    uint32_t longest; /* node, by its time in the cell, the earlier of equals; GRAPH_NONE: empty */
    bool critical;    /* one of them is */
};
void timeline_cell(const struct timeline *t, uint32_t row, uint64_t t0, uint64_t t1,
                   struct timeline_cell *out);
/* Boundary i of n cells over [from, to): cells of less than 1 ns share theirs. */
uint64_t timeline_boundary(uint64_t from, uint64_t to, uint32_t i, uint32_t n);
/* All n cells of a window; out has room for them. Each is at least 1 ns wide. */
void timeline_cells(const struct timeline *t, uint32_t row, uint64_t from, uint64_t to, uint32_t n,
                    struct timeline_cell *out);

/* --- moving about: GRAPH_NONE where there is nothing --- */

/* The span of a row at a time; and the one nearest to it (of two as near the earlier). */
uint32_t timeline_at(const struct timeline *t, uint32_t row, uint64_t time);
uint32_t timeline_near(const struct timeline *t, uint32_t row, uint64_t time);
/* The place of a span in spans. */
uint32_t timeline_place(const struct timeline *t, uint32_t node);
/* The one after (step 1) or before it (-1) in its row; in its whole lane, by start, then row. */
uint32_t timeline_next(const struct timeline *t, uint32_t node, int step);
uint32_t timeline_next_in_lane(const struct timeline *t, uint32_t node, int step);
/* The next step of the critical path that begins later (earlier) than a time, or at it as another
 * span than node. */
uint32_t timeline_next_critical(const struct timeline *t, uint32_t node, uint64_t time, int step);
/* The first place of a row whose span does not start before a time. */
uint32_t timeline_lower(const struct timeline *t, uint32_t row, uint64_t time);

/* Spans that an edge of this kind leads to (out true) or comes from, the earliest first, at most
 * max of them; returns how many there are. Launches: a parent that launched it too. */
uint32_t timeline_links(const struct timeline *t, uint32_t node, enum edge_kind kind, bool out,
                        uint32_t *nodes, uint32_t max);

/* --- search --- */

/* Names that match: those that contain text (ASCII letters in either case), or with "~REGEX" those
 * that the POSIX extended expression is found in, in either case. ERROR_USAGE where it is none. */
struct timeline_names {
    uint8_t *hit; /* of each name of the graph */
    uint32_t n;
};
int timeline_names(struct timeline_names *out, const struct timeline *t, const char *text,
                   struct error *err);
void timeline_names_free(struct timeline_names *n);

struct timeline_hit {
    uint32_t node;         /* GRAPH_NONE: there is none */
    uint32_t index, total; /* this one, from 0, of how many */
};
/* By start, row, order. step 1: the first after the span from, or from a time on where from is
 * GRAPH_NONE; -1: the last before. Behind the last one the first follows. O(n). */
struct timeline_hit timeline_search(const struct timeline *t, const struct timeline_names *n,
                                    uint32_t from, uint64_t time, int step);

#endif
