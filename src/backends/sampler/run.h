/*
 * Sampling while it is on: a thread that empties the rings and sleeps, and one that gives names and
 * folds. Whoever collects waits for neither: names that take long (a large DWARF file) delay what
 * is seen, and lose nothing while the queue between the two holds it.
 */
#ifndef ROOFTOP_BACKENDS_SAMPLER_RUN_H
#define ROOFTOP_BACKENDS_SAMPLER_RUN_H

#include <stdbool.h>

#include "backends/sampler/tap.h"
#include "engine/live/snapshot.h"

struct run;

/*
 * Starts sampling. A command that waits for its start is sampled before this returns; threads of
 * others are opened on a thread of their own. What config points to is copied.
 */
struct run *run_start(const struct tap_config *config);

/*
 * What was folded since the last call, as out->profile, and notices. Asks for the newest first and
 * waits at most wait_ms for it; all: also for what is younger than is certain to be complete (the
 * target has ended).
 */
void run_collect(struct run *r, struct snapshot *out, unsigned wait_ms, bool all);

/* Ends it: the events are closed when this returns. A worker deep in a file is left to end by
 * itself. */
void run_stop(struct run *r);

#endif
