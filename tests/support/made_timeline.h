/* Made-up profiles for tests of the timeline: nested and overlapping spans, spans without times,
 * and spans at the end of time; the same for the same seed. */
#pragma once

#include "engine/timeline/timeline.h"

enum { MADE_LANES = 5, MADE_MOST = 600, MADE_NAMES = 7 };
struct made_span {
    uint32_t parent; /* below MADE_LANES: a lane; else MADE_LANES + an index into spans */
    uint64_t start, duration;
    uint32_t name;
};
struct made_timeline {
    struct made_span spans[MADE_MOST];
    uint32_t n;
    struct graph *g;
    uint32_t node[MADE_MOST]; /* for each span, its node in the graph */
    struct critical_path way;
    struct timeline t;
};
extern const char *const made_names[MADE_NAMES];

/* A random number below n; the sequence continues from the seed of the last profile. */
uint32_t made_random(uint32_t n);
/* Makes n spans that start in [base, base + range). */
struct made_timeline *made_timeline(uint32_t seed, uint32_t n, uint64_t base, uint32_t range);
/* The same spans, in another order in the file. */
struct made_timeline *made_timeline_shuffled(const struct made_timeline *p);
void made_timeline_free(struct made_timeline *p);
/* A random time in the profile, a little before it, or the end of time. */
uint64_t made_time(const struct made_timeline *p, uint32_t range);

/* Loops over all kinds of profiles with p; shape is an index into made_shapes. */
struct made_shape {
    uint32_t spans, range;
    uint64_t base;
};
enum { MADE_SHAPES = 9, MADE_SEEDS = 6 };
extern const struct made_shape made_shapes[MADE_SHAPES];
#define EACH_TIMELINE                                                                              \
    for (uint32_t shape = 0; shape < MADE_SHAPES; shape++)                                         \
        for (uint32_t s = 0; s < MADE_SEEDS; s++)                                                  \
            for (struct made_timeline *p =                                                         \
                     made_timeline(s, made_shapes[shape].spans, made_shapes[shape].base,           \
                                   made_shapes[shape].range);                                      \
                 p; made_timeline_free(p), p = NULL)
