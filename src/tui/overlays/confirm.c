#include "tui/overlays/confirm.h"

#include <stdio.h>

#include "tui/widgets/wrap.h"

enum { WIDTH = 76, ABOUT_ROWS = 3, CTRL_C = 3 };

void confirm_open(struct app *a, const struct confirm *question, const char *key)
{
    overlay_open(a, &overlay_confirm, key);
    a->confirm = *question;
}

unsigned confirm_accept(struct app *a)
{
    char about[VIEW_TEXT_MAX];
    snprintf(about, sizeof about, "%s", a->overlay_key);
    overlay_close(a);
    return a->confirm.run(a->confirm.ctx, about) | APP_REDRAW;
}

static unsigned confirm_key(struct app *a, const struct key_event *ev)
{
    if (ev->key == KEY_MOUSE_)
        return 0;
    if (ev->key == CTRL_C)
        return app_quit(a);
    if (ev->key == 'y')
        return confirm_accept(a);
    overlay_close(a);
    return APP_REDRAW;
}

static void draw_confirm(struct app *a, struct canvas *c, struct rect area)
{
    const struct confirm *q = &a->confirm;
    int w = area.w < WIDTH ? area.w : WIDTH;
    int about =
        wrap_draw(NULL, (struct rect){0, 0, w - 6, ABOUT_ROWS}, q->about, STYLE(STYLE_TEXT));
    int h = 6 + about + (q->note[0] ? 1 : 0);
    struct rect box = {area.x + (area.w - w) / 2, area.y + (area.h - h) / 2, w, h};
    int y = box.y + 2;
    canvas_zone(c, area, ACTION_BACK, 0);
    canvas_zone(c, box, ACTION_NONE, 0);
    canvas_fill(c, box, ' ', STYLE(STYLE_TEXT));
    canvas_box(c, box, STYLE(STYLE_BOX_PROC), q->title, NULL);
    canvas_text(c, box.x + 3, y++, w - 6, q->what, STYLE(STYLE_TITLE));
    y += wrap_draw(c, (struct rect){box.x + 3, y, w - 6, about}, q->about, STYLE(STYLE_TEXT));
    if (q->note[0])
        canvas_text(c, box.x + 3, y, w - 6, q->note, STYLE(STYLE_DIM));
    y = box.y + h - 2;
    int x = box.x + 3;
    x += canvas_text(c, x, y, 1, "y", STYLE(STYLE_HOT));
    canvas_printf(c, x + 1, y, w - 6, STYLE(STYLE_DIM), "%s; any other key does not", q->yes);
}

const struct overlay_ops overlay_confirm = {
    .name = "confirm", .draw = draw_confirm, .key = confirm_key};
