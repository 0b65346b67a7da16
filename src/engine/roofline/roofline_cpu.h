/*
 * Places CPU code under the measured roofs of its host: a cache-aware roofline (A. Ilic, F. Pratas,
 * L. Sousa, "Cache-aware Roofline model: Upgrading the loft", IEEE CAL 13(1), 2014). A program
 * declares the bytes that its code loads and stores, whatever memory level they come from; so all
 * levels of memory are roofs at the same intensity, and the lowest roof that is not below the point
 * is its binding ceiling. Only a point above the highest of them is above its roof.
 */
#pragma once

#include "engine/roofline/roofline.h"
#include "engine/roofs/cpu_roofs.h"

/* What each node of sums contains, and its backend. Free with roofline_surroundings_free. */
struct roofline_surroundings {
    uint32_t *backend; /* the backend around it, or GRAPH_NONE */
    bool *starts;      /* a kernel, a transfer or a backend is inside it */
};
struct roofline_surroundings roofline_surroundings(const struct graph *sums);
void roofline_surroundings_free(struct roofline_surroundings *s);

/* The name of the CPU roof that a node of sums belongs under: the name of its backend if that is an
 * instruction set, "this CPU" for a brick outside any backend that starts no kernel; else NULL. */
const char *roofline_cpu_name(const struct graph *sums, const struct roofline_surroundings *s,
                              uint32_t node);

/* Whether a roof is a placeholder for CPU code that roofline_cpu_place() has not placed yet. */
bool roofline_cpu_unplaced(const struct roof *r);

/* Gives each point under an unplaced roof the roof for the number of threads that did its work at
 * once: its own, or those of the points inside it. point: of each node of sums, or GRAPH_NONE. */
void roofline_cpu_place(struct roofline *r, struct arena *memory, const struct graph *sums,
                        const struct cpu_roofs *cpu, const uint32_t *point);

/* The measured peaks of a host, independent of the program. */
struct cpu_host {
    struct cpu_roofs cpu;
    struct roof roof; /* of all its CPUs and its widest vectors: "this CPU x8"; ceilings NULL:
                         nothing was measured */
};
/* Makes a cpu_host; all of it is allocated from `memory`. */
const struct cpu_host *roofline_cpu_host(struct arena *memory, const struct cpu_roofs *cpu);

/* The share of a ceiling that a point's declared work reached, 1 = all. */
double roofline_cpu_use(const struct ceiling *c, const struct roof_point *p);
