/* Streams of words that can run: the five of the seed project, random ones with given ratios, and
 * any random words. */
#pragma once

#include "vtpu/word.h"

/* How many dimensions vary between the coordinates that a random stream uses. */
enum vtpu_locality { VTPU_LOCAL_HIGH = 2, VTPU_LOCAL_MEDIUM = 3, VTPU_LOCAL_LOW = 5 };

struct vtpu_workload {
    const char *name;
    const char *help; /* its help, without a full stop */
    /* Fills a word of a fixed stream; NULL: a random stream, by the next members. */
    void (*word)(struct siw *w, size_t i);
    unsigned percent[VTPU_PIPES]; /* how often the pipe's slot is not a NOP */
    enum vtpu_locality locality;
    unsigned depth; /* a D op reads the result of the D op this many words before */
};

extern const struct vtpu_workload vtpu_workloads[];
extern const size_t vtpu_nworkloads;
/* NULL if no stream has this name. */
const struct vtpu_workload *vtpu_workload_find(const char *name);

/* The same seed gives the same words; fixed streams do not use it. */
void vtpu_stream(const struct vtpu_workload *load, struct siw *words, size_t n, uint64_t seed);
/* Each op, register, dimension and bit of deps has the same probability. */
void vtpu_stream_any(struct siw *words, size_t n, uint64_t seed);
/* The number of slots in all words that are not NOPs. */
size_t vtpu_stream_ops(const struct siw *words, size_t n);
/* The smallest number of words after which the ops of the stream repeat; n if they do not. The
 * words' coordinates may differ: no op reads them. */
size_t vtpu_stream_period(const struct siw *words, size_t n);
