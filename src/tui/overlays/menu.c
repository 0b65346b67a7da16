/* The menu of the row under the cursor; the view fills it. */
#include <stdio.h>

#include "base/limit.h"
#include "tui/app/app_state.h"
#include "tui/app/commands.h"
#include "tui/model/permit.h"

/*
 * Fills the menu again from the newest snapshot, because a process may end while its menu is open.
 */
static void fill_menu(struct app *a)
{
    struct view_state *vs = &a->state[a->view], *st = &a->overlay_state;
    const struct view_ops *v = views[a->view];
    a->menu.n = 0;
    a->menu.title[0] = '\0';
    if (!a->overlay_key[0]) /* opened by a click: now the view knows the clicked row */
        snprintf(a->overlay_key, sizeof a->overlay_key, "%s", vs->selected_key);
    vs->follow = true;
    if (!v->menu || !v->menu(&a->model, vs, a->overlay_key, &a->menu)) {
        snprintf(a->menu.title, sizeof a->menu.title, "%s", a->overlay_key);
        a->menu.n = 0;
    }
    for (int i = 0; i < a->menu.n; i++) {
        struct menu_entry *e = &a->menu.entries[i];
        const char *why = permit_refused(&a->model, e->action);
        if (why && !e->why_not[0])
            snprintf(e->why_not, sizeof e->why_not, "%s", why);
    }
    st->rows = a->menu.n;
    if (st->selected >= st->rows)
        st->selected = st->rows - 1;
    if (st->selected < 0)
        st->selected = 0;
}

static unsigned run_entry(struct app *a, int i)
{
    if (i < 0 || i >= a->menu.n)
        return APP_REDRAW;
    struct menu_entry e = a->menu.entries[i];
    struct view_state *vs = &a->state[a->view];
    a->overlay_state.selected = i;
    if (e.why_not[0]) {
        char text[2 * MENU_TEXT_MAX + 8];
        snprintf(text, sizeof text, "%s: %s", e.label, e.why_not);
        app_message(a, true, text);
        return APP_REDRAW;
    }
    /* the menu's row, wherever it is in the list now */
    snprintf(vs->selected_key, sizeof vs->selected_key, "%s", a->overlay_key);
    vs->follow = true;
    overlay_close(a);
    if (e.copy)
        return app_copy(a, e.command);
    if (e.command[0])
        return app_command_or_ask(a, e.command) | APP_REDRAW;
    return app_perform(a, e.action, 0) | APP_REDRAW;
}

static unsigned act_in_menu(struct app *a, enum action action)
{
    struct view_state *st = &a->overlay_state;
    switch (action) {
    case ACTION_MENU:
        return run_entry(a, st->selected);
    case ACTION_UP:
        st->selected = st->selected > 0 ? st->selected - 1 : st->rows - 1;
        return APP_REDRAW;
    case ACTION_DOWN:
        st->selected = st->selected + 1 < st->rows ? st->selected + 1 : 0;
        return APP_REDRAW;
    case ACTION_PAGE_UP:
    case ACTION_TOP:
        st->selected = 0;
        return APP_REDRAW;
    case ACTION_PAGE_DOWN:
    case ACTION_BOTTOM:
        st->selected = st->rows - 1;
        return APP_REDRAW;
    default:
        return 0;
    }
}

static unsigned menu_key(struct app *a, const struct key_event *ev)
{
    for (int i = 0; i < a->menu.n; i++)
        if (ev->key == (unsigned char)a->menu.entries[i].letter)
            return run_entry(a, i);
    return 0;
}

static int measure_menu_width(const struct menu *m)
{
    int w = text_width(m->title) + 8;
    for (int i = 0; i < m->n; i++) {
        const struct menu_entry *e = &m->entries[i];
        int need = 8 + text_width(e->label) + (e->why_not[0] ? 3 + text_width(e->why_not) : 0);
        w = need > w ? need : w;
    }
    return w < 34 ? 34 : w;
}

/* The place of the menu: below its row, or above it if there is no room, always inside the view. */
static struct rect menu_place(const struct app *a, struct rect area)
{
    const struct view_state *vs = &a->state[a->view];
    int w = measure_menu_width(&a->menu), h = (a->menu.n ? a->menu.n : 1) + 2;
    int row = vs->list.y + vs->selected - vs->scroll;
    w = w > area.w - 2 ? area.w - 2 : w;
    h = h > area.h ? area.h : h;
    int y = row + 1 + h <= area.y + area.h ? row + 1 : row - h;
    y = limit_int(y, area.y, area.y + area.h - h);
    int x = a->menu_x >= 0 ? a->menu_x : vs->list.x + 4;
    x = x + w > area.x + area.w ? area.x + area.w - w : x;
    return (struct rect){x < area.x ? area.x : x, y, w, h};
}

static void draw_entry(struct canvas *c, struct rect r, const struct menu_entry *e, bool selected)
{
    bool can = !e->why_not[0];
    char letter[2] = {e->letter, '\0'};
    canvas_text(c, r.x + 1, r.y, 1, letter, STYLE(can ? STYLE_HOT : STYLE_DIM));
    int x = r.x + 4, end = r.x + r.w - 1;
    x += canvas_text(c, x, r.y, end - x, e->label, STYLE(can ? STYLE_TEXT : STYLE_DIM));
    if (!can && end - x > 5)
        canvas_printf(c, x, r.y, end - x, STYLE(STYLE_DIM), " · %s", e->why_not);
    if (selected)
        canvas_restyle(c, r, STYLE(STYLE_SELECTED));
}

/* Doubles each '_', because a single one marks a letter in the title of a box. */
static const char *box_title(const char *title, char out[2 * MENU_TEXT_MAX])
{
    char *o = out;
    for (; *title; title++) {
        *o++ = *title;
        if (*title == '_')
            *o++ = '_';
    }
    *o = '\0';
    return out;
}

static void draw_menu(struct app *a, struct canvas *c, struct rect area)
{
    struct view_state *st = &a->overlay_state;
    char title[2 * MENU_TEXT_MAX];
    fill_menu(a);
    struct rect box = menu_place(a, area);
    canvas_zone(c, area, ACTION_BACK, 0); /* a click elsewhere closes it */
    canvas_zone(c, box, ACTION_NONE, 0);
    canvas_fill(c, box, ' ', STYLE(STYLE_TEXT));
    canvas_box(c, box, STYLE(STYLE_BOX_CPU), box_title(a->menu.title, title), NULL);
    st->page = box.h - 2;
    if (st->scroll > st->selected)
        st->scroll = st->selected;
    if (st->selected >= st->scroll + st->page)
        st->scroll = st->selected - st->page + 1;
    st->list = (struct rect){box.x + 1, box.y + 1, box.w - 2, st->page};
    for (int i = 0; i < st->page && st->scroll + i < a->menu.n; i++)
        draw_entry(c, (struct rect){box.x + 1, box.y + 1 + i, box.w - 2, 1},
                   &a->menu.entries[st->scroll + i], st->scroll + i == st->selected);
    if (a->menu.n == 0)
        canvas_text(c, box.x + 2, box.y + 1, box.w - 4, "it is not here any more",
                    STYLE(STYLE_DIM));
    const char *hint = " Enter do  Esc close ";
    if (box.w > text_width(hint) + 4)
        canvas_text(c, box.x + box.w - text_width(hint) - 2, box.y + box.h - 1, box.w, hint,
                    STYLE(STYLE_DIM));
}

const struct overlay_ops overlay_menu = {
    .name = "menu",
    .click_runs = true,
    .draw = draw_menu,
    .act = act_in_menu,
    .key = menu_key,
};
