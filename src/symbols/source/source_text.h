/* Lines of a source file, if it is on this machine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct source_text {
    int first; /* number of the first line, counted from 1 */
    const char *const
        *lines; /* with tabs as blanks, without control characters; long lines are cut */
    size_t n;
    bool newer; /* the file is newer than the program: lines may have moved */
};

enum { SOURCE_LINES_MAX = 20000, SOURCE_COLUMNS_MAX = 512, SOURCE_BYTES_MAX = 32 << 20 };

/* Reads lines first to last (counted from 1; limited to the file's lines and to SOURCE_LINES_MAX).
 * program: the file that was built from it; NULL: unknown. Returns 0, or -errno with err. The
 * caller frees *out with source_text_free. */
int source_text_read(const char *path, const char *program, int first, int last,
                     struct source_text **out, struct error *err);
void source_text_free(struct source_text *t);
