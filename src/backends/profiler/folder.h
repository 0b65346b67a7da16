/* The folder for the results of a run. */
#ifndef ROOFTOP_BACKENDS_PROFILER_FOLDER_H
#define ROOFTOP_BACKENDS_PROFILER_FOLDER_H

#include "engine/profiler/gpu_run.h"

/*
 * Makes the folder and writes its absolute path to out. An existing folder is refused; with replace
 * it is first removed if an earlier run made it. ERROR_OUTPUT, ERROR_USAGE.
 */
int run_folder_make(char out[4096], const char *path, bool replace, struct error *err);
/* Writes the path that the folder would have. */
void run_folder_name(char out[4096], const char *path);
/* Lists the files below the pass's folder, sorted, in the pass. */
void run_folder_list(struct gpu_run *r, struct run_pass *p, const char *folder);

#endif
