/* A folder of our own in shared memory, where a command and all it starts keep what librooftop
 * records, so that it is found, and is still there when they have ended. */
#ifndef ROOFTOP_BACKENDS_COMMAND_FOLDER_H
#define ROOFTOP_BACKENDS_COMMAND_FOLDER_H

#include <stdbool.h>

/* Makes it; its path in out (64 bytes). Takes away those whose rooftop has gone. */
bool brick_folder_make(char out[64]);
void brick_folder_remove(const char *path); /* "" allowed */
/* The environment with ROOFTOP_BRICKS set to path, where it is not set already. ranges: a folder
 * whose library takes the place of NVTX's tools and of rocTX, which programs look for by name; NULL
 * none. Freed by the caller in one piece. */
char **brick_folder_environment(const char *path, const char *ranges);

#endif
