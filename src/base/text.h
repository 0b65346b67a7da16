/*
 * UTF-8 text as it is shown: code points, cells, and where it may be cut. base/print.h has how
 * documents spell it.
 */
#ifndef ROOFTOP_BASE_TEXT_H
#define ROOFTOP_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes one code point and moves behind it: U+FFFD for what is no UTF-8, 0 at the end. */
uint32_t text_next(const char **p);
/* The same for what is shown: '?' for what text_printable (base/printable.h) refuses, and for what
 * is no UTF-8. */
uint32_t text_next_shown(const char **p);
/* The sequence of ch, not terminated; that of U+FFFD for what is no code point. Returns its bytes.
 */
size_t text_encode(uint32_t ch, char out[4]);

int text_char_width(uint32_t ch); /* cells: 0, 1, 2 */
int text_width(const char *text); /* cells, as shown */

/*
 * Bytes of the longest start of text that has at most so many bytes and ends at the end of a
 * character with all its combining marks.
 */
size_t text_fit(const char *text, size_t bytes);
/* The same by cells as shown. */
size_t text_fit_cells(const char *text, int cells);
/* The longest end of text that fits so many cells: where it begins. */
const char *text_tail_cells(const char *text, int cells);

/* Removes the piece of a character that snprintf left at the end of a full buffer. Returns text. */
char *text_whole(char *text);

#endif
