/* The documents of golden traces. */
#pragma once

#include "engine/golden/golden_diff.h"

/* Writes canonical JSON, a line of the trace a line of the file. what: a struct golden. */
void golden_write(FILE *out, const void *what);
/* Writes a unified difference with `context` equal lines around each hunk. Of a line over 240 bytes
 * it writes the beginning and the part around the first difference. */
void golden_diff_write(FILE *out, const struct golden *stored, const struct golden *run,
                       const struct golden_diff *d, unsigned context);
/* Writes the page of Markdown about n traces. */
void golden_write_page(FILE *out, const struct golden *all, size_t n);
