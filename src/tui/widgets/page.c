#include "tui/widgets/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void page_reset(struct page *p)
{
    arena_reset(&p->arena);
    p->lines = NULL;
    p->n = p->cap = 0;
}

void page_free(struct page *p)
{
    arena_free(&p->arena);
    *p = (struct page){0};
}

static struct page_line *add(struct page *p)
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
        *add(p) = (struct page_line){.text = ""};
    *add(p) = (struct page_line){.text = arena_strdup(&p->arena, text),
                                 .text_style = STYLE(STYLE_HEADING)};
}

static const char *format(struct page *p, const char *fmt, va_list ap)
{
    char buf[2048];
    vsnprintf(buf, sizeof buf, fmt, ap);
    return arena_strdup(&p->arena, buf);
}

void page_text(struct page *p, enum style_role role, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = format(p, fmt, ap);
    va_end(ap);
    *add(p) = (struct page_line){.text = text, .text_style = STYLE(role)};
}

void page_item(struct page *p, const char *label, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = format(p, fmt, ap);
    va_end(ap);
    *add(p) = (struct page_line){.label = arena_strdup(&p->arena, label),
                                 .text = text,
                                 .label_style = STYLE(STYLE_DIM),
                                 .text_style = STYLE(STYLE_TEXT)};
}

/* Bytes of s that fit into w cells, broken at a space where there is one. */
static size_t break_at(const char *s, int w)
{
    const char *p = s, *space = NULL;
    int used = 0;
    while (*p) {
        const char *before = p;
        int cw = text_char_width(text_next(&p));
        if (used + cw > w)
            return (size_t)((space && space > s ? space : before > s ? before : p) - s);
        if (*before == ' ')
            space = before;
        used += cw;
    }
    return (size_t)(p - s);
}

/* Draws (or, with c == NULL, only counts) one line wrapped to w; returns the rows it takes. */
static int line_rows(struct canvas *c, int x, int y, int w, int top, int bottom,
                     const struct page_line *l, int label_w)
{
    char part[1024];
    int indent = l->label ? label_w : 0, rows = 0, room = w - indent > 8 ? w - indent : 8;
    const char *s = l->text;
    do {
        size_t n = break_at(s, room);
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
    } while (*s);
    return rows;
}

void page_draw(struct canvas *c, struct rect area, const char *title, const struct page *p,
               int label_w, int *scroll)
{
    int w = area.w < 100 ? area.w : 100, rows = 0;
    int inner = w - 6;
    for (size_t i = 0; i < p->n; i++)
        rows += line_rows(NULL, 0, 0, inner, 0, 0, &p->lines[i], label_w);
    int h = rows + 4 < area.h ? rows + 4 : area.h, view = h - 4;
    struct rect box = {area.x + (area.w - w) / 2, area.y + (area.h - h) / 2, w, h};
    if (w < 12 || h < 5)
        return;
    *scroll = *scroll > rows - view ? rows - view : *scroll;
    *scroll = *scroll < 0 ? 0 : *scroll;
    canvas_fill(c, box, ' ', STYLE(STYLE_TEXT));
    canvas_box(c, box, STYLE(STYLE_BOX_CPU), title, NULL);
    int y = box.y + 2 - *scroll, top = box.y + 2, bottom = top + view;
    for (size_t i = 0; i < p->n; i++)
        y += line_rows(c, box.x + 3, y, inner, top, bottom, &p->lines[i], label_w);
    const char *hint = rows > view ? " ↑↓ scroll   Esc close " : " Esc close ";
    canvas_text(c, box.x + w - text_width(hint) - 2, box.y + h - 1, w, hint, STYLE(STYLE_DIM));
    if (rows > view)
        canvas_printf(c, box.x + 3, box.y + h - 1, 16, STYLE(STYLE_DIM), " %d-%d of %d ",
                      *scroll + 1, *scroll + view, rows);
}
