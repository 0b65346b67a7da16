/* The options of a replay, and of a comparison of variants; and the question before a capture is
 * deleted. */
#include <stdio.h>

#include "tui/app_state.h"
#include "tui/overlays/replay.h"
#include "tui/widgets/wrap.h"

static void common_fields(struct app_replay *r)
{
    form_reset(&r->form);
    form_number(&r->form, "iterations", "iterations", 1, REPLAY_ITERATIONS_MAX,
                (double)r->iterations, "how many launches are measured");
    form_flag(&r->form, "recopy", "restore each", r->recopy, NULL,
              "put memory back before each launch; off: the kernel sees what it left");
    form_seconds(&r->form, "timeout", "timeout", 0.1, 86400, r->timeout_s,
                 "a launch that takes longer, or a replay that is silent so long, is ended");
}

static void opened_form(struct app *a)
{
    struct app_replay *r = &a->replay;
    const struct replay_row *row = app_replay_row(a, a->overlay_key);
    bool after = row && row->capture && row->capture->has_after;
    common_fields(r);
    form_flag(&r->form, "verify", "verify", after, after ? NULL : "captured without --post",
              "compare memory after with what was captured after the kernel");
    form_text(&r->form, "hsaco", "code object", "",
              "another build of the kernel to run; empty: the captured one");
}

static void opened_compare(struct app *a)
{
    struct app_replay *r = &a->replay;
    common_fields(r);
    form_flag(&r->form, "captured", "captured too", true, NULL,
              "measure the captured code object beside the others");
    form_text(&r->form, "variants", "code objects", r->variants,
              "files of other builds of the kernel, separated by blanks");
    r->form.at = r->form.n - 1;
}

static unsigned on_key(struct app *a, const struct key_event *ev, enum replay_job job)
{
    switch (form_key(&a->replay.form, ev)) {
    case FORM_ACCEPTED:
        if (app_replay_submit(a, a->overlay_key, job))
            overlay_close(a);
        return APP_REDRAW;
    case FORM_CLOSED:
        overlay_close(a);
        return APP_REDRAW;
    case FORM_CHANGED:
        return APP_REDRAW;
    case FORM_IGNORED:
        break;
    }
    return ev->key == 3 ? APP_QUIT : ev->key == KEY_MOUSE_ ? 0 : APP_REDRAW;
}

static unsigned key_form(struct app *a, const struct key_event *ev)
{
    return on_key(a, ev, REPLAY_FULL_VM);
}

static unsigned key_compare(struct app *a, const struct key_event *ev)
{
    return on_key(a, ev, REPLAY_COMPARE);
}

static void draw_form(struct app *a, struct canvas *c, struct rect area, const char *what)
{
    const struct replay_row *row = app_replay_row(a, a->overlay_key);
    char title[128];
    size_t n = (size_t)snprintf(title, sizeof title, "%s ", what);
    for (const char *p = row ? row->name : ""; *p && n + 3 < sizeof title && n < 66; p++) {
        title[n++] = *p; /* in titles of boxes a letter after '_' is hot: names have that doubled */
        if (*p == '_')
            title[n++] = '_';
    }
    title[n] = '\0';
    canvas_zone(c, area, ACTION_BACK, 0);
    form_draw(c, area, &a->replay.form, title, "start");
}

static void draw_run(struct app *a, struct canvas *c, struct rect area)
{
    draw_form(a, c, area, "replay");
}

static void draw_compare(struct app *a, struct canvas *c, struct rect area)
{
    draw_form(a, c, area, "compare builds of");
}

const struct overlay_ops overlay_replay_form = {
    .name = "replay-form", .opened = opened_form, .draw = draw_run, .key = key_form};
const struct overlay_ops overlay_replay_compare = {
    .name = "replay-compare", .opened = opened_compare, .draw = draw_compare, .key = key_compare};

/* --- deleting --- */

static unsigned key_delete(struct app *a, const struct key_event *ev)
{
    char key[VIEW_TEXT_MAX];
    if (ev->key == KEY_MOUSE_)
        return 0;
    snprintf(key, sizeof key, "%s", a->overlay_key);
    overlay_close(a);
    if (ev->key == 'y' && !a->model.readonly)
        app_replay_delete(a, key);
    return APP_REDRAW;
}

static void draw_delete(struct app *a, struct canvas *c, struct rect area)
{
    const struct replay_row *row = app_replay_row(a, a->overlay_key);
    int w = area.w < 76 ? area.w : 76, h = 9;
    struct rect box = {area.x + (area.w - w) / 2, area.y + (area.h - h) / 2, w, h};
    canvas_zone(c, area, ACTION_BACK, 0);
    canvas_zone(c, box, ACTION_NONE, 0);
    canvas_fill(c, box, ' ', STYLE(STYLE_TEXT));
    canvas_box(c, box, STYLE(STYLE_BOX_PROC), "delete this capture?", NULL);
    if (!row)
        return;
    canvas_text(c, box.x + 3, box.y + 2, w - 6, row->name, STYLE(STYLE_TITLE));
    wrap_draw(c, (struct rect){box.x + 3, box.y + 3, w - 6, 2}, row->path, STYLE(STYLE_TEXT));
    canvas_text(c, box.x + 3, box.y + 5, w - 6, "Its results stay in the history.",
                STYLE(STYLE_DIM));
    canvas_text(c, box.x + 3, box.y + h - 2, 1, "y", STYLE(STYLE_HOT));
    canvas_text(c, box.x + 5, box.y + h - 2, w - 8, "deletes it; any other key does not",
                STYLE(STYLE_DIM));
}

const struct overlay_ops overlay_replay_delete = {
    .name = "replay-delete", .draw = draw_delete, .key = key_delete};
