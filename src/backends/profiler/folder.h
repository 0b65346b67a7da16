/* The folder that a run's results are in. */
#ifndef ROOFTOP_BACKENDS_PROFILER_FOLDER_H
#define ROOFTOP_BACKENDS_PROFILER_FOLDER_H

#include "engine/profiler/gpu_run.h"

/*
 * Makes it; its absolute path in out. One that is there is refused, or taken away first where
 * replace is set and an earlier run made it. ERROR_OUTPUT, ERROR_USAGE.
 */
int run_folder_make(char out[4096], const char *path, bool replace, struct error *err);
/* The path it would have. */
void run_folder_name(char out[4096], const char *path);
/* The files below the pass's folder, sorted, into the pass. */
void run_folder_list(struct gpu_run *r, struct run_pass *p, const char *folder);

#endif
