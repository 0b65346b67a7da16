#include "tui/canvas/canvas.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/limit.h"
#include "base/printable.h"

enum { CANVAS_MAX = 4096 };

void canvas_init(struct canvas *c)
{
    *c = (struct canvas){0};
}

void canvas_free(struct canvas *c)
{
    free(c->cells);
    *c = (struct canvas){0};
}

static const struct cell blank = {.ch = ' ', .style = {.role = STYLE_TEXT}};

void canvas_resize(struct canvas *c, int cols, int rows)
{
    cols = limit_int(cols, 0, CANVAS_MAX);
    rows = limit_int(rows, 0, CANVAS_MAX);
    size_t need = (size_t)cols * (size_t)rows;
    if (need > c->cap) {
        c->cells = xrealloc(c->cells, need, sizeof *c->cells);
        c->cap = need;
    }
    c->cols = cols;
    c->rows = rows;
    canvas_clear(c);
}

void canvas_clear(struct canvas *c)
{
    c->nzones = 0;
    for (size_t i = 0, n = (size_t)c->cols * (size_t)c->rows; i < n; i++)
        c->cells[i] = blank;
}

bool canvas_same_cell(const struct cell *a, const struct cell *b)
{
    return a->ch == b->ch && a->style.role == b->style.role && a->style.level == b->style.level &&
           a->style.bold == b->style.bold && a->style.underline == b->style.underline &&
           a->style.reverse == b->style.reverse && a->style.selected == b->style.selected;
}

bool canvas_equal(const struct canvas *a, const struct canvas *b)
{
    if (a->cols != b->cols || a->rows != b->rows)
        return false;
    for (size_t i = 0, n = (size_t)a->cols * (size_t)a->rows; i < n; i++)
        if (!canvas_same_cell(&a->cells[i], &b->cells[i]))
            return false;
    return true;
}

/* Replacements of characters on an ASCII canvas. Sorted by code point. */
static const struct {
    uint32_t from;
    char to;
} ascii_map[] = {
    {0x00a0, ' '}, {0x00b0, 'o'}, {0x00b1, '+'}, {0x00b2, '2'},  {0x00b3, '3'},  {0x00b5, 'u'},
    {0x00b7, '.'}, {0x00b9, '1'}, {0x00d7, 'x'}, {0x03bc, 'u'},  {0x2010, '-'},  {0x2011, '-'},
    {0x2012, '-'}, {0x2013, '-'}, {0x2014, '-'}, {0x2018, '\''}, {0x2019, '\''}, {0x201c, '"'},
    {0x201d, '"'}, {0x2020, '+'}, {0x2022, '*'}, {0x2026, '~'},  {0x2039, '<'},  {0x203a, '>'},
    {0x2070, '0'}, {0x2074, '4'}, {0x2075, '5'}, {0x2076, '6'},  {0x2077, '7'},  {0x2078, '8'},
    {0x2079, '9'}, {0x2190, '<'}, {0x2191, '^'}, {0x2192, '>'},  {0x2193, 'v'},  {0x2195, '|'},
    {0x21b3, '`'}, {0x2248, '~'}, {0x2260, '!'}, {0x2264, '<'},  {0x2265, '>'},  {0x25a0, '#'},
    {0x25b2, '^'}, {0x25b3, '^'}, {0x25b6, '>'}, {0x25b8, '>'},  {0x25b9, '>'},  {0x25ba, '>'},
    {0x25bc, 'v'}, {0x25be, 'v'}, {0x25bf, 'v'}, {0x25c0, '<'},  {0x25c2, '<'},  {0x25c4, '<'},
    {0x25c6, '*'}, {0x25c7, '*'}, {0x25cb, 'o'}, {0x25cf, '*'},  {0x2605, '*'},  {0x26a0, '!'},
    {0x2713, '+'}, {0x2717, 'x'}, {0x2714, '+'}, {0x2718, 'x'},  {0x276f, '>'},
};

static char ascii_box(uint32_t ch)
{
    switch (ch) {
    case 0x2500:
    case 0x2501:
    case 0x2504:
    case 0x2505:
    case 0x2508:
    case 0x2509:
    case 0x254c:
    case 0x254d:
    case 0x2550:
    case 0x2574:
    case 0x2576:
    case 0x2578:
    case 0x257a:
        return '-';
    case 0x2502:
    case 0x2503:
    case 0x2506:
    case 0x2507:
    case 0x250a:
    case 0x250b:
    case 0x254e:
    case 0x254f:
    case 0x2551:
    case 0x2575:
    case 0x2577:
    case 0x2579:
    case 0x257b:
        return '|';
    default:
        return '+';
    }
}

/* Braille dots and eighths of a block become a character of similar density. */
static char ascii_density(uint32_t ch)
{
    static const char ramp[] = " .:-=+*#@";
    if (ch >= 0x2800 && ch <= 0x28ff)
        return ramp[__builtin_popcount(ch & 0xff)];
    if (ch >= 0x2581 && ch <= 0x2588)
        return ramp[ch - 0x2580];
    if (ch >= 0x2589 && ch <= 0x258f)
        return ramp[0x2590 - ch];
    static const char quarter[] = {'.', ':', '#'}; /* light, medium, dark shade */
    return ch >= 0x2591 && ch <= 0x2593 ? quarter[ch - 0x2591] : '#';
}

static uint32_t to_ascii(uint32_t ch)
{
    if (ch < 0x7f)
        return ch;
    if (ch >= 0x2500 && ch <= 0x257f)
        return (uint32_t)ascii_box(ch);
    if ((ch >= 0x2580 && ch <= 0x259f) || (ch >= 0x2800 && ch <= 0x28ff))
        return (uint32_t)ascii_density(ch);
    for (size_t i = 0; i < sizeof ascii_map / sizeof *ascii_map; i++)
        if (ascii_map[i].from == ch)
            return (uint32_t)ascii_map[i].to;
    return '?';
}

static struct cell *find_canvas_cell(const struct canvas *c, int x, int y)
{
    if (x < 0 || y < 0 || x >= c->cols || y >= c->rows)
        return NULL;
    return &c->cells[(size_t)y * (size_t)c->cols + (size_t)x];
}

/* Overwriting half of a wide character also blanks its other half. */
static void blank_split_halves(const struct canvas *c, int x, int y)
{
    struct cell *cell = find_canvas_cell(c, x, y), *left = find_canvas_cell(c, x - 1, y),
                *right = find_canvas_cell(c, x + 1, y);
    if (cell->ch == 0 && left)
        left->ch = ' ';
    if (right && right->ch == 0)
        right->ch = ' ';
}

void canvas_put(struct canvas *c, int x, int y, uint32_t ch, struct style st)
{
    struct cell *cell = find_canvas_cell(c, x, y);
    if (!cell)
        return;
    if (!text_printable(ch) || ch == 0xfffd)
        ch = '?';
    if (c->ascii)
        ch = to_ascii(ch);
    int w = ch < 0x300 ? 1 : text_char_width(ch);
    if (w == 0)
        return;
    blank_split_halves(c, x, y);
    struct cell *next = w == 2 ? find_canvas_cell(c, x + 1, y) : NULL;
    if (w == 2 && !next)
        ch = ' '; /* no room for its right half */
    *cell = (struct cell){.ch = ch, .style = st};
    if (next) {
        blank_split_halves(c, x + 1, y);
        *next = (struct cell){.ch = 0, .style = st};
        cell->ch = ch;
    }
}

int canvas_text(struct canvas *c, int x, int y, int max_w, const char *text, struct style st)
{
    int used = 0;
    if (max_w <= 0)
        return 0;
    for (const char *p = text; *p;) {
        const char *before = p;
        uint32_t ch = text_next_shown(&p);
        int w = text_char_width(ch);
        if (c->ascii && ch >= 0x300 && w)
            w = 1;
        if (w == 0)
            continue;
        bool last = used + w >= max_w;
        if (used + w > max_w || (last && *p && text_width(before) > max_w - used)) {
            canvas_put(c, x + used, y, 0x2026, st);
            return used + 1;
        }
        canvas_put(c, x + used, y, ch, st);
        used += w;
    }
    return used;
}

int canvas_text_right(struct canvas *c, int x, int y, int w, const char *text, struct style st)
{
    int need = text_width(text);
    return canvas_text(c, need < w ? x + w - need : x, y, w, text, st);
}

int canvas_printf(struct canvas *c, int x, int y, int max_w, struct style st, const char *fmt, ...)
{
    char buf[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(buf, sizeof buf, fmt, ap);
    va_end(ap);
    return canvas_text(c, x, y, max_w, buf, st);
}

/* The part of r that is inside the canvas. */
static struct rect clip_to_canvas(const struct canvas *c, struct rect r)
{
    long x1 = (long)r.x + r.w, y1 = (long)r.y + r.h;
    int x0 = r.x < 0 ? 0 : r.x;
    int y0 = r.y < 0 ? 0 : r.y;
    x1 = x1 > c->cols ? c->cols : x1;
    y1 = y1 > c->rows ? c->rows : y1;
    return (struct rect){x0, y0, x1 > x0 ? (int)(x1 - x0) : 0, y1 > y0 ? (int)(y1 - y0) : 0};
}

/* The end of a cut text that stays visible: its last word, if that is a number. */
static const char *kept_end(const char *text, int room)
{
    const char *word = strrchr(text, ' ');
    word = word ? word + 1 + (word[1] == '#') : "";
    bool number = *word && strspn(word, "0123456789") == strlen(word);
    return number && text_width(word) <= room / 2 ? word : "";
}

int canvas_text_ends(struct canvas *c, int x, int y, int max_w, const char *text, struct style st)
{
    if (text_width(text) <= max_w || max_w < 6)
        return canvas_text(c, x, y, max_w, text, st);
    const char *end = kept_end(text, max_w);
    int used = canvas_text(c, x, y, max_w - text_width(end), text, st); /* this part ends in "…" */
    return used + canvas_text(c, x + used, y, max_w - used, end, st);
}

void canvas_fill(struct canvas *c, struct rect r, uint32_t ch, struct style st)
{
    r = clip_to_canvas(c, r);
    for (int y = r.y; y < r.y + r.h; y++)
        for (int x = r.x; x < r.x + r.w; x++)
            canvas_put(c, x, y, ch, st);
}

void canvas_restyle(struct canvas *c, struct rect r, struct style st)
{
    r = clip_to_canvas(c, r);
    for (int y = r.y; y < r.y + r.h; y++)
        for (int x = r.x; x < r.x + r.w; x++)
            find_canvas_cell(c, x, y)->style = st;
}

static bool is_bar_cell(const struct canvas *c, const struct cell *cell)
{
    const bool block =
        c->ascii ? cell->ch == '#' || cell->ch == '@' : cell->ch >= 0x2580 && cell->ch <= 0x259f;
    const bool hue = style_table[cell->style.role].gradient ||
                     (cell->style.role >= STYLE_COMPUTE && cell->style.role <= STYLE_HOST);
    return block && hue;
}

void canvas_select(struct canvas *c, struct rect r)
{
    r = clip_to_canvas(c, r);
    for (int y = r.y; y < r.y + r.h; y++)
        for (int x = r.x; x < r.x + r.w; x++) {
            struct cell *cell = find_canvas_cell(c, x, y);
            if (is_bar_cell(c, cell))
                cell->style.selected = 1;
            else
                cell->style = STYLE(STYLE_SELECTED);
        }
}

/*
 * Draws a title, or only measures it if c is NULL. The letter after '_' is hot, "__" is a '_'.
 * Returns the number of cells.
 */
static int draw_box_title(struct canvas *c, int x, int y, int max_w, const char *title)
{
    int used = 0;
    for (const char *p = title; *p && used < max_w;) {
        bool mark = *p == '_' && p[1], hot = mark && p[1] != '_';
        p += mark;
        uint32_t ch = text_next_shown(&p);
        int w = text_char_width(ch);
        struct style st = STYLE(hot ? STYLE_HOT : STYLE_TITLE);
        st.underline = hot;
        if (used + w > max_w || (used + w == max_w && *p))
            ch = 0x2026; /* the title is cut here */
        if (c && w)
            canvas_put(c, x + used, y, ch, st);
        used += w;
    }
    return used < max_w ? used : max_w;
}

void canvas_heading(struct canvas *c, int x, int y, int w, const char *title, struct style st)
{
    const int used = canvas_text(c, x, y, w, title, st);
    canvas_fill(c, (struct rect){x + used + 1, y, w - used - 1, 1}, 0x2500, STYLE(STYLE_DIV));
}

struct rect canvas_cut_right(struct canvas *c, struct rect *r, int w)
{
    const struct rect cut = {r->x + r->w - w, r->y, w, r->h};
    r->w -= w + 3;
    canvas_fill(c, (struct rect){cut.x - 2, cut.y, 1, cut.h}, 0x2502, STYLE(STYLE_DIV));
    return cut;
}

struct rect canvas_cut_below(struct canvas *c, struct rect *r, int h)
{
    const struct rect cut = {r->x, r->y + r->h - h, r->w, h};
    r->h -= h + 1;
    canvas_fill(c, (struct rect){cut.x, cut.y - 1, cut.w, 1}, 0x2500, STYLE(STYLE_DIV));
    return cut;
}

static int title_width(const char *title)
{
    return title ? draw_box_title(NULL, 0, 0, 4096, title) : 0;
}

void canvas_box(struct canvas *c, struct rect r, struct style st, const char *title,
                const char *title_right)
{
    if (r.w < 2 || r.h < 2)
        return;
    int x1 = r.x + r.w - 1, y1 = r.y + r.h - 1;
    canvas_fill(c, (struct rect){r.x + 1, r.y, r.w - 2, 1}, 0x2500, st);
    canvas_fill(c, (struct rect){r.x + 1, y1, r.w - 2, 1}, 0x2500, st);
    canvas_fill(c, (struct rect){r.x, r.y + 1, 1, r.h - 2}, 0x2502, st);
    canvas_fill(c, (struct rect){x1, r.y + 1, 1, r.h - 2}, 0x2502, st);
    canvas_put(c, r.x, r.y, 0x256d, st);
    canvas_put(c, x1, r.y, 0x256e, st);
    canvas_put(c, r.x, y1, 0x2570, st);
    canvas_put(c, x1, y1, 0x256f, st);
    int room = r.w - 6, left = title_width(title),
        right = title_right ? text_width(title_right) : 0;
    if (title && room > 0) {
        canvas_put(c, r.x + 2, r.y, ' ', st);
        int used = draw_box_title(c, r.x + 3, r.y, room, title);
        canvas_put(c, r.x + 3 + used, r.y, ' ', st);
    }
    if (title_right && right + left + 4 <= room) {
        int x = x1 - right - 3;
        canvas_put(c, x, r.y, ' ', st);
        canvas_text(c, x + 1, r.y, right, title_right, STYLE(STYLE_GRAPH_TEXT));
        canvas_put(c, x + 1 + right, r.y, ' ', st);
    }
}

void canvas_zone(struct canvas *c, struct rect r, int action, int arg)
{
    if (c->nzones < CANVAS_ZONES_MAX)
        c->zones[c->nzones++] = (struct zone){r, action, arg};
}
