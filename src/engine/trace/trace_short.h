/*
 * Keeps short spans only as sums if not all spans of a file fit into memory (trace_memory_left);
 * the longest spans and all collectives stay. A reader that can query its file counts the spans by
 * length first, and so finds the limit. Another reader does this repeatedly with the spans that it
 * holds. Until trace_shorts_tell, lanes are the reader's own numbers.
 */
#pragma once

#include "base/hash_table.h"
#include "engine/trace/trace.h"

/* Bytes of memory for a span: its node, place, activities and timeline. Measured: 233 for 12
 * million calls of two threads. */
enum { TRACE_SPAN_BYTES = 240 };

/* --- which spans are short --- */

enum { TRACE_LENGTHS = 256 }; /* buckets, four for each doubling */
struct trace_lengths {        /* zeroed: empty */
    uint64_t count[TRACE_LENGTHS], n;
};
void trace_lengths_add(struct trace_lengths *l, uint64_t ns);

struct trace_cut {        /* zeroed: no span is short */
    uint64_t below;       /* spans shorter than this (ns) are short */
    uint64_t above, left; /* the next `left` spans shorter than `above` are short, too */
    uint64_t owed;        /* spans that stay though they are short: longer ones go instead */
};
/* The cut that keeps the `keep` longest spans. */
struct trace_cut trace_cut_of(const struct trace_lengths *l, uint64_t keep);
/* The cut for the file being read, whose spans are all in l. It leaves a little room for lanes. */
struct trace_cut trace_cut_for(struct trace *t, const struct trace_lengths *l);
/* Whether a span of ns is short. Counts down c->left. */
static inline bool trace_cut_takes(struct trace_cut *c, uint64_t ns)
{
    bool first = ns >= c->below && ns < c->above && c->left > 0;
    c->left -= first;
    return ns < c->below || first;
}

/* The number of spans that the file being read may keep. Each of several files gets an equal share
 * of the limit, and the unused part of earlier files. */
uint64_t trace_file_memory_left(struct trace *t);

/* --- sums --- */

struct trace_shorts { /* zeroed except for t: empty */
    struct trace *t;
    struct trace_folded *list; /* lane: the reader's number */
    uint32_t n, cap;
    struct hash_table by_content;
    uint8_t *stays; /* by name: what trace_shorts_keeps found */
    uint32_t nstays;
};
/* Whether a span stays, however short it is: a kernel whose name is that of a collective. The k-th
 * of a rank is the k-th of every other one, and the shortest is that of the rank that came last. */
bool trace_shorts_keeps(struct trace_shorts *s, enum node_kind kind, uint32_t name);
/* Adds a span if the cut takes it and it need not stay. Returns whether it did. */
bool trace_shorts_take(struct trace_shorts *s, struct trace_cut *c, uint32_t lane, uint32_t name,
                       enum node_kind kind, uint64_t ns);
/* Adds a span. If there are too many names to save memory, the further ones share one name. */
void trace_shorts_add(struct trace_shorts *s, uint32_t lane, uint32_t name, enum node_kind kind,
                      uint64_t ns);
uint32_t trace_shorts_name(struct trace_shorts *s, const char *text);
/* Gives the sums to the trace, those of a lane together, and frees them. node: returns the node of
 * calls for a reader's lane; NULL if lanes are nodes already. */
void trace_shorts_tell(struct trace_shorts *s, uint32_t (*node)(void *ctx, uint32_t lane),
                       void *ctx);
void trace_shorts_free(struct trace_shorts *s);
/* Notes what became sums of all files, if anything did. */
void trace_shorts_note(struct trace *t, const struct trace_folded *list, uint32_t n);
