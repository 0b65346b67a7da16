#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "engine/gpus.h"
#include "tui/app_state.h"
#include "tui/views/notice.h"

/* The key that stands first in the table: what footer and tabs show. */
static const char *first_key(enum action action, char out[16])
{
    const char *keys = keymap_keys(action);
    snprintf(out, 16, "%.*s", (int)strcspn(keys, " "), keys);
    return out;
}

/* What is watched, how often, and whether time stands still; right-aligned in the cells from x0 on.
 */
static void draw_status(struct canvas *c, int x0, struct rect r, const struct app *a)
{
    char interval[32];
    const struct snapshot *s = a->model.snap;
    const char *target = s ? s->target : "starting", *ended = s && s->target_gone ? "ended: " : "";
    const struct notice *worst = notice_worst(s);
    int end = r.x + r.w - 1;
    const char *banner = a->time.file      ? (a->time.playing ? " PLAYING " : " PAUSED ")
                         : a->time.live    ? ""
                         : a->time.playing ? " REPLAY "
                                           : " PAUSED ";
    int banner_w = (int)strlen(banner);
    if (banner_w && end - x0 > banner_w + 1) {
        end -= banner_w;
        canvas_text(c, end, r.y, banner_w, banner, STYLE(STYLE_BANNER));
        end -= 1;
    }
    snprintf(interval, sizeof interval, " · %g s", a->interval_s);
    int tail = text_width(interval), head = text_width(ended), room = end - x0 - tail - head;
    int w = text_width(target) < room ? text_width(target) : room;
    if (w < 4)
        return;
    int x = end - tail - w - head;
    if (worst && worst->level != NOTICE_INFO &&
        x - x0 > 12) { /* in every view: there is something to know */
        canvas_text(c, x - 11, r.y, 9, "! see ?", STYLE(STYLE_WARN));
        canvas_zone(c, (struct rect){x - 11, r.y, 7, 1}, ACTION_HELP, 0);
    }
    x += canvas_text(c, x, r.y, head, ended, STYLE(STYLE_WARN));
    x += canvas_text(c, x, r.y, w, target, STYLE(STYLE_TITLE));
    canvas_text(c, x, r.y, tail, interval, STYLE(STYLE_DIM));
}

/* How much room the tabs get: what is watched, and that time stands still, shall be read beside
 * them. */
enum tab_form { TABS_FULL, TABS_NAMELESS, TABS_CLOSE, TABS_SHORT, TABS_KEYS };

/* Cells of a view's title in a form; the chosen one keeps its own. */
static int title_cells(const struct app *a, int view, enum tab_form form)
{
    enum { SHORT = 4 };
    int w = (int)strlen(views[view]->title);
    if (form < TABS_SHORT || view == a->view)
        return w;
    return form == TABS_KEYS ? 0 : w < SHORT ? w : SHORT;
}

/* With the gap to the next one. */
static int tab_cells(const struct app *a, int view, enum tab_form form)
{
    int title = title_cells(a, view, form);
    return 1 + (title ? title + 1 : 0) + (form < TABS_CLOSE ? 3 : 1);
}

static enum tab_form tab_form(const struct app *a, int w)
{
    enum { NAME = 9, STATUS = 30, LEAST = 18 };
    for (enum tab_form f = TABS_FULL; f < TABS_KEYS; f++) {
        int need = 1 + (f == TABS_FULL ? NAME : 0) + (f < TABS_CLOSE ? STATUS : LEAST);
        for (int i = 0; views[i]; i++)
            need += app_view_shown(a, i) ? tab_cells(a, i, f) : 0;
        if (need <= w)
            return f;
    }
    return TABS_KEYS;
}

/* What is measured on a test double is no measurement: said in every view, whatever else goes. */
static void draw_emulated(struct canvas *c, struct rect *r, const struct snapshot *s)
{
    static const char text[] = " EMULATED ";
    int w = (int)sizeof text - 1;
    if (!s || !s->gpus || !s->gpus->emulated)
        return;
    r->w -= w;
    canvas_text(c, r->x + r->w, r->y, w, text, STYLE(STYLE_BANNER));
}

static void draw_tabs(struct canvas *c, struct rect r, struct app *a)
{
    draw_emulated(c, &r, a->model.snap);
    char key[16], text[32];
    enum tab_form form = tab_form(a, r.w);
    int pad = form < TABS_CLOSE ? 1 : 0, x = r.x + 1;
    if (form == TABS_FULL)
        x += canvas_text(c, x, r.y, 8, "rooftop", STYLE(STYLE_TITLE)) + 2;
    for (int i = 0; views[i]; i++) {
        int w = tab_cells(a, i, form) - 1, title = title_cells(a, i, form);
        if (!app_view_shown(a, i) || x + w > r.x + r.w)
            continue;
        canvas_text(c, x + pad, r.y, 1, first_key(views[i]->select, key), STYLE(STYLE_HOT));
        snprintf(text, sizeof text, "%.*s", title, views[i]->title);
        canvas_text(c, x + pad + 2, r.y, title, text,
                    STYLE(i == a->view ? STYLE_TITLE : STYLE_DIM));
        if (i == a->view) /* the chosen one also by its form */
            canvas_restyle(c, (struct rect){x, r.y, w, 1}, STYLE(STYLE_SELECTED));
        canvas_zone(c, (struct rect){x, r.y, w, 1}, (int)views[i]->select, 0);
        x += w + 1;
    }
    draw_status(c, x + 1, r, a);
}

static void draw_prompt(struct canvas *c, struct rect r, struct app *a)
{
    static const char *const labels[] = {
        [PROMPT_SEARCH] = "search",
        [PROMPT_FILTER] = "filter",
        [PROMPT_WRITE] = "write picture and numbers to",
        [PROMPT_SAVE] = "save all output to",
        [PROMPT_WHAT_IF] = "how many times as fast (or: gone)",
    };
    int x = r.x + 1;
    canvas_fill(c, r, ' ', STYLE(STYLE_TEXT));
    x += canvas_printf(c, x, r.y, r.w - 2, STYLE(STYLE_HOT), "%s: ", labels[a->prompt]);
    /* what is wrong takes the room that what was typed leaves */
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

/* What rooftop itself costs, at the right end of the footer. */
static int draw_cost(struct canvas *c, struct rect r, const struct snapshot *s)
{
    char text[64], rss[VALUE_TEXT_MAX];
    if (!s || s->interval_s <= 0 || r.w < 110)
        return r.x + r.w;
    struct value mem = value_ok((double)s->own_rss, UNIT_BYTES);
    snprintf(text, sizeof text, "rooftop itself: %.2f %% cpu, %s",
             (double)s->own_cpu_ns / 1e7 / s->interval_s, value_format(&mem, c->ascii, rss));
    int w = text_width(text), x = r.x + r.w - w - 1;
    canvas_text(c, x, r.y, w, text, STYLE(STYLE_DIM));
    return x;
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
    int end = draw_cost(c, r, a->model.snap), x = r.x + 1;
    for (int i = 1; i < ACTION_COUNT; i++) {
        const struct action_info *info = &action_table[i];
        if (!info->footer || !(info->contexts & contexts))
            continue;
        if (i == ACTION_BOXES && !views[a->view]->boxes)
            continue;
        first_key((enum action)i, key);
        if (key_action(&(struct key_event){.key = key_parse(key)}, contexts) != (enum action)i)
            continue; /* here the key does something else */
        int w = text_width(key) + 1 + text_width(info->footer);
        if (x + w >= end)
            continue; /* a shorter one may still fit */
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

void app_draw(struct app *a, struct canvas *c)
{
    struct screen_layout l;
    canvas_clear(c);
    c->ascii = a->ascii;
    if (c->cols < LAYOUT_MIN_COLS || c->rows < LAYOUT_MIN_ROWS) {
        draw_too_small(c);
        return;
    }
    if (!app_view_shown(a, a->view) && !app_opening_shown(a))
        a->view = 0;
    layout_screen(c->cols, c->rows, &l);
    draw_tabs(c, l.tabs, a);
    if (app_time_scrubber(a)) {
        l.view.h--;
        app_time_draw(a, c, (struct rect){l.view.x, l.view.y + l.view.h, l.view.w, 1});
    }
    if (views[a->view]->contexts & CONTEXT_FUNCTIONS)
        app_functions_refresh(a);
    if (views[a->view]->contexts & CONTEXT_REPLAY)
        app_replay_refresh(a);
    if (app_opening_shown(a))
        app_opening_draw(a, c, l.view);
    else
        views[a->view]->draw(c, l.view, &a->model, &a->state[a->view]);
    if (a->overlay) {
        canvas_zone(c, l.view, ACTION_NONE, 0);
        a->overlay->draw(a, c, l.view);
    }
    draw_footer(c, l.footer, a);
    memcpy(a->zones, c->zones, (size_t)c->nzones * sizeof *c->zones);
    a->nzones = c->nzones;
}
