#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "tui/model/view.h"
#include "tui/widgets/wrap.h"

#define VIEW(id, tab, name, keys, help) extern const struct view_ops view_##name;
#include "tui/views/views.def"

const struct view_ops *const views[] = {
#define VIEW(id, tab, name, keys, help) &view_##name,
#include "tui/views/views.def"
    NULL};
_Static_assert(sizeof views / sizeof *views - 1 <= VIEWS_MAX, "there is room for each view");

const struct view_tab view_tabs[TABS] = {
#define VIEW_TAB(id, keys, name, narrow, help) [TAB_##id] = {name, narrow, ACTION_TAB_##id},
#include "tui/views/views.def"
};

static const enum tab tab_of_view[] = {
#define VIEW(id, tab, name, keys, help) TAB_##tab,
#include "tui/views/views.def"
};

enum tab view_tab(int view)
{
    return tab_of_view[view];
}

int view_named(const char *name)
{
    for (int i = 0; views[i]; i++)
        if (strcmp(views[i]->name, name) == 0)
            return i;
    return -1;
}

int view_tab_named(const char *name)
{
    for (int i = 0; i < TABS; i++)
        if (strcmp(view_tabs[i].name, name) == 0)
            return i;
    return -1;
}

const char *view_typed_name(size_t i)
{
    const size_t n = sizeof views / sizeof *views - 1;
    if (i < n)
        return views[i]->name;
    i -= n;
    for (int t = 0; t < TABS; t++)
        if (view_named(view_tabs[t].name) < 0 && i-- == 0)
            return view_tabs[t].name;
    return NULL;
}

const char *view_key(const char *name, char out[16])
{
    const int view = view_named(name);
    const char *keys = view < 0 ? "" : keymap_keys(views[view]->select);
    if (view >= 0 && !*keys)
        keys = keymap_keys(view_tabs[tab_of_view[view]].select);
    snprintf(out, 16, "%.*s", (int)strcspn(keys, " "), keys);
    return out;
}

/* The own struct of a view that has at least this size gets whole pages, which take memory only
 * once the view is opened. */
enum { LARGE = 16 * 1024 };

void view_state_begin(struct view_state *st, const struct view_ops *v)
{
    *st = (struct view_state){0};
    if (v->own_size >= LARGE)
        st->own = pages_alloc(v->own_size);
    else if (v->own_size)
        st->own = xcalloc(1, v->own_size);
    if (v->begin)
        v->begin(st->own);
}

void view_state_end(struct view_state *st, const struct view_ops *v)
{
    if (v->end)
        v->end(st->own);
    if (v->own_size >= LARGE)
        pages_free(st->own, v->own_size);
    else
        free(st->own);
    st->own = NULL;
}

const struct list_field *view_fields(const struct view_ops *v, const struct view_state *st)
{
    return v->fields_now ? v->fields_now(st) : v->fields;
}

const char *view_sort(const struct view_ops *v, const struct view_state *st, int i)
{
    int n = 0;
    if (!v->sorts) {
        const struct list_field *own = view_fields(v, st);
        const struct list_field *f = own && i >= 0 ? list_fields_sort(own, i) : NULL;
        return f ? list_field_sort_name(f) : NULL;
    }
    while (n < i && v->sorts[n])
        n++;
    return v->sorts[n];
}

bool view_available(const struct view_ops *v, const struct model *m, const struct view_state *st)
{
    return !v->available || v->available(m, st);
}

bool view_draws(const struct view_ops *v, const struct model *m, const struct view_state *st)
{
    return !v->absent || view_available(v, m, st);
}

static void draw_absent(const struct view_ops *v, struct canvas *c, struct rect r,
                        const struct model *m)
{
    struct rect in = {r.x + 2, r.y + 2, r.w - 4, r.h - 3};
    canvas_box(c, r, STYLE(STYLE_BOX_PROC), v->title, NULL);
    if (!m->snap) {
        canvas_text(c, in.x, in.y, in.w, "…", STYLE(STYLE_DIM));
        return;
    }
    if (m->profile || m->opened || m->att) {
        canvas_text(c, in.x, in.y, in.w, "The opened file has nothing for this view.",
                    STYLE(STYLE_TITLE));
        in.y += 2;
        in.h -= 2;
    }
    wrap_draw(c, in, v->absent, STYLE(STYLE_TITLE));
}

void view_draw(const struct view_ops *v, struct canvas *c, struct rect area, const struct model *m,
               struct view_state *st)
{
    if (view_draws(v, m, st)) {
        v->draw(c, area, m, st);
        return;
    }
    st->rows = st->page = 0;
    st->list = (struct rect){0};
    draw_absent(v, c, area, m);
}
