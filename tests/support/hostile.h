/* Hostile names that users may give to processes, kernels and files, and checks that no output
 * contains them raw. The checks share no code with base/print.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

extern const char *const hostile_names[]; /* terminated by NULL */

/* How CSV, SVG, DOT and folded stacks write the name. (JSON changes only bytes that are not
 * UTF-8.) The caller frees it. */
char *hostile_marked(const char *name);
char *hostile_decoded(const char *name);

enum { HOSTILE_CRLF = 1, HOSTILE_TAB = 2, HOSTILE_COLOURS = 4 };
/* Returns a sentence about the first forbidden thing in the text; NULL if there is none. Newlines
 * are allowed; `allowed` says what else is. */
const char *hostile_raw(const char *text, size_t n, unsigned allowed);

/* Reads CSV (RFC 4180) and passes each cell to `cell`, without the apostrophe that guards
 * formulas. Returns a sentence if the CSV is malformed, if rows have different lengths, or if a
 * spreadsheet would take a cell for a formula; else NULL. */
const char *hostile_csv(const char *text, void (*cell)(void *ctx, const char *text), void *ctx);

/* Writes a Chrome trace with a process, thread, span, brick, call and kernel for each hostile
 * name. */
void hostile_chrome(const char *path);
