/*
 * A private folder in shared memory for the records of librooftop in a command and its descendants,
 * so that they are found, and still exist after these have ended.
 */
#pragma once

#include <stdbool.h>

struct brick_folder {
    char path[64]; /* "": there is none */
    int lock;      /* held while the folder is used; -1: none */
};

/* Makes the folder, and removes those of ended rooftops, whose process and lock no longer exist.
 * The process id of a rooftop in another container that shares /dev/shm means nothing here, but its
 * lock shows that it runs. false: no folder could be made; errno says why. */
bool brick_folder_make(struct brick_folder *out);
/* Removes the folder and all files in it. A zeroed one is allowed. */
void brick_folder_remove(struct brick_folder *f);
/* Builds an environment with ROOFTOP_BRICKS set to path, unless it is set already. ranges: a folder
 * with a library that replaces NVTX's tools and rocTX, which programs load by name; NULL: none.
 * counters: ROOFTOP_BRICK_COUNTERS (brick_counters.c), NULL: unchanged. Returns one block, which
 * the caller frees. */
char **brick_folder_environment(const char *path, const char *ranges, const char *counters);
