/*
 * A run from what was sampled of it: live, or from a session. Numbers of a command that ran from
 * its begin to its end are totals of the run; of anything else they are means over the samples.
 */
#ifndef ROOFTOP_ENGINE_COMPARE_RUN_GATHER_H
#define ROOFTOP_ENGINE_COMPARE_RUN_GATHER_H

#include "engine/session/recording.h"
#include "engine/compare/run.h"

struct run_gather;
struct user_tables;
/* samples: the spread of every number over the samples is wanted too, at the price of keeping them
 * all. user: events and metrics of the user's, NULL none. */
struct run_gather *run_gather_new(bool samples, const struct user_tables *user);
/* In the order of time, from the first on. What comes after the end of a command is not looked at.
 */
void run_gather_add(struct run_gather *g, const struct snapshot *s);
bool run_gather_over(const struct run_gather *g); /* the command has ended, and was added */
/* Adds to *out, zeroed; frees g. */
void run_gather_end(struct run_gather *g, struct run *out);

/* All of a session. */
int run_of_recording(struct run *out, struct recording *r, struct error *err);

/* Every brick from a tree of sums; and every kernel. */
struct graph;
void run_add_bricks(struct run *out, const struct graph *sums, bool kernels);

#endif
