/* Names that somebody may give to what rooftop shows, and what no output of it may hold. The checks
 * share no code with base/print.c. */
#ifndef TESTS_SUPPORT_HOSTILE_H
#define TESTS_SUPPORT_HOSTILE_H

#include <stdbool.h>
#include <stddef.h>

extern const char *const hostile_names[]; /* ends with NULL */

/* What stands for a name in CSV, SVG, DOT and folded stacks; in JSON only bytes that are no UTF-8
 * change. Free it. */
char *hostile_marked(const char *name);
char *hostile_decoded(const char *name);

enum { HOSTILE_CRLF = 1, HOSTILE_TAB = 2, HOSTILE_COLOURS = 4 };
/* The first thing in it that must not be there, as a sentence; NULL where there is none. Newlines
 * may be; what else may be is in `allowed`. */
const char *hostile_raw(const char *text, size_t n, unsigned allowed);

/* Reads CSV (RFC 4180) and tells each cell with a formula's apostrophe taken away. Returns a
 * sentence where it is malformed, where rows differ in length, or where a spreadsheet would take a
 * cell for a formula. */
const char *hostile_csv(const char *text, void (*cell)(void *ctx, const char *text), void *ctx);

/* Writes a trace for Chrome: a process, a thread, a span, a brick, a call and a kernel of each
 * name. */
void hostile_chrome(const char *path);

#endif
