/* Rows of each kind of file, checked and put into their run. */
#ifndef ROOFTOP_BACKENDS_ROCPROF_CSV_ROWS_H
#define ROOFTOP_BACKENDS_ROCPROF_CSV_ROWS_H

#include "backends/rocprof_csv/runs.h"

/* 0; -EINVAL with err at file, line and column; -ENOMEM. */
int csv_add_row(struct csv_runs *runs, struct csv_run *run, struct trace *t, struct csv *c,
                const struct csv_header *h);

#endif
