/*
 * An index of a profile's calls for drawing them over time. Groups (programs) have lanes (threads,
 * queues), lanes have rows of spans that do not overlap. Sums over every 8, 64 … spans of a row
 * make a cell of a picture cost O(log n), however many spans it covers.
 *
 * A span here is a call with a start and a duration that is no program and no lane. A span inside
 * another one of its lane, or overlapping it, is in a lower row. Times are nanoseconds as in the
 * graph; ends above 2^64 - 1 are cut there. Building takes O(n log n), or O(n) if spans come in
 * order, and about 12 bytes for each span, 8 for each edge that is no sequence, and 4 for each
 * step of the path. The index is then read-only. It does not depend on the order of rows in a file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "engine/graph/graph.h"
#include "engine/path/critical_path.h"

struct timeline_group {
    uint32_t node; /* a program; GRAPH_NONE: the group of lanes and spans without a program */
    const char *name;
    uint32_t first_lane, nlanes;
};
struct timeline_lane {
    uint32_t node;     /* a thread or queue; GRAPH_NONE: the group's spans outside all lanes */
    const char *name;  /* unique in the group (lane_names.h) */
    const char *alone; /* unique among all lanes, for where the group's name is not shown */
    uint32_t group;
    uint32_t first_row, nrows; /* 0 rows: the lane has no spans */
    uint32_t nspans;
};

enum { TIMELINE_LEVELS = 9 };
struct timeline {
    const struct graph *calls;       /* borrowed */
    const struct critical_path *way; /* path through calls; borrowed */
    uint64_t from, to;               /* first start, last end; 0, 0 without spans */
    struct timeline_group *groups;   /* programs with threads first, by name and number */
    struct timeline_lane *lanes;     /* of a group: threads, then queues, by name and number */
    uint32_t ngroups, nlanes, nrows, nspans;
    struct arena names;  /* memory of names of groups and lanes that differ from the graph's */
    uint32_t untimed;    /* number of calls left out for lack of a start or duration */
    uint32_t *spans;     /* nodes, by row, then by start */
    uint32_t *row_first; /* index in spans of each row's first span; one more entry at the end */
    uint32_t *row_of;    /* the row of each node; GRAPH_NONE if it is no span */
    uint8_t *critical;   /* one bit for each node: it is a step of the path */
    uint32_t *steps;     /* indices of the path's steps, by row, then by time */
    uint32_t *row_steps; /* index in steps of each row's first step; one more entry at the end */
    /* For each block of 8 spans, then of 8 such blocks, and so on: total time of the spans, time of
     * the longest one, and that one's index in spans. block_start: the start of each block's first
     * span. */
    uint64_t *busy[TIMELINE_LEVELS], *longest[TIMELINE_LEVELS];
    uint32_t *best[TIMELINE_LEVELS];
    uint64_t *block_start;
    uint32_t nlevels;
    uint32_t *by_from, *by_to; /* edges that are no sequence, sorted by source and by target */
    uint32_t nlinks;
};

/* Fills *t, which must be zeroed. calls must be finished; calls and way must outlive t. 0, or
 * -ENOMEM or -ECANCELED (base/watch.h) with err; then t can only be freed. */
int timeline_build(struct timeline *t, const struct graph *calls, const struct critical_path *way,
                   struct error *err);
void timeline_free(struct timeline *t);
size_t timeline_memory(const struct timeline *t); /* bytes that t takes */

const char *timeline_group_name(const struct timeline *t, uint32_t group);
const char *timeline_lane_name(const struct timeline *t, uint32_t lane);
const char *timeline_lane_alone(const struct timeline *t, uint32_t lane);
uint32_t timeline_lane_of_row(const struct timeline *t, uint32_t row);
/* "brick", "thread"…: the kind of a span or lane; "syscall" and "syscalls" of a thread's calls. */
const char *timeline_kind_name(const struct graph *g, uint32_t node);
/* The end of a span, cut at 2^64 - 1. */
uint64_t timeline_end(const struct graph *g, uint32_t node);
bool timeline_is_critical(const struct timeline *t, uint32_t node);
/* A total order of spans: by start; then the longer one, the outer one, then by name. */
int timeline_order(const struct graph *g, uint32_t a, uint32_t b);

/* --- pictures --- */

/* The spans of a row in [t0, t1): those that begin before t1 and end after t0 or begin at t0. */
struct timeline_cell {
    uint64_t busy;        /* ns in spans */
    uint64_t first, last; /* begin of the first and end of the last span, cut to the cell */
    uint32_t count;
    uint32_t longest; /* the node with most time in the cell, or the earlier one; GRAPH_NONE */
    bool critical;    /* a part of a span that is on the path lies in the cell */
};
void timeline_cell(const struct timeline *t, uint32_t row, uint64_t t0, uint64_t t1,
                   struct timeline_cell *out);
/* Boundary i of n cells over [from, to), ns. Cells narrower than 1 ns share boundaries. */
uint64_t timeline_boundary(uint64_t from, uint64_t to, uint32_t i, uint32_t n);
/* Fills out[0..n) with the n cells of [from, to). Each cell is at least 1 ns wide. */
void timeline_cells(const struct timeline *t, uint32_t row, uint64_t from, uint64_t to, uint32_t n,
                    struct timeline_cell *out);

/* --- moving: these return GRAPH_NONE if there is no such span --- */

/* The span of a row at a time; the span nearest to a time (the earlier of two). */
uint32_t timeline_at(const struct timeline *t, uint32_t row, uint64_t time);
uint32_t timeline_near(const struct timeline *t, uint32_t row, uint64_t time);
/* The index of a span in t->spans. */
uint32_t timeline_place(const struct timeline *t, uint32_t node);
/* The span after (step 1) or before (step -1) node in its row; in its whole lane, by start, then
 * row. */
uint32_t timeline_next(const struct timeline *t, uint32_t node, int step);
uint32_t timeline_next_in_lane(const struct timeline *t, uint32_t node, int step);
/* The next step of the critical path after `time` (step 1), or the last before it (step -1). A step
 * at exactly that time counts if it is not node. */
uint32_t timeline_next_critical(const struct timeline *t, uint32_t node, uint64_t time, int step);
/* The index in t->spans of the row's first span that starts at `time` or later. */
uint32_t timeline_lower(const struct timeline *t, uint32_t row, uint64_t time);

/* The spans that node's edges of this kind lead to (out true) or come from, the earliest first.
 * Stores at most max and returns how many there are. For EDGE_LAUNCHES, a parent that launched the
 * node counts too. */
uint32_t timeline_links(const struct timeline *t, uint32_t node, enum edge_kind kind, bool out,
                        uint32_t *nodes, uint32_t max);

/*
 * An edge as an arrow: it leaves at the begin of a span that launches, else at its end. It arrives
 * at the end of a span that waited, else at its begin.
 */
struct timeline_arrow {
    uint32_t from, to; /* spans */
    uint8_t kind;      /* enum edge_kind: launches, depends, joins or inferred */
    uint64_t leaves, arrives;
};
/* The arrows that lead to a span (out false) or away from it, by kind, the earliest other end
 * first. Stores at most max and returns how many it stored. */
uint32_t timeline_arrows(const struct timeline *t, uint32_t node, bool out,
                         struct timeline_arrow *arrows, uint32_t max);
/* The first span that caused the node (out false) or that it caused: by launch, else by a
 * dependency, else by a wait. GRAPH_NONE: none is known. */
uint32_t timeline_cause(const struct timeline *t, uint32_t node, bool out);

/* --- search --- */

/* The names that contain a text, or with "~REGEX" match a POSIX extended expression somewhere. Case
 * of ASCII letters is ignored. -errno with ERROR_USAGE if the expression is malformed. */
struct timeline_names {
    uint8_t *hit; /* a flag for each name of the graph */
    uint32_t n;
};
int timeline_names(struct timeline_names *out, const struct timeline *t, const char *text,
                   struct error *err);
void timeline_names_free(struct timeline_names *n);

struct timeline_hit {
    uint32_t node;         /* GRAPH_NONE if nothing was found */
    uint32_t index, total; /* its number among the hits, from 0; the number of hits */
};
/* Finds the next hit by start, row, order. step 1: the first after the span `from`, or from `time`
 * on if from is GRAPH_NONE; step -1: the last before. The search wraps around. O(n). */
struct timeline_hit timeline_search(const struct timeline *t, const struct timeline_names *n,
                                    uint32_t from, uint64_t time, int step);
