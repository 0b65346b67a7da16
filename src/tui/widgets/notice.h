/* One line that says why hardware numbers are missing, from the notices of the snapshot. */
#pragma once

#include "engine/live/snapshot.h"

/* The most important notice: errors before warnings; NULL if there are only infos. */
const struct notice *notice_worst(const struct snapshot *s);
/* Why there are no hardware counters; NULL: there are, or it is not known yet. */
const char *notice_no_counters(const struct snapshot *s);
/* Writes the level-1 top-down metrics of the snapshot, at most n. Returns how many. */
size_t notice_topdown(const struct snapshot *s, const struct metric **out, size_t n);
