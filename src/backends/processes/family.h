/* Finds the living descendants of processes. */
#pragma once

#include "engine/live/target.h"

/* Appends the living descendants of t->pids to t->pids, children before grandchildren. Returns how
 * many did not fit. */
size_t family_add(struct target *t);
