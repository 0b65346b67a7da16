#include "tui/widgets/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tui/input/keys.h"

void page_reset(struct page *p)
{
    arena_reset(&p->arena);
    p->lines = NULL;
    p->n = p->cap = 0;
    p->hint = NULL;
}

void page_free(struct page *p)
{
    arena_free(&p->arena);
    *p = (struct page){0};
}

static struct page_line *add_page_line(struct page *p)
{
    if (p->n == p->cap) {
        p->cap = p->cap ? p->cap * 2 : 64;
        struct page_line *bigger = arena_alloc(&p->arena, p->cap * sizeof *bigger);
        if (p->n)
            memcpy(bigger, p->lines, p->n * sizeof *bigger);
        p->lines = bigger;
    }
    return &p->lines[p->n++];
}

void page_heading(struct page *p, const char *text)
{
    if (p->n)
        *add_page_line(p) = (struct page_line){.text = ""};
    *add_page_line(p) = (struct page_line){
        .text = arena_strdup(&p->arena, text), .heading = true, .text_style = STYLE(STYLE_HEADING)};
}

static const char *format_page_text(struct page *p, const char *fmt, va_list ap)
{
    char buf[2048];
    vsnprintf(buf, sizeof buf, fmt, ap);
    return arena_strdup(&p->arena, buf);
}

void page_text(struct page *p, enum style_role role, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = format_page_text(p, fmt, ap);
    va_end(ap);
    *add_page_line(p) = (struct page_line){.text = text, .text_style = STYLE(role)};
}

void page_item(struct page *p, const char *label, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = format_page_text(p, fmt, ap);
    va_end(ap);
    *add_page_line(p) = (struct page_line){.label = arena_strdup(&p->arena, label),
                                           .text = text,
                                           .label_style = STYLE(STYLE_DIM),
                                           .text_style = STYLE(STYLE_TEXT)};
}

/* The bytes of s that fit into w cells, up to a space if there is one. */
static size_t break_at(const char *s, int w)
{
    const char *p = s, *space = NULL;
    int used = 0;
    while (*p) {
        const char *before = p;
        int cw = text_char_width(text_next_shown(&p));
        if (used + cw > w) {
            if (space && space > s)
                return (size_t)(space - s);
            return (size_t)((before > s ? before : p) - s);
        }
        if (*before == ' ')
            space = before;
        used += cw;
    }
    return (size_t)(p - s);
}

/* Draws one line wrapped to w cells, or only counts its rows if c is NULL. Returns the rows. */
/*
 * The bytes of a text that is shown in one row: all, or up to the last clause that fits. The clause
 * before a colon says what the others are about, if it is more than a word.
 */
static size_t end_of_clause(const char *s, int room)
{
    enum { LEAST = 13 };
    static const char *const ends[] = {"; ", ": ", " (", ", "};
    if (text_width(s) <= room)
        return strlen(s);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t last = 0;
        for (const char *p = strstr(s, ends[i]); p && p - s <= room; p = strstr(p + 1, ends[i]))
            last = (size_t)(p - s);
        if (last >= LEAST)
            return last;
    }
    return strlen(s);
}

static int line_rows(struct canvas *c, int x, int y, int w, int top, int bottom,
                     const struct page_line *l, int label_w)
{
    char part[1024];
    int indent = l->label ? label_w : 0;
    int rows = 0;
    int room = w - indent > 8 ? w - indent : 8;
    const char *s = l->text;
    do {
        size_t n = l->cut ? end_of_clause(s, room) : break_at(s, room);
        bool visible = c && y + rows >= top && y + rows < bottom;
        snprintf(part, sizeof part, "%.*s", (int)n, s);
        if (visible && rows == 0 && l->label)
            canvas_text(c, x, y, indent - 1, l->label, l->label_style);
        if (visible)
            canvas_text(c, x + indent, y + rows, room, part, l->text_style);
        rows++;
        s += n;
        while (*s == ' ')
            s++;
    } while (*s && !l->cut);
    return rows;
}

static bool is_page_gap(const struct page *p, size_t i)
{
    return !p->lines[i].label && !p->lines[i].text[0];
}

void page_drop_empty(struct page *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) {
        size_t head =
            is_page_gap(p, i) ? i + 1 : i; /* an empty line belongs to the heading after it */
        bool heading = head < p->n && p->lines[head].heading;
        bool empty = head + 1 >= p->n || p->lines[head + 1].heading || is_page_gap(p, head + 1);
        if (heading && empty)
            i = head;
        else if (n || head == i)
            p->lines[n++] = p->lines[i];
    }
    p->n = n;
}

static int count_page_rows(const struct page *p, int w, int label_w)
{
    int rows = 0;
    for (size_t i = 0; i < p->n; i++)
        rows += line_rows(NULL, 0, 0, w, 0, 0, &p->lines[i], label_w);
    return rows;
}

static void draw_page_lines(struct canvas *c, const struct page *p, struct rect r, int from,
                            int label_w)
{
    int y = r.y - from;
    for (size_t i = 0; i < p->n; i++)
        y += line_rows(c, r.x, y, r.w, r.y, r.y + r.h, &p->lines[i], label_w);
}

/* The first row of the item that row `at` belongs to. */
static int item_start(const struct page *p, int w, int label_w, int at)
{
    int rows = 0, n = 0;
    for (size_t i = 0; i < p->n && rows <= at; i++, rows += n)
        n = line_rows(NULL, 0, 0, w, 0, 0, &p->lines[i], label_w);
    return rows > at ? rows - n : at;
}

enum { RANGE_W = 16 /* " 1-14 of 30 " */ };
enum { ONE_W = 100, TWO_FROM = 120, TWO_W = 180, GAP = 3 }; /* one column, or two */

void page_cut_to_fit(struct page *p, struct rect area, int label_w)
{
    const int one = area.w < ONE_W ? area.w : ONE_W;
    const int two = area.w < TWO_W ? area.w : TWO_W;
    const int view = area.h - 4;
    bool fits = count_page_rows(p, one - 6, label_w) <= view;
    if (!fits && area.w >= TWO_FROM)
        fits = count_page_rows(p, (two - 6 - GAP) / 2, label_w) + 4 <= 2 * view;
    for (size_t i = 0; i < p->n && !fits; i++)
        p->lines[i].cut = p->lines[i].label != NULL;
}

/* Draws the keys of the page into the lower edge of its box; a range of rows stands at the left. */
static void draw_page_hint(struct canvas *c, struct rect box, const struct page *p, bool scrolls)
{
    static const char close[] = "Esc close ", scroll[] = " ↑↓ scroll  ";
    char keys[96], hint[128];
    if (p->hint)
        snprintf(keys, sizeof keys, " %s   %s", p->hint, close);
    else
        snprintf(keys, sizeof keys, " %s", close);
    const bool room = text_width(scroll) + text_width(keys) + RANGE_W + 5 <= box.w;
    snprintf(hint, sizeof hint, "%s%s", scrolls && room ? scroll : "", keys);
    const int w = text_width(hint), x = box.x + box.w - w - 2, y = box.y + box.h - 1;
    const int last = (int)sizeof close - 1;
    canvas_text(c, x, y, w, hint, STYLE(STYLE_DIM));
    canvas_zone(c, (struct rect){x + w - last, y, last, 1}, ACTION_BACK, 0);
}

void page_draw(struct canvas *c, struct rect area, const char *title, struct page *p, int label_w,
               int *scroll)
{
    int w = area.w < ONE_W ? area.w : ONE_W, inner = w - 6,
        rows = count_page_rows(p, inner, label_w);
    bool two = area.w >= TWO_FROM && rows + 4 > area.h;
    if (two) {
        w = area.w < TWO_W ? area.w : TWO_W;
        inner = (w - 6 - GAP) / 2;
        rows = count_page_rows(p, inner, label_w);
    }
    int need = two ? (rows + 1) / 2 + 4 : rows;
    int h = need + 4 < area.h ? need + 4 : area.h;
    int view = h - 4;
    int seen = two ? 2 * view : view;
    struct rect box = {area.x + (area.w - w) / 2, area.y + (area.h - h) / 2, w, h};
    if (w < 12 || h < 5)
        return;
    p->rows = rows;
    p->seen = seen;
    /* the rows that the first column leaves for the second */
    int last = rows - seen + (two ? 4 : 0);
    last = rows > seen ? last : 0;
    *scroll = *scroll > last ? last : *scroll;
    *scroll = *scroll < 0 ? 0 : *scroll;
    canvas_zone(c, area, ACTION_BACK, 0); /* a click outside closes the page */
    canvas_zone(c, box, ACTION_NONE, 0);
    canvas_fill(c, box, ' ', STYLE(STYLE_TEXT));
    canvas_box(c, box, STYLE(STYLE_BOX_CPU), title, NULL);
    int second = two ? item_start(p, inner, label_w, *scroll + view) : *scroll + view;
    second = second > *scroll ? second : *scroll + view;
    draw_page_lines(c, p, (struct rect){box.x + 3, box.y + 2, inner, second - *scroll}, *scroll,
                    label_w);
    if (two)
        draw_page_lines(c, p, (struct rect){box.x + 3 + inner + GAP, box.y + 2, inner, view},
                        second, label_w);
    draw_page_hint(c, box, p, rows > seen);
    if (rows > seen)
        canvas_printf(c, box.x + 3, box.y + h - 1, RANGE_W, STYLE(STYLE_DIM), " %d-%d of %d ",
                      *scroll + 1, *scroll + seen < rows ? *scroll + seen : rows, rows);
}
