/*
 * Sampling while it is on. One thread empties the rings and sleeps; another finds names and folds.
 * The caller waits for neither: when names take long (a large DWARF file), results come later, but
 * nothing is lost as long as it fits into the queue between the two threads.
 */
#ifndef ROOFTOP_BACKENDS_SAMPLER_RUN_H
#define ROOFTOP_BACKENDS_SAMPLER_RUN_H

#include <stdbool.h>

#include "backends/sampler/tap.h"
#include "engine/live/snapshot.h"

struct sampler_run;

/*
 * Starts sampling. A command that waits for its start is sampled before this returns; threads of
 * other targets are opened on a separate thread. What config points to is copied.
 */
struct sampler_run *run_start(const struct tap_config *config);

/*
 * Writes what was folded since the last call to out->stacks, and notices. It first requests the
 * newest records and waits at most wait_ms for them. all: also records that are too recent to be
 * certainly complete (the target has ended).
 */
void run_collect(struct sampler_run *r, struct snapshot *out, unsigned wait_ms, bool all);

/*
 * Ends sampling: the events are closed when this returns. A worker that reads a large file is left
 * to end by itself.
 */
void run_stop(struct sampler_run *r);

#endif
