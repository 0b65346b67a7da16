/* A terminal emulator for tests: libvterm, which shares no code with ncurses, behind a few
 * functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vt;

/* A cell as a terminal shows it. Colours are 0xRRGGBB; *_set is false for the terminal's default
 * colours. */
struct vt_cell {
    uint32_t ch; /* 0 = never written */
    bool bold, underline, reverse, fg_set, bg_set;
    uint32_t fg, bg;
};

struct vt *vt_new(int cols, int rows); /* UTF-8, with an alternate screen */
void vt_free(struct vt *v);
void vt_feed(struct vt *v, const char *bytes, size_t n);
void vt_resize(struct vt *v, int cols, int rows);
/* The screen as UTF-8: one line a row, trailing spaces cut. Owned by v, valid until the next call.
 */
const char *vt_text(struct vt *v);
/* One row, by the same rules; "" outside the screen. */
const char *vt_row(struct vt *v, int y);
/* Finds a text; returns true with its first cell in x and y (either may be NULL). */
bool vt_find(struct vt *v, const char *text, int *x, int *y);
struct vt_cell vt_cell_at(struct vt *v, int x, int y);
bool vt_cursor_visible(const struct vt *v);
bool vt_alternate(const struct vt *v); /* whether it shows the alternate screen */

/* Counts of what a stream of bytes contains: SGR sequences that set a colour, and those that set a
 * 24-bit colour. */
struct vt_count {
    size_t colors, direct;
    size_t high; /* number of bytes above 127 */
};
struct vt_count vt_count(const char *bytes, size_t n);
