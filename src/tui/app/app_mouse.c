#include "tui/app/app_state.h"

enum { WHEEL_LINES = 3 };

static bool is_mouse_within(struct rect r, const struct key_event *ev)
{
    return ev->x >= r.x && ev->x < r.x + r.w && ev->y >= r.y && ev->y < r.y + r.h;
}

/*
 * A click into a list moves the cursor there. A second click, or the right button, acts like Enter.
 */
static unsigned click_row(struct app *a, const struct key_event *ev)
{
    struct view_state *st = a->overlay ? &a->overlay_state : &a->state[a->view];
    int row = st->scroll + ev->y - st->list.y;
    if (!is_mouse_within(st->list, ev) || row >= st->rows)
        return 0;
    bool again = st->follow && row == st->selected;
    st->selected = row;
    st->follow = true;
    if (again || ev->button == MOUSE_RIGHT || (a->overlay && a->overlay->click_runs)) {
        a->menu_x = a->overlay ? -1 : ev->x;
        if (!again && !a->overlay)
            st->selected_key[0] = '\0'; /* the key still names the previous row */
        return app_perform(a, ACTION_MENU, 0);
    }
    st->selected_key[0] = '\0';
    st->pinned = false;
    return APP_REDRAW;
}

static unsigned turn_wheel(struct app *a, bool up)
{
    unsigned asked = 0;
    enum action act = up ? ACTION_UP : ACTION_DOWN;
    if (!a->overlay && (views[a->view]->contexts & CONTEXT_TIMELINE))
        return app_perform(a, up ? ACTION_PLOT_ZOOM_IN : ACTION_PLOT_ZOOM_OUT, 0);
    for (int i = 0; i < WHEEL_LINES; i++)
        asked |= app_perform(a, act, 0);
    return asked;
}

static unsigned act_on_mouse(struct app *a, const struct key_event *ev)
{
    if (ev->button == MOUSE_WHEEL_UP || ev->button == MOUSE_WHEEL_DOWN)
        return turn_wheel(a, ev->button == MOUSE_WHEEL_UP);
    if (ev->button == MOUSE_MIDDLE)
        return 0;
    for (int i = a->nzones - 1; i >= 0; i--) {
        struct rect r = a->zones[i].r;
        if (!is_mouse_within(r, ev))
            continue;
        int arg = a->zones[i].arg;
        if (arg == ZONE_FROM_LEFT || arg == ZONE_FROM_RIGHT)
            arg = arg == ZONE_FROM_LEFT ? ev->x - r.x : r.x + r.w - 1 - ev->x;
        if (a->zones[i].action == ACTION_POINT_SPAN && ev->button == MOUSE_RIGHT) {
            a->menu_x = ev->x;
            unsigned asked = app_perform(a, ACTION_POINT_SPAN, 0);
            return a->overlay ? asked : app_perform(a, ACTION_MENU, 0);
        }
        if (a->zones[i].action != ACTION_NONE && ev->button == MOUSE_LEFT)
            return app_perform(a, (enum action)a->zones[i].action, arg);
        if (a->zones[i].action == ACTION_BACK) /* this zone is for clicks outside the overlay */
            return app_perform(a, ACTION_BACK, 0);
        break; /* the box of an overlay hides the zones below */
    }
    return click_row(a, ev);
}

unsigned app_mouse(struct app *a, const struct key_event *ev)
{
    struct view_state *st = &a->state[a->view]; /* the event may show another view */
    st->mouse_x = ev->x + 1;
    st->mouse_y = ev->y + 1;
    unsigned asked = act_on_mouse(a, ev);
    st->mouse_x = st->mouse_y = 0;
    return asked;
}
