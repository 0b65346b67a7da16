/* Copies files and folders. Links are not copied; holes in files stay holes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Copies a regular file to `to`, which must not exist; creates its folders. -errno with ERROR_INPUT
 * for `from` or ERROR_OUTPUT for `to`. Adds the file's size to *bytes, unless that is NULL. */
int copy_file(const char *from, const char *to, uint64_t *bytes, struct error *err);
/* Copies the regular files of a folder and its subfolders, at most `depth` levels deep. */
int copy_folder(const char *from, const char *to, int depth, uint64_t *bytes, struct error *err);
/* Writes a text to a new file with these permissions. */
int copy_text(const char *text, size_t n, const char *to, unsigned mode, struct error *err);
