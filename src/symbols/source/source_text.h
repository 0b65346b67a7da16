/* Lines of a source file, where it is on this machine. */
#ifndef ROOFTOP_SYMBOLS_SOURCE_SOURCE_TEXT_H
#define ROOFTOP_SYMBOLS_SOURCE_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct source_text {
    int first;                /* number of the first line, from 1 */
    const char *const *lines; /* tabs are blanks; no control characters; long lines are cut */
    size_t n;
    bool newer; /* the file was changed after the program was built: lines may have moved */
};

enum { SOURCE_LINES_MAX = 20000, SOURCE_COLUMNS_MAX = 512, SOURCE_BYTES_MAX = 32 << 20 };

/*
 * Lines first to last (from 1; cut to what the file has, and to SOURCE_LINES_MAX). program: what
 * was built from it; NULL unknown. 0, or -errno with err. Free *out with source_text_free.
 */
int source_text_read(const char *path, const char *program, int first, int last,
                     struct source_text **out, struct error *err);
void source_text_free(struct source_text *t);

#endif
