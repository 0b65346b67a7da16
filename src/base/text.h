/*
 * UTF-8 text as it is shown: code points, cells, and where it may be cut. base/print.h is about how
 * documents write it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether text begins with these bytes. */
bool text_begins(const char *text, const char *with);

/* Decodes one code point and moves *p past it. Returns U+FFFD for invalid UTF-8, 0 at the end. */
uint32_t text_next(const char **p);
/* The same for text on the screen: '?' for characters that text_printable (base/printable.h)
 * refuses, and for invalid UTF-8. */
uint32_t text_next_shown(const char **p);
/* Encodes ch, without a NUL; an invalid code point becomes U+FFFD. Returns the bytes written. */
size_t text_encode(uint32_t ch, char out[4]);

int text_char_width(uint32_t ch); /* cells: 0, 1 or 2 */
int text_width(const char *text); /* cells, as shown */

/* Returns the bytes of the longest start of text that has at most this many bytes and ends after a
 * character and all its combining marks. */
size_t text_fit(const char *text, size_t bytes);
/* The same, limited to cells as shown. */
size_t text_fit_cells(const char *text, int cells);
/* Returns the start of the longest end of text that fits in this many cells. */
const char *text_tail_cells(const char *text, int cells);
/* Copies text. If it has more cells, keeps its start and end with the mark ("…") between them, for
 * names that differ at their end. Returns out. */
char *text_cut_middle(char *out, size_t size, const char *text, int cells, const char *mark);

/* Removes the incomplete character that snprintf left at the end of a full buffer. Returns text. */
char *text_whole(char *text);
