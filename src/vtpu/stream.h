/* Streams of words: the seed's five, random ones of a kind, and any random words. All of them can
 * run. */
#pragma once

#include "vtpu/word.h"

/* How far from each other the coordinates are that a random stream uses: how many dimensions vary.
 */
enum vtpu_locality { VTPU_LOCAL_HIGH = 2, VTPU_LOCAL_MEDIUM = 3, VTPU_LOCAL_LOW = 5 };

struct vtpu_workload {
    const char *name;
    const char *help; /* a clause */
    /* Fills a word of a fixed stream; NULL: random, by what follows. */
    void (*word)(struct siw *w, size_t i);
    unsigned percent[VTPU_PIPES]; /* how often the slot is not a NOP */
    enum vtpu_locality locality;
    unsigned depth; /* a D op reads what the one this many words before it wrote */
};

extern const struct vtpu_workload vtpu_workloads[];
extern const size_t vtpu_nworkloads;
/* NULL where there is none of this name. */
const struct vtpu_workload *vtpu_workload_find(const char *name);

/* The same seed gives the same words; the fixed ones do not use it. */
void vtpu_stream(const struct vtpu_workload *load, struct siw *words, size_t n, uint64_t seed);
/* Each op, register, dimension and bit of deps with the same probability. */
void vtpu_stream_any(struct siw *words, size_t n, uint64_t seed);
/* Slots that are not NOPs, of all words. */
size_t vtpu_stream_ops(const struct siw *words, size_t n);
/*
 * The smallest number of words after which the ops of the stream repeat (n where they do not). The
 * words' coordinates may differ: no op reads them.
 */
size_t vtpu_stream_period(const struct siw *words, size_t n);
