/*
 * The picker of the view's boxes: a letter expands a box to the whole view, Space hides or shows
 * it.
 */
#include <ctype.h>

#include "tui/app/app_state.h"

static unsigned expand_chosen_box(struct app *a, int box)
{
    overlay_close(a);
    return app_perform(a, ACTION_EXPAND, box + 1);
}

static unsigned toggle_box(struct app *a, int box)
{
    struct view_state *st = &a->state[a->view];
    bool shown = !(st->hidden >> box & 1);
    if (!app_box_set(a, box, shown ? 'h' : 's'))
        app_message(a, true, "the last box stays: show another one first");
    return APP_REDRAW;
}

static unsigned boxes_key(struct app *a, const struct key_event *ev)
{
    const struct view_box *b = views[a->view]->boxes;
    struct view_state *st = &a->overlay_state;
    if (ev->key == ' ' && st->selected < st->rows)
        return toggle_box(a, st->selected);
    for (int i = 0; b && b[i].name; i++)
        if (ev->key == (unsigned char)b[i].letter ||
            ev->key == (uint32_t)toupper((unsigned char)b[i].letter))
            return expand_chosen_box(a, i);
    return 0;
}

static unsigned act_in_boxes(struct app *a, enum action action)
{
    struct view_state *st = &a->overlay_state;
    if (action == ACTION_MENU && st->selected < st->rows)
        return expand_chosen_box(a, st->selected);
    if (st->rows && (action == ACTION_UP || action == ACTION_DOWN)) {
        st->selected = (st->selected + (action == ACTION_UP ? st->rows - 1 : 1)) % st->rows;
        return APP_REDRAW;
    }
    return 0;
}

static void draw_box_row(struct canvas *c, struct rect r, const struct view_box *b, bool shown,
                         bool expanded)
{
    char letter[2] = {b->letter, '\0'};
    int x = r.x + 20, end = r.x + r.w - 1;
    canvas_text(c, r.x + 1, r.y, 1, letter, STYLE(STYLE_HOT));
    canvas_text(c, r.x + 4, r.y, 3, shown ? "[x]" : "[ ]", STYLE(shown ? STYLE_OK : STYLE_DIM));
    canvas_text(c, r.x + 8, r.y, 11, b->name, STYLE(shown ? STYLE_TITLE : STYLE_DIM));
    if (expanded)
        x += canvas_text(c, x, r.y, end - x, "expanded · ", STYLE(STYLE_HOT));
    canvas_text(c, x, r.y, end - x, b->what, STYLE(STYLE_DIM));
}

static void draw_boxes(struct app *a, struct canvas *c, struct rect area)
{
    const struct view_box *b = views[a->view]->boxes;
    const struct view_state *vs = &a->state[a->view];
    struct view_state *st = &a->overlay_state;
    static const char hint[] = " letter expand  Space hide/show  Esc close ";
    int n = 0, w = area.w < 68 ? area.w : 68;
    while (b && b[n].name)
        n++;
    int h = (n ? n : 1) + 2;
    h = h > area.h ? area.h : h;
    struct rect box = {area.x + (area.w - w) / 2, area.y + (area.h - h) / 2, w, h};
    canvas_zone(c, area, ACTION_BACK, 0);
    canvas_zone(c, box, ACTION_NONE, 0);
    canvas_fill(c, box, ' ', STYLE(STYLE_TEXT));
    canvas_box(c, box, STYLE(STYLE_BOX_CPU), "boxes of this view", NULL);
    st->rows = n;
    st->page = h - 2;
    st->list = (struct rect){box.x + 1, box.y + 1, box.w - 2, st->page};
    if (st->selected >= n)
        st->selected = n ? n - 1 : 0;
    st->scroll = st->selected >= st->page ? st->selected - st->page + 1 : 0;
    for (int i = 0; b && i < st->page && st->scroll + i < n; i++) {
        int k = st->scroll + i;
        struct rect r = {box.x + 1, box.y + 1 + i, box.w - 2, 1};
        draw_box_row(c, r, &b[k], !(vs->hidden >> k & 1), vs->expanded == k + 1);
        if (k == st->selected)
            canvas_restyle(c, r, STYLE(STYLE_SELECTED));
    }
    if (n == 0)
        canvas_text(c, box.x + 2, box.y + 1, box.w - 4, "this view is one box", STYLE(STYLE_DIM));
    if (box.w > text_width(hint) + 4)
        canvas_text(c, box.x + box.w - text_width(hint) - 2, box.y + box.h - 1, box.w, hint,
                    STYLE(STYLE_DIM));
}

const struct overlay_ops overlay_boxes = {
    .name = "boxes",
    .toggle = ACTION_BOXES,
    .click_runs = true,
    .draw = draw_boxes,
    .act = act_in_boxes,
    .key = boxes_key,
};
