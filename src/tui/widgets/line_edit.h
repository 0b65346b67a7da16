/*
 * An editor for one line of UTF-8 text, with a cursor, the usual keys of shells and sideways
 * scrolling. The prompts and the command line use it.
 */
#pragma once

#include "tui/canvas/canvas.h"
#include "tui/input/keys.h"

enum { LINE_EDIT_MAX = 256 };

struct line_edit {
    char text[LINE_EDIT_MAX]; /* always terminated, always whole characters */
    size_t cursor;            /* byte before which the cursor stands */
    size_t limit;             /* bytes the text may take with its end; 0 = LINE_EDIT_MAX */
    int scroll;               /* cells that are scrolled out on the left */
};

enum line_edit_result {
    LINE_EDIT_IGNORED, /* not a key of the editor */
    LINE_EDIT_MOVED,   /* handled; the text did not change */
    LINE_EDIT_CHANGED,
};

/* Sets the text, cut to what fits, with the cursor at its end. */
void line_edit_set(struct line_edit *e, const char *text);
/* Typed characters, Backspace, Delete, Left, Right, Home, End, ^A ^E ^B ^F ^D ^W ^U ^K. */
enum line_edit_result line_edit_key(struct line_edit *e, uint32_t key);
/* Draws w cells, scrolled so that the cursor is visible. */
void line_edit_draw(struct canvas *c, int x, int y, int w, struct line_edit *e, struct style st);
