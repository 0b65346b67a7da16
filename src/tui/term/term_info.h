/*
 * Compiled terminfo entries, as term(5) describes them: read, and rewritten for 24-bit colour.
 */
#ifndef ROOFTOP_TUI_TERM_TERM_INFO_H
#define ROOFTOP_TUI_TERM_TERM_INFO_H

#include <stdbool.h>
#include <stddef.h>

enum { TERM_INFO_MAX = 32768 }; /* no compiled entry is larger (term(5)) */

/* Reads the entry of `term` from the usual places. Bytes read, or -ENOENT. */
long term_info_read(const char *term, unsigned char out[TERM_INFO_MAX]);
/* How many colours the entry has; 0 = none, -1 = not an entry. */
int term_info_colors(const unsigned char *entry, size_t len);
/*
 * The same terminal with direct 24-bit colours, as a value for the environment variable TERMINFO
 * ("hex:…", ncurses 6.1 and later), malloc'ed; NULL where the entry cannot be rewritten.
 */
char *term_info_direct(const unsigned char *entry, size_t len);

#endif
