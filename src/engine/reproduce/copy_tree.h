/* Copies files and folders. Links are not copied; holes in files stay holes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* What was copied so far. */
struct copied {
    uint64_t bytes;
    void (*progress)(void *ctx, uint64_t bytes); /* told after each part; NULL: nobody listens */
    void *ctx;
};

/* Copies a regular file to `to`, which must not exist; creates its folders. -errno with ERROR_INPUT
 * for `from` or ERROR_OUTPUT for `to`. Adds to `done` what is copied. */
int copy_file(const char *from, const char *to, struct copied *done, struct error *err);
/* Copies the regular files of a folder and its subfolders, at most `depth` levels deep. */
int copy_folder(const char *from, const char *to, int depth, struct copied *done,
                struct error *err);
/* Writes a text to a new file with these permissions. */
int copy_text(const char *text, size_t n, const char *to, unsigned mode, struct error *err);
