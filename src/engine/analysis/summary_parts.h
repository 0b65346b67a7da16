/* What the files of the summary share. */
#pragma once

#include "engine/analysis/summary.h"
#include "engine/syscalls/snapshot/syscalls_snapshot.h"

void summary_add(struct summary *s, struct summary_line line);
/* "1 copy", "6 copies" */
const char *summary_count(struct summary *s, uint64_t n, const char *one, const char *many);
double summary_percent(uint64_t part, uint64_t whole);
/* The lines about a trace of system calls; about bricks, if there are any. */
void summary_add_calls(struct summary *s, const struct syscalls_snapshot *p, bool ascii);
void summary_add_bricks(struct summary *s, const struct analysis *a, bool ascii);
