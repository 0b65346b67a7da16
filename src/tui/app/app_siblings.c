/* The views that share a tab, in the head of the shown one: "4 path │ timeline". */
#include <stdio.h>
#include <string.h>

#include "tui/app/app_state.h"

enum { SIBLINGS_MAX = 8, EDGE = 1 /* the corner of the view's frame */ };

struct siblings {
    char key[16];
    int n, chosen; /* number of views, and which of them is shown */
    int view[SIBLINGS_MAX];
};

static void list_siblings(const struct app *a, struct siblings *out)
{
    const enum tab tab = view_tab(a->view);
    *out = (struct siblings){.n = 0};
    app_first_key(view_tabs[tab].select, out->key);
    for (int i = 0; views[i] && out->n < SIBLINGS_MAX; i++) {
        if (view_tab(i) != tab || !app_view_listed(a, i))
            continue;
        if (i == a->view)
            out->chosen = out->n;
        out->view[out->n++] = i;
    }
}

/* A frame's edge, or nothing; below the first row nothing may be the place of something to come. */
static bool is_free_cell(const struct canvas *c, int x, int y, bool first)
{
    const uint32_t ch = c->cells[y * c->cols + x].ch;
    return (ch == ' ' && first) || ch == 0x2500 || (c->ascii && ch == '-');
}

/* The number of free cells of the row that end before end. */
static int count_free_cells(const struct canvas *c, int from, int end, int y, bool first)
{
    int n = 0;
    while (end - n > from && is_free_cell(c, end - n - 1, y, first))
        n++;
    return n;
}

/*
 * Where w cells begin that are free, as is one on each side; -1: there are none. They stand at the
 * right end of the row, or behind a title, where a number at the right does not push them.
 */
static int find_free_cells(const struct canvas *c, struct rect r, int w, bool first)
{
    const int right = r.x + r.w - EDGE;
    const uint32_t left = c->cells[r.y * c->cols + r.x].ch;
    if (left == 0x2502 || left == '|') /* it is inside a box, such as the axis of a graph */
        return -1;
    for (int end = right, n; end - w >= r.x; end -= n + 1) {
        n = count_free_cells(c, r.x, end, r.y, first);
        if (n >= w + 3)
            return end == right ? end - 1 - w : end - n + 2;
    }
    return -1;
}

static int count_siblings_cells(const struct siblings *s)
{
    int w = text_width(s->key) + 2;
    for (int i = 0; i < s->n; i++)
        w += text_width(views[s->view[i]]->title) + (i ? 3 : 1);
    return w;
}

static int count_next_cells(const struct siblings *s)
{
    return text_width(s->key) + 5 + text_width(views[s->view[(s->chosen + 1) % s->n]]->title);
}

static void draw_siblings(struct canvas *c, int x, int y, const struct siblings *s)
{
    canvas_fill(c, (struct rect){x, y, count_siblings_cells(s), 1}, ' ', STYLE(STYLE_TEXT));
    x++;
    x += canvas_text(c, x, y, 8, s->key, STYLE(STYLE_HOT)) + 1;
    for (int i = 0; i < s->n; i++) {
        const struct view_ops *v = views[s->view[i]];
        const int w = text_width(v->title);
        if (i)
            x += canvas_text(c, x, y, 3, " │ ", STYLE(STYLE_DIV));
        canvas_text(c, x, y, w, v->title, STYLE(i == s->chosen ? STYLE_TITLE : STYLE_DIM));
        canvas_zone(c, (struct rect){x, y, w, 1}, (int)v->select, 0);
        x += w;
    }
}

/* "1 → output": where there is no room for all, the one to which the digit goes on. */
static void draw_next_sibling(struct canvas *c, int x, int y, const struct siblings *s)
{
    const struct view_ops *next = views[s->view[(s->chosen + 1) % s->n]];
    const int w = count_next_cells(s);
    canvas_fill(c, (struct rect){x, y, w, 1}, ' ', STYLE(STYLE_TEXT));
    const int key = canvas_text(c, x + 1, y, 8, s->key, STYLE(STYLE_HOT));
    canvas_printf(c, x + 1 + key, y, w, STYLE(STYLE_DIM), " → %s", next->title);
    canvas_zone(c, (struct rect){x + 1, y, w - 2, 1}, (int)next->select, 0);
}

void app_draw_siblings(const struct app *a, struct canvas *c, struct rect r)
{
    struct siblings s;
    list_siblings(a, &s);
    if (s.n < 2)
        return;
    for (int y = 0, w = count_siblings_cells(&s); y < 2; y++) {
        const int x = find_free_cells(c, (struct rect){r.x, r.y + y, r.w, 1}, w, y == 0);
        if (x >= 0) {
            draw_siblings(c, x, r.y + y, &s);
            return;
        }
    }
    for (int y = 0, w = count_next_cells(&s); y < r.h; y++) {
        const int x = find_free_cells(c, (struct rect){r.x, r.y + y, r.w, 1}, w, y == 0);
        if (x >= 0) {
            draw_next_sibling(c, x, r.y + y, &s);
            return;
        }
    }
}
