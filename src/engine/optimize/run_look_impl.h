/* What run_look.c and run_files.c share. */
#pragma once

#include "engine/optimize/run_look.h"

enum { RUN_PATH = 1024, RUN_LINE = 1 << 16 };

/* Opens a regular file; nothing else, and no link, because the folder may be anybody's. A
 * descriptor, or -errno. */
int run_open(const char *path);
/* A file of at most `most` bytes, ended by a 0 that does not count. NULL: *why says why. */
char *run_text(const char *path, size_t most, size_t *n, const char **why);
/* Fills names with the folders that have a log, the newest first. Returns how many there are. */
size_t run_folders(const char *folder, char names[RUN_FOLDERS][RUN_NAME], size_t *n);
/* What the files of a record say. line: malloc'ed, or NULL; taken over. */
struct run_detail *run_detail_read(const char *run, const char *source,
                                   const struct optimize_record *r, char *line);
void run_detail_free(struct run_detail *d);
