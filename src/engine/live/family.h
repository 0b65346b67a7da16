/* The processes that a process has started and that still run. */
#ifndef ROOFTOP_ENGINE_LIVE_FAMILY_H
#define ROOFTOP_ENGINE_LIVE_FAMILY_H

#include "engine/live/target.h"

/* Appends the living descendants of t->pids, nearest first, to them; returns how many found no room
 * any more. */
size_t family_add(struct target *t);

#endif
