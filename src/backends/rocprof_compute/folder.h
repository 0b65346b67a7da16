/*
 * Reads the folder that rocprof-compute writes for a workload, and sysinfo.csv about its machine.
 */
#ifndef ROOFTOP_BACKENDS_ROCPROF_COMPUTE_FOLDER_H
#define ROOFTOP_BACKENDS_ROCPROF_COMPUTE_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct compute_system {
    char arch[32], model[64], host[128], command[512]; /* "": unknown */
    uint32_t units, clock_mhz, channels; /* or TRACE_UNKNOWN; channels: of the L2 cache */
};

enum { COMPUTE_FILES_MAX = 64 };
struct compute_files {
    char *paths[COMPUTE_FILES_MAX]; /* files with dispatches: the joined one first, if it exists */
    uint32_t n;
    char *roofs; /* roofline.csv; NULL */
};

/* Whether the folder has sysinfo.csv, and counters or times of dispatches. */
bool compute_folder_is(const char *path);
void compute_files_find(struct compute_files *out, const char *folder);
void compute_files_free(struct compute_files *f);
/*
 * Reads the folder's sysinfo.csv. Returns -errno with err where it cannot be read; where it does
 * not exist, 0 with all fields unknown.
 */
int compute_system_read(struct compute_system *out, const char *folder, struct error *err);

#endif
