#include "tui/app/app_opening.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "tui/app/app_state.h"
#include "tui/widgets/meter.h"
#include "tui/widgets/wrap.h"

enum { BOX = 66, BOX_ROWS = 8, WHY_ROWS = 12 };

void app_set_opening(struct app *a, const struct app_opening *o)
{
    if (!o) {
        free(a->opening);
        a->opening = NULL;
        return;
    }
    if (!a->opening) {
        a->opening = xcalloc(1, sizeof *a->opening);
        a->opening_view = a->view;
    }
    *a->opening = *o;
}

bool app_opening_shown(const struct app *a)
{
    return a->opening && a->view == a->opening_view;
}

static void draw_progress(const struct app_opening *o, struct canvas *c, struct rect r)
{
    struct value percent = value_ok(100 * o->share, UNIT_PERCENT);
    canvas_printf(c, r.x, r.y + 2, r.w, STYLE(STYLE_TEXT), "%s", o->doing);
    canvas_printf(c, r.x + r.w - 8, r.y + 2, 8, STYLE(STYLE_DIM), "%6u s", o->seconds);
    meter_draw(c, r.x, r.y + 3, r.w - 7, &percent, STYLE_GRAD_CPU);
    canvas_printf(c, r.x + r.w - 6, r.y + 3, 6, STYLE(STYLE_TITLE), "%4.0f %%", 100 * o->share);
    if (o->giving_up) {
        canvas_text(c, r.x, r.y + 5, r.w, "being given up…", STYLE(STYLE_WARN));
        return;
    }
    int x = r.x + canvas_text(c, r.x, r.y + 5, r.w, "Esc", STYLE(STYLE_HOT)) + 1;
    x += canvas_text(c, x, r.y + 5, r.w, "gives it up", STYLE(STYLE_DIM));
    canvas_zone(c, (struct rect){r.x, r.y + 5, x - r.x, 1}, ACTION_BACK, 0);
}

static void draw_failure(const struct app_opening *o, struct canvas *c, struct rect r)
{
    wrap_draw(c, (struct rect){r.x, r.y + 2, r.w, r.h - 4}, o->failed, STYLE(STYLE_CRIT));
    int x = r.x + canvas_text(c, r.x, r.y + r.h - 1, r.w, "Esc", STYLE(STYLE_HOT)) + 1;
    x += canvas_text(c, x, r.y + r.h - 1, r.w, "puts this away", STYLE(STYLE_DIM));
    canvas_zone(c, (struct rect){r.x, r.y + r.h - 1, x - r.x, 1}, ACTION_BACK, 0);
}

void app_opening_draw(const struct app *a, struct canvas *c, struct rect area)
{
    const struct app_opening *o = a->opening;
    int w = area.w - 4 < BOX ? area.w - 4 : BOX;
    int h = o->failed[0] ? WHY_ROWS : BOX_ROWS;
    h = h < area.h ? h : area.h;
    struct rect box = {area.x + (area.w - w) / 2, area.y + (area.h - h) / 2, w, h};
    canvas_box(c, box, STYLE(STYLE_BOX_PROC), o->failed[0] ? "not opened" : "opening", NULL);
    struct rect r = {box.x + 2, box.y + 1, box.w - 4, box.h - 2};
    canvas_text(c, r.x, r.y, r.w, o->path, STYLE(STYLE_TITLE));
    if (o->failed[0])
        draw_failure(o, c, r);
    else
        draw_progress(o, c, r);
}

unsigned app_opening_back(struct app *a)
{
    if (!app_opening_shown(a))
        return 0;
    if (a->opening->failed[0]) {
        app_set_opening(a, NULL);
        return APP_REDRAW;
    }
    a->opening->giving_up = true;
    return APP_REDRAW | APP_GIVE_UP;
}
