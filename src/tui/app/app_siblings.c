/* The views that share a tab, in the first row of the shown one: "4 path │ timeline". */
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

static bool is_free_cell(const struct canvas *c, int x, int y)
{
    const uint32_t ch = c->cells[y * c->cols + x].ch;
    return ch == ' ' || ch == 0x2500 || (c->ascii && ch == '-'); /* a frame's edge, or nothing */
}

/* The number of free cells of the row that end before end. */
static int count_free_cells(const struct canvas *c, int from, int end, int y)
{
    int n = 0;
    while (end - n > from && is_free_cell(c, end - n - 1, y))
        n++;
    return n;
}

/* The end of w free cells in the row that have a free one on each side; 0: there are none. */
static int find_free_cells(const struct canvas *c, struct rect r, int w)
{
    for (int end = r.x + r.w - EDGE, n; end - w >= r.x; end -= n + 1) {
        n = count_free_cells(c, r.x, end, r.y);
        if (n >= w + 2)
            return end - 1;
    }
    return 0;
}

static int count_siblings_cells(const struct siblings *s)
{
    int w = text_width(s->key) + 2;
    for (int i = 0; i < s->n; i++)
        w += text_width(views[s->view[i]]->title) + (i ? 3 : 1);
    return w;
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

void app_draw_siblings(const struct app *a, struct canvas *c, struct rect r)
{
    struct siblings s;
    list_siblings(a, &s);
    const int w = count_siblings_cells(&s);
    const int end = s.n > 1 ? find_free_cells(c, r, w) : 0;
    if (end)
        draw_siblings(c, end - w, r.y, &s);
}
