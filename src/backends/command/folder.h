/*
 * A private folder in shared memory for the records of librooftop in a command and its descendants,
 * so that they are found, and still exist after these have ended.
 */
#ifndef ROOFTOP_BACKENDS_COMMAND_FOLDER_H
#define ROOFTOP_BACKENDS_COMMAND_FOLDER_H

#include <stdbool.h>

/*
 * Makes the folder and writes its path to out (64 bytes). Removes those of rooftops that have
 * ended.
 */
bool brick_folder_make(char out[64]);
void brick_folder_remove(const char *path); /* "" is allowed */
/*
 * Builds an environment with ROOFTOP_BRICKS set to path, unless it is set already. ranges: a folder
 * with a library that replaces NVTX's tools and rocTX, which programs load by name; NULL: none. One
 * block, which the caller frees.
 */
char **brick_folder_environment(const char *path, const char *ranges);

#endif
