/*
 * Short spans as sums, where memory does not hold all of a file one by one (trace_room): the
 * longest are kept. A reader that can ask a file first lets its spans be counted by their lengths
 * and gets what is too short to be kept; a reader that cannot does so with what it holds already,
 * now and then. Which lane is meant is the reader's own number until trace_shorts_tell.
 */
#ifndef ROOFTOP_ENGINE_TRACE_TRACE_SHORT_H
#define ROOFTOP_ENGINE_TRACE_TRACE_SHORT_H

#include "engine/trace/trace.h"

/* --- what is short --- */

enum { TRACE_LENGTHS = 256 }; /* four to each doubling */
struct trace_lengths {        /* zeroed: of no span */
    uint64_t count[TRACE_LENGTHS], n;
};
void trace_lengths_add(struct trace_lengths *l, uint64_t ns);

struct trace_cut {        /* zeroed: nothing is short */
    uint64_t below;       /* ns: what takes less is short, */
    uint64_t above, left; /* and of what takes less than this so many, those that come first */
};
/* That leaves the longest of them, as many as keep. */
struct trace_cut trace_cut_of(const struct trace_lengths *l, uint64_t keep);
/* What is too short to be kept of the file that is being read, of which those are all spans. A
 * little room is left for their lanes. */
struct trace_cut trace_cut_for(struct trace *t, const struct trace_lengths *l);
/* Whether a span of that length is short; those that come first are counted. */
static inline bool trace_cut_takes(struct trace_cut *c, uint64_t ns)
{
    bool first = ns >= c->below && ns < c->above && c->left > 0;
    c->left -= first;
    return ns < c->below || first;
}

/* How many spans the file that is being read may keep: of several files each gets an equal share of
 * the limit, and what those before it did not use. */
uint64_t trace_file_room(struct trace *t);

/* --- sums --- */

struct trace_shorts { /* zeroed but for t: none */
    struct trace *t;
    struct trace_folded *list; /* lane: the reader's number */
    uint32_t n, cap;
    uint32_t *slots, nslots; /* 1 + index by a hash; 0 free */
};
/* Adds a span. Where there are more names than would save anything, the others share one; then a
 * name need not even be kept. */
void trace_shorts_add(struct trace_shorts *s, uint32_t lane, uint32_t name, enum node_kind kind,
                      uint64_t ns);
uint32_t trace_shorts_name(struct trace_shorts *s, const char *text);
/* Gives them to the trace, one lane's together; node: that a lane of the reader's became. NULL: the
 * lanes are nodes. Frees them. */
void trace_shorts_tell(struct trace_shorts *s, uint32_t (*node)(void *ctx, uint32_t lane),
                       void *ctx);
void trace_shorts_free(struct trace_shorts *s);

#endif
