/* Finds the living descendants of processes. */
#ifndef ROOFTOP_BACKENDS_PROCESSES_FAMILY_H
#define ROOFTOP_BACKENDS_PROCESSES_FAMILY_H

#include "engine/live/target.h"

/* Appends the living descendants of t->pids to t->pids, children before grandchildren. Returns how
 * many did not fit. */
size_t family_add(struct target *t);

#endif
