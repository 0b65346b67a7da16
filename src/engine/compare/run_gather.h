/*
 * Makes a run from samples, live or from a session. The numbers of a command that was sampled from
 * its begin to its end are totals of the run; other numbers are means over the samples.
 */
#pragma once

#include "engine/compare/run.h"
#include "engine/session/recording.h"

struct run_gather;
struct user_tables;
/* samples: also find the spread of each number over the samples, which keeps them all in memory.
 * user: the user's events and metrics, or NULL. */
struct run_gather *run_gather_new(bool samples, const struct user_tables *user);
/* Adds a snapshot; call it in order of time from the first one. Snapshots after the command's end
 * are ignored. */
void run_gather_add(struct run_gather *g, const struct snapshot *s);
bool run_gather_over(const struct run_gather *g); /* the command has ended, and was added */
/* Fills *out, which must be zeroed, and frees g. */
void run_gather_end(struct run_gather *g, struct run *out);

/* Makes a run from a whole session. */
int run_of_recording(struct run *out, struct recording *r, struct error *err);

/* Adds each brick of a tree of sums, and each kernel if `kernels`. */
struct graph;
void run_add_bricks(struct run *out, const struct graph *sums, bool kernels);
