/* Fills a snapshot with the instrumented programs. */
#ifndef ROOFTOP_BACKENDS_BRICK_FILL_H
#define ROOFTOP_BACKENDS_BRICK_FILL_H

#include "backends/brick/programs.h"
#include "base/arena.h"

/*
 * Call it after programs_poll. Arrays and texts go into memory; the caller releases tree.
 * interval_s: since the previous poll, 0: this is the first. cpu: lives as long as memory; NULL: no
 * measured roofs.
 */
void bricks_fill(struct bricks *out, struct arena *memory, struct programs *p, double interval_s,
                 const struct cpu_roofs *cpu);

#endif
