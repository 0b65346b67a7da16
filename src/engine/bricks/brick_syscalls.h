/* The system calls inside the bricks of a report. */
#pragma once

#include "engine/bricks/brick_report.h"

/* Fills `calls` of the report's rows, and its `outside` and `all_calls`, from the calls of the sums
 * that the report is of. A row has the calls of its bricks or kernels without those of bricks and
 * kernels inside them. */
void brick_report_syscalls(struct brick_report *r, const struct graph *sums);
