/* Text in a box over the view: help and explanations. Lines wrap at the width they are drawn in. */
#pragma once

#include "base/arena.h"
#include "tui/canvas/canvas.h"

struct page_line {
    const char *label; /* left column, NULL = the text starts at the margin */
    const char *text;
    bool heading;
    bool cut; /* shown in one row, however long it is */
    struct style label_style, text_style;
};

struct page {
    struct arena arena;
    struct page_line *lines;
    size_t n, cap;
    const char *hint; /* in the lower edge, before "Esc close"; NULL: none */
    int rows, seen;   /* set by page_draw: rows there are, and rows that fit */
};

void page_reset(struct page *p);
void page_free(struct page *p);
void page_heading(struct page *p, const char *text);
void page_text(struct page *p, enum style_role role, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Appends "label   text", with the text in a column of its own. */
void page_item(struct page *p, const char *label, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Shows each item in one row, unless all of them fit into the area as they are. */
void page_cut_to_fit(struct page *p, struct rect area, int label_w);
/* Removes headings without content. */
void page_drop_empty(struct page *p);
/*
 * Draws from line *scroll on, which it keeps in range. It uses two columns if the area is at least
 * 120 cells wide and one column would not show everything. label_w: cells of the left column of
 * labels.
 */
void page_draw(struct canvas *c, struct rect area, const char *title, struct page *p, int label_w,
               int *scroll);
