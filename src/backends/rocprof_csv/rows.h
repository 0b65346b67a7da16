/* Checks the rows of each kind of file and adds them to their run. */
#ifndef ROOFTOP_BACKENDS_ROCPROF_CSV_ROWS_H
#define ROOFTOP_BACKENDS_ROCPROF_CSV_ROWS_H

#include "backends/rocprof_csv/runs.h"

/* Returns 0; -EINVAL with file, line and column in err; -ENOMEM. */
int csv_add_row(struct csv_runs *runs, struct csv_run *run, struct trace *t, struct csv *c,
                const struct csv_header *h);

#endif
