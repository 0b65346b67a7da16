#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tui/app/app_state.h"

static void draw_prompt(struct canvas *c, struct rect r, struct app *a)
{
    static const char *const labels[] = {
        [PROMPT_SEARCH] = "search",
        [PROMPT_FILTER] = "filter",
        [PROMPT_WRITE] = "write picture and numbers to",
        [PROMPT_SAVE] = "save all output to",
    };
    int x = r.x + 1;
    canvas_fill(c, r, ' ', STYLE(STYLE_TEXT));
    x += canvas_printf(c, x, r.y, r.w - 2, STYLE(STYLE_HOT),
                       "%s: ", a->prompt == PROMPT_VIEW ? a->prompt_label : labels[a->prompt]);
    /* the error gets the room that the typed text leaves */
    int wrong = r.w - (x - r.x) - text_width(a->prompt_line.text) - 4;
    wrong = wrong > r.w / 2 ? wrong : r.w / 2;
    int room = r.x + r.w - x - (a->filter_error.kind == ERROR_NONE ? 24 : wrong + 2);
    line_edit_draw(c, x, r.y, room < 8 ? 8 : room, &a->prompt_line, STYLE(STYLE_TITLE));
    if (a->filter_error.kind == ERROR_NONE) {
        canvas_text_right(c, r.x, r.y, r.w - 1, "Enter accept  Esc undo", STYLE(STYLE_DIM));
        return;
    }
    const char *column = strstr(a->filter_error.what, "column"), *help = a->filter_error.help;
    char text[640];
    snprintf(text, sizeof text, "%s: %s%s%s", column ? column : "filter", a->filter_error.why,
             help[0] ? "; " : "", help);
    canvas_text_right(c, r.x + r.w - 1 - wrong, r.y, wrong, text, STYLE(STYLE_WARN));
}

/* Draws at the right end of the footer how much of a profile is left out. Returns where it begins.
 */
static int draw_left_out(struct canvas *c, struct rect r, const struct trace *t)
{
    char text[64];
    snprintf(text, sizeof text, "%" PRIu64 " record%s left out!", t->dropped,
             t->dropped == 1 ? "" : "s");
    int w = text_width(text), x = r.x + r.w - w - 1;
    canvas_text(c, x, r.y, w, text, STYLE(STYLE_WARN));
    return x;
}

/* Draws what rooftop itself costs at the right end of the footer. */
static int draw_own_cost(struct canvas *c, struct rect r, const struct snapshot *s)
{
    char text[64], rss[VALUE_TEXT_MAX];
    if (!s || s->interval_s <= 0 || r.w < 110)
        return r.x + r.w;
    struct value mem = s->own_rss ? value_ok((double)s->own_rss, UNIT_BYTES)
                                  : value_missing("/proc cannot be read", UNIT_BYTES);
    snprintf(text, sizeof text, "rooftop itself: %.2f %% cpu, %s",
             (double)s->own_cpu_ns / 1e7 / s->interval_s, value_format(&mem, c->ascii, rss));
    int w = text_width(text), x = r.x + r.w - w - 1;
    canvas_text(c, x, r.y, w, text, STYLE(STYLE_DIM));
    return x;
}

/* Whether the footer names an action. Over a view only the key that closes: the frame of what is
 * open names its other keys, and letters may be typed into it. */
static bool is_in_footer(const struct app *a, enum action act, unsigned contexts)
{
    const struct action_info *info = &action_table[act];
    if (!info->footer || !(info->contexts & contexts))
        return false;
    if (a->overlay || act == ACTION_BACK)
        return a->overlay && act == ACTION_BACK;
    return app_takes(a, act);
}

static void draw_footer(struct canvas *c, struct rect r, struct app *a)
{
    char key[16];
    unsigned contexts = app_contexts(a);
    if (a->prompt != PROMPT_NONE) {
        draw_prompt(c, r, a);
        return;
    }
    if (a->message[0]) {
        canvas_text(c, r.x + 1, r.y, r.w - 2, a->message,
                    STYLE(a->message_is_error ? STYLE_CRIT : STYLE_TITLE));
        return;
    }
    const struct trace *t = a->model.profile ? &a->model.profile->trace : NULL;
    int end = t && t->dropped ? draw_left_out(c, r, t) : draw_own_cost(c, r, a->model.snap);
    int x = r.x + 1;
    for (int i = 1; i < ACTION_COUNT; i++) {
        const struct action_info *info = &action_table[i];
        if (!is_in_footer(a, (enum action)i, contexts))
            continue;
        app_first_key((enum action)i, key);
        if (key_action(&(struct key_event){.key = key_parse(key)}, contexts) != (enum action)i)
            continue; /* this view uses the key for something else */
        int w = text_width(key) + 1 + text_width(info->footer);
        if (x + w >= end)
            continue; /* a shorter label may still fit */
        canvas_zone(c, (struct rect){x, r.y, w, 1}, i, 0);
        canvas_text(c, x, r.y, w, key, STYLE(STYLE_HOT));
        canvas_text(c, x + text_width(key) + 1, r.y, w, info->footer, STYLE(STYLE_DIM));
        x += w + 2;
    }
}

static void draw_too_small(struct canvas *c)
{
    char text[64];
    snprintf(text, sizeof text, "%dx%d is too small", c->cols, c->rows);
    canvas_text(c, 0, c->rows / 2 - 1, c->cols, text, STYLE(STYLE_WARN));
    snprintf(text, sizeof text, "rooftop needs %dx%d", LAYOUT_MIN_COLS, LAYOUT_MIN_ROWS);
    canvas_text(c, 0, c->rows / 2, c->cols, text, STYLE(STYLE_TEXT));
    canvas_text(c, 0, c->rows / 2 + 1, c->cols, "q quits", STYLE(STYLE_DIM));
}

static void draw_shown_view(struct app *a, struct canvas *c, struct rect r)
{
    if (app_opening_shown(a)) {
        app_opening_draw(a, c, r);
        return;
    }
    view_draw(views[a->view], c, r, &a->model, &a->state[a->view]);
    app_draw_siblings(a, c, r);
}

void app_draw(struct app *a, struct canvas *c)
{
    struct screen_layout l;
    canvas_clear(c);
    c->ascii = a->host.ascii;
    if (c->cols < LAYOUT_MIN_COLS || c->rows < LAYOUT_MIN_ROWS) {
        draw_too_small(c);
        return;
    }
    layout_screen(c->cols, c->rows, &l);
    app_draw_tabs(a, c, l.tabs);
    if (app_time_scrubber(a)) {
        l.view.h--;
        app_time_draw(a, c, (struct rect){l.view.x, l.view.y + l.view.h, l.view.w, 1});
    }
    draw_shown_view(a, c, l.view);
    for (int i = 0; i < 2 && app_views_follow(a); i++) {
        canvas_fill(c, l.view, ' ', STYLE(STYLE_TEXT));
        draw_shown_view(a, c, l.view);
    }
    if (a->overlay) {
        canvas_zone(c, l.view, ACTION_NONE, 0);
        a->overlay->draw(a, c, l.view);
    }
    draw_footer(c, l.footer, a);
    memcpy(a->zones, c->zones, (size_t)c->nzones * sizeof *c->zones);
    a->nzones = c->nzones;
}
