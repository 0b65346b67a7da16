/*
 * A grid of cells; everything rooftop shows is drawn here, then rendered by the terminal (term.c)
 * or as plain text, ANSI or SVG (render_*.c). A cell holds one code point and a style, not a
 * colour: themes decide colours, so that goldens are text plus a plane of style letters.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "engine/value/value.h"

/*
 * What a cell means. Each role has a row in style_table (style.c): letter for goldens, theme key,
 * attributes.
 */
enum style_role {
    STYLE_TEXT,     /* main_fg */
    STYLE_DIM,      /* inactive_fg: secondary text, units */
    STYLE_TITLE,    /* title of a box */
    STYLE_HOT,      /* hi_fg: hot letters and keys */
    STYLE_HEADING,  /* column heads */
    STYLE_SELECTED, /* the selected row */
    STYLE_OK,
    STYLE_WARN,
    STYLE_CRIT,
    STYLE_LINK, /* something Enter acts on */
    STYLE_BOX_CPU,
    STYLE_BOX_MEM,
    STYLE_BOX_NET,
    STYLE_BOX_PROC,   /* outlines */
    STYLE_DIV,        /* dividers, axes */
    STYLE_GRAPH_TEXT, /* numbers over graphs */
    STYLE_METER_BG,   /* the empty part of a meter */
    STYLE_BANNER,     /* paused, message line */
    STYLE_DIFF_UP,    /* more than in the other run */
    STYLE_DIFF_DOWN,  /* less */
    STYLE_TIME_CURSOR,
    /* what a span of time went to */
    STYLE_COMPUTE,
    STYLE_COMMUNICATION,
    STYLE_COPY,
    STYLE_HOST,
    /* gradients: level 0..100 chooses the colour */
    STYLE_GRAD_CPU,
    STYLE_GRAD_TEMP,
    STYLE_GRAD_USED,
    STYLE_GRAD_FREE,
    STYLE_GRAD_CACHED,
    STYLE_GRAD_DOWN,
    STYLE_GRAD_UP,
    STYLE_GRAD_PROC,
    STYLE_GRAD_FLAME,
    STYLE_COUNT
};

/* The row of a role; style_table is indexed by role (style.c). */
struct style_info {
    char letter;     /* in the style plane of goldens */
    const char *key; /* theme key of its colour; for gradients the stem: "cpu" = cpu_start, cpu_mid,
                        cpu_end */
    const char *background; /* theme key of its background, NULL = main_bg */
    bool gradient;
    bool bold, underline, reverse; /* applied always */
    bool mono_bold, mono_reverse;  /* applied where no colour shows the role */
    int8_t ansi; /* palette index 0..15 at 8 and 16 colours; -1 = the terminal's own */
};
extern const struct style_info style_table[STYLE_COUNT];

struct style {
    uint8_t role;                                 /* enum style_role */
    uint8_t level;                                /* 0..100 for gradients */
    uint8_t bold : 1, underline : 1, reverse : 1; /* in addition to what the role has */
    uint8_t selected : 1; /* its own colour on the background of the selected row */
};

struct cell {
    uint32_t ch; /* code point; 0 = the right half of the wide character to the left */
    struct style style;
};

struct rect {
    int x, y, w, h;
};

/* A clickable rectangle. Later zones lie above earlier ones. */
struct zone {
    struct rect r;
    int action; /* enum action; 0 only hides the zones below */
    int arg;    /* argument of the action: number of a box or row, or ZONE_FROM_… */
};
/* Values of arg: the action gets the number of cells from the zone's first or last column. */
enum { ZONE_FROM_LEFT = -1, ZONE_FROM_RIGHT = -2 };
enum { CANVAS_ZONES_MAX = 256 };

struct canvas {
    int cols, rows;
    bool ascii; /* only ASCII may be drawn: canvas_put maps box, braille, block and arrow characters
                 */
    struct cell *cells; /* rows*cols, row major */
    size_t cap;
    /* of the picture that was drawn last; canvas_clear removes them */
    struct zone zones[CANVAS_ZONES_MAX];
    int nzones;
};

void canvas_init(struct canvas *c);
void canvas_resize(struct canvas *c, int cols, int rows); /* sets the size and clears */
void canvas_free(struct canvas *c);
void canvas_clear(struct canvas *c); /* spaces in STYLE_TEXT */
bool canvas_same_cell(const struct cell *a, const struct cell *b);
bool canvas_equal(const struct canvas *a, const struct canvas *b);

#define STYLE(r)          ((struct style){.role = (r)})
#define STYLE_LEVEL(r, l) ((struct style){.role = (r), .level = (uint8_t)(l)})

/* All drawing clips to the canvas; coordinates are cells, origin top left. */
void canvas_put(struct canvas *c, int x, int y, uint32_t ch, struct style st);
/*
 * Draws UTF-8 text in at most max_w cells (control bytes and invalid UTF-8 become '?'; wide
 * characters take two cells; combining marks are dropped). Cut text ends in "…" ("~" in ASCII).
 * Returns the cells used.
 */
int canvas_text(struct canvas *c, int x, int y, int max_w, const char *text, struct style st);
/* The same, but keeps a number at the end of a text that is cut: "pt_main_thr…4712". */
int canvas_text_ends(struct canvas *c, int x, int y, int max_w, const char *text, struct style st);
int canvas_text_right(struct canvas *c, int x, int y, int w, const char *text, struct style st);
int canvas_printf(struct canvas *c, int x, int y, int max_w, struct style st, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
void canvas_fill(struct canvas *c, struct rect r, uint32_t ch, struct style st);
void canvas_restyle(struct canvas *c, struct rect r, struct style st); /* keeps the characters */
/* Shows r as the selected row. Bars keep their hue, because it means something. */
void canvas_select(struct canvas *c, struct rect r);
/*
 * Draws a rounded box with its title in the top edge. The letter after '_' is shown hot ("_cpu");
 * "__" draws a '_'. Titles may be NULL.
 */
void canvas_box(struct canvas *c, struct rect r, struct style st, const char *title,
                const char *title_right);

/* Draws the title, and a line behind it to the end of the w cells. */
void canvas_heading(struct canvas *c, int x, int y, int w, const char *title, struct style st);
/* Cuts w cells off the right end of r, behind a line with a blank on each side; returns them. */
struct rect canvas_cut_right(struct canvas *c, struct rect *r, int w);
/* Cuts the last h rows off r, below a line; returns them. */
struct rect canvas_cut_below(struct canvas *c, struct rect *r, int h);

/* Makes r clickable. Ignored if there are already CANVAS_ZONES_MAX zones. */
void canvas_zone(struct canvas *c, struct rect r, int action, int arg);
