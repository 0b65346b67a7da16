/* Top-down, level 1, of a run of the lab: what the issue slots of the core were spent on. */
#ifndef ROOFTOP_BACKENDS_LAB_LAB_TOPDOWN_H
#define ROOFTOP_BACKENDS_LAB_LAB_TOPDOWN_H

#include "backends/lab/lab_counters.h"

/*
 * The metrics of this CPU (docs/METRICS.md, top-down) from the counts of the events of set s, in
 * its order. out: percent of the slots, NaN where the metric could not be evaluated.
 */
void lab_topdown(const struct lab_set *s, const double counts[LAB_EVENTS],
                 double out[LAB_TOPDOWN_PARTS]);

#endif
