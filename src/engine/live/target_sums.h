/*
 * What the target uses as a whole: its processes together, and those of them that have ended.
 *
 * A process that ends hands its CPU time and its faults to the parent that waits for it (proc(5),
 * /proc/PID/stat, fields 11, 13, 16, 17). So each use is counted once: as the process's own while
 * it lives, and what is missing when its parent has waited for it. What nobody waits for keeps the
 * last number that was seen. The sums never fall.
 */
#pragma once

#include "engine/live/snapshot.h"

struct target_sums;

struct target_sums *target_sums_new(void);
void target_sums_free(struct target_sums *t);
/* Makes all values of u missing. why: static. */
void target_use_missing(struct target_use *u, const char *why);
/* Fills s->use from s->procs and s->command. The snapshots come in order of time. */
void target_sums_add(struct target_sums *t, struct snapshot *s);
