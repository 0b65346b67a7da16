/* Copies of files and folders: contents, without links; holes stay holes. */
#ifndef ROOFTOP_ENGINE_REPRODUCE_COPY_TREE_H
#define ROOFTOP_ENGINE_REPRODUCE_COPY_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A regular file to another that is not there; its folders are made. ERROR_INPUT: of `from`;
 * ERROR_OUTPUT: of `to`. bytes (may be NULL): how many it has are added. */
int copy_file(const char *from, const char *to, uint64_t *bytes, struct error *err);
/* The regular files of a folder and of folders in it, `depth` levels deep at most. */
int copy_folder(const char *from, const char *to, int depth, uint64_t *bytes, struct error *err);
/* A text as a file that is not there; mode: of its permissions. */
int copy_text(const char *text, size_t n, const char *to, unsigned mode, struct error *err);
/* Removes a folder that was made here, with all in it; links are not followed. */
void copy_remove(const char *folder);

#endif
