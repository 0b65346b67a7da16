#include "tui/app.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tui/app_state.h"
#include "tui/theme.h"
#include "tui/views/help.h"
#include "tui/widgets/table.h"

static const double intervals[] = {0.1, 0.2, 0.5, 1, 2, 5, 10};
enum { INTERVALS = sizeof intervals / sizeof *intervals, WHEEL_LINES = 3 };

struct app *app_new(double interval_s, bool ascii, const char *theme)
{
    struct app *a = xcalloc(1, sizeof *a);
    a->interval_s = interval_s;
    a->ascii = ascii;
    a->history = history_new();
    a->model = (struct model){.history = a->history, .interval_s = interval_s};
    snprintf(a->theme, sizeof a->theme, "%s", theme ? theme : "");
    return a;
}

void app_free(struct app *a)
{
    if (!a)
        return;
    snapshot_unref(a->model.snap);
    snapshot_unref(a->newest);
    history_free(a->history);
    history_free(a->frozen);
    page_free(&a->page);
    for (size_t i = 0; i < a->nthemes; i++)
        free(a->themes[i]);
    free(a->themes);
    free(a);
}

void app_update(struct app *a, const struct snapshot *s)
{
    history_push(a->history, s);
    snapshot_unref(a->newest);
    a->newest = snapshot_ref(s);
    if (!a->paused) {
        snapshot_unref(a->model.snap);
        a->model.snap = snapshot_ref(s);
    }
}

/* --- views --- */

bool app_view_shown(const struct app *a, int view)
{
    const struct view_ops *v = views[view];
    return v && (!v->available || v->available(&a->model));
}

static void show_view(struct app *a, int view)
{
    a->view = view;
    a->overlay = OVERLAY_NONE;
}

static void step_view(struct app *a, int step)
{
    int last = 0, v = a->view;
    while (views[last + 1])
        last++;
    do {
        v += step;
        v = v > last ? 0 : v < 0 ? last : v;
    } while (!app_view_shown(a, v) && v != a->view);
    show_view(a, v);
}

bool app_set_view(struct app *a, const char *name, struct error *err)
{
    char help[256] = "views are";
    for (int i = 0; views[i]; i++) {
        size_t n = strlen(help);
        if (strcmp(views[i]->name, name) == 0) {
            show_view(a, i);
            return true;
        }
        snprintf(help + n, sizeof help - n, "%s %s", i ? "," : "", views[i]->name);
    }
    char what[128];
    snprintf(what, sizeof what, "view '%.80s'", name);
    error_set(err, ERROR_USAGE, EINVAL, help, what, "there is no view of that name");
    return false;
}

unsigned app_contexts(const struct app *a)
{
    if (a->overlay != OVERLAY_NONE)
        return CONTEXT_GLOBAL | CONTEXT_OVERLAY;
    return CONTEXT_GLOBAL | views[a->view]->contexts;
}

/* --- prompts --- */

static void open_prompt(struct app *a, enum prompt p, const char *text)
{
    a->prompt = p;
    snprintf(a->prompt_text, sizeof a->prompt_text, "%s", text);
    snprintf(a->prompt_before, sizeof a->prompt_before, "%s", text);
}

/* What is typed takes effect as it is typed. */
static void apply_prompt(struct app *a, const char *text)
{
    struct view_state *st = &a->state[a->view];
    if (a->prompt == PROMPT_FILTER)
        snprintf(st->filter, sizeof st->filter, "%.*s", VIEW_TEXT_MAX - 1, text);
    if (a->prompt == PROMPT_SEARCH) {
        snprintf(st->search, sizeof st->search, "%.*s", VIEW_TEXT_MAX - 1, text);
        st->find = 2;
    }
}

static void erase_last(char *text)
{
    size_t n = strlen(text);
    while (n && ((unsigned char)text[n - 1] & 0xc0) == 0x80)
        n--;
    if (n)
        n--;
    text[n] = '\0';
}

static unsigned finish_prompt(struct app *a)
{
    enum prompt p = a->prompt;
    a->prompt = PROMPT_NONE;
    if (p != PROMPT_WRITE && p != PROMPT_SAVE)
        return APP_REDRAW;
    if (!a->prompt_text[0])
        return APP_REDRAW;
    snprintf(a->path, sizeof a->path, "%s", a->prompt_text);
    return APP_REDRAW | (p == PROMPT_WRITE ? APP_WRITE : APP_SAVE_OUTPUT);
}

static unsigned prompt_key(struct app *a, uint32_t key)
{
    size_t n = strlen(a->prompt_text);
    size_t room =
        a->prompt == PROMPT_WRITE || a->prompt == PROMPT_SAVE ? APP_TEXT_MAX : VIEW_TEXT_MAX;
    char utf8[4];
    switch (key) {
    case KEY_ENTER_:
    case '\n':
        return finish_prompt(a);
    case KEY_ESCAPE:
        apply_prompt(a, a->prompt_before);
        a->prompt = PROMPT_NONE;
        return APP_REDRAW;
    case 3: /* ^C leaves, whatever is open */
        return APP_QUIT;
    case KEY_BACKSPACE_:
    case 8:
        erase_last(a->prompt_text);
        break;
    case 21: /* ^U */
        a->prompt_text[0] = '\0';
        break;
    default:
        if (key < 0x20 || key > 0x10ffff || (key >= 0x7f && key < 0xa0))
            return 0;
        size_t len = text_encode(key, utf8);
        if (n + len >= room)
            return 0;
        memcpy(a->prompt_text + n, utf8, len);
        a->prompt_text[n + len] = '\0';
    }
    apply_prompt(a, a->prompt_text);
    return APP_REDRAW;
}

/* A name that sorts by time, from the picture's own time. */
static void propose_path(const struct app *a, const char *stem, const char *ending,
                         char out[APP_TEXT_MAX])
{
    char stamp[32] = "now";
    if (a->model.snap) {
        time_t t = (time_t)(a->model.snap->wall_ns / 1000000000u);
        struct tm tm;
        if (localtime_r(&t, &tm))
            strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &tm);
    }
    snprintf(out, APP_TEXT_MAX, "%s-%s%s", stem, stamp, ending);
}

/* --- actions --- */

static void set_pause(struct app *a, bool paused)
{
    a->paused = paused;
    history_free(a->frozen);
    a->frozen = NULL;
    if (paused) {
        a->frozen = history_clone(a->history);
    } else if (a->newest) {
        snapshot_unref(a->model.snap);
        a->model.snap = snapshot_ref(a->newest);
    }
    a->model.history = paused ? a->frozen : a->history;
}

static unsigned step_interval(struct app *a, int step)
{
    int i = 0;
    while (i < INTERVALS - 1 && intervals[i] < a->interval_s - 1e-9)
        i++;
    if (step < 0 || intervals[i] <= a->interval_s + 1e-9)
        i += step;
    i = i < 0 ? 0 : i >= INTERVALS ? INTERVALS - 1 : i;
    a->interval_s = a->model.interval_s = intervals[i];
    return APP_REDRAW | APP_INTERVAL;
}

static unsigned next_theme(struct app *a)
{
    if (!a->themes)
        a->nthemes = theme_list(&a->themes);
    size_t at = 0;
    while (at < a->nthemes && strcmp(a->themes[at], a->theme) != 0)
        at++;
    if (a->nthemes) {
        at = at >= a->nthemes ? 0 : (at + 1) % a->nthemes;
        snprintf(a->theme, sizeof a->theme, "%s", a->themes[at]);
        snprintf(a->message, sizeof a->message, "theme %s", a->theme);
        a->message_is_error = false;
    }
    return APP_REDRAW | APP_THEME;
}

/* Esc closes one thing at a time, the innermost first. */
static unsigned back(struct app *a)
{
    struct view_state *st = &a->state[a->view];
    if (a->overlay != OVERLAY_NONE)
        a->overlay = OVERLAY_NONE;
    else if (st->search[0])
        st->search[0] = '\0';
    else if (st->filter[0])
        st->filter[0] = '\0';
    else
        st->follow = false;
    return APP_REDRAW;
}

static unsigned scroll_overlay(struct app *a, enum action act)
{
    enum { PAGE = 10, FAR = 100000 };
    switch (act) {
    case ACTION_UP:
        a->overlay_scroll--;
        break;
    case ACTION_DOWN:
        a->overlay_scroll++;
        break;
    case ACTION_PAGE_UP:
        a->overlay_scroll -= PAGE;
        break;
    case ACTION_PAGE_DOWN:
        a->overlay_scroll += PAGE;
        break;
    case ACTION_TOP:
        a->overlay_scroll = 0;
        break;
    case ACTION_BOTTOM:
        a->overlay_scroll = FAR;
        break;
    default:
        a->overlay = OVERLAY_NONE; /* i or Enter again closes it */
    }
    return APP_REDRAW;
}

static unsigned view_action(struct app *a, enum action act)
{
    struct view_state *st = &a->state[a->view];
    switch (views[a->view]->act(act, &a->model, st)) {
    case VIEW_EXPLAIN:
        a->overlay = OVERLAY_EXPLAIN;
        a->overlay_scroll = 0;
        snprintf(a->overlay_key, sizeof a->overlay_key, "%s", st->selected_key);
        return APP_REDRAW;
    case VIEW_ATTACH:
        a->attach_pid = (pid_t)strtol(st->selected_key, NULL, 10);
        return APP_REDRAW | APP_ATTACH;
    case VIEW_HANDLED:
        return APP_REDRAW;
    case VIEW_IGNORED:
        break;
    }
    return 0;
}

static unsigned open_path_prompt(struct app *a, enum action act)
{
    char path[APP_TEXT_MAX];
    if (act == ACTION_WRITE) {
        propose_path(a, "rooftop", "", path);
        open_prompt(a, PROMPT_WRITE, path);
    } else {
        propose_path(a, "output", ".txt", path);
        open_prompt(a, PROMPT_SAVE, path);
    }
    return APP_REDRAW;
}

static unsigned global_action(struct app *a, enum action act)
{
    struct view_state *st = &a->state[a->view];
    for (int i = 0; views[i]; i++)
        if (views[i]->select == act) {
            if (app_view_shown(a, i))
                show_view(a, i);
            else
                app_message(a, true, "there is no output: start a command with  rooftop -- CMD");
            return APP_REDRAW;
        }
    switch (act) {
    case ACTION_QUIT:
        return APP_QUIT;
    case ACTION_HELP:
        a->overlay = a->overlay == OVERLAY_HELP ? OVERLAY_NONE : OVERLAY_HELP;
        a->overlay_scroll = 0;
        return APP_REDRAW;
    case ACTION_NEXT_VIEW:
        step_view(a, 1);
        return APP_REDRAW;
    case ACTION_PREV_VIEW:
        step_view(a, -1);
        return APP_REDRAW;
    case ACTION_SEARCH:
        open_prompt(a, PROMPT_SEARCH, "");
        return APP_REDRAW;
    case ACTION_FILTER:
        open_prompt(a, PROMPT_FILTER, st->filter);
        return APP_REDRAW;
    case ACTION_DETACH:
        a->attach_pid = 0;
        return APP_REDRAW | APP_ATTACH;
    case ACTION_PAUSE:
        set_pause(a, !a->paused);
        return APP_REDRAW;
    case ACTION_FASTER:
        return step_interval(a, -1);
    case ACTION_SLOWER:
        return step_interval(a, 1);
    case ACTION_THEME_NEXT:
        return next_theme(a);
    case ACTION_TOGGLE_ASCII:
        a->ascii = !a->ascii;
        return APP_REDRAW | APP_ASCII | APP_REPAINT;
    case ACTION_WRITE:
    case ACTION_SAVE_OUTPUT:
        return open_path_prompt(a, act);
    case ACTION_REDRAW:
        return APP_REDRAW | APP_REPAINT;
    case ACTION_BACK:
        return back(a);
    default:
        return 0;
    }
}

static unsigned perform(struct app *a, enum action act)
{
    if (act == ACTION_NONE)
        return 0;
    a->message[0] = '\0';
    if (a->overlay != OVERLAY_NONE &&
        ((action_table[act].contexts & CONTEXT_OVERLAY) || act == ACTION_EXPLAIN))
        return scroll_overlay(a, act);
    unsigned asked = a->overlay == OVERLAY_NONE ? view_action(a, act) : 0;
    return asked ? asked : global_action(a, act) | APP_REDRAW;
}

/* --- mouse --- */

static unsigned mouse(struct app *a, const struct key_event *ev)
{
    struct view_state *st = &a->state[a->view];
    if (ev->button == MOUSE_WHEEL_UP || ev->button == MOUSE_WHEEL_DOWN) {
        unsigned asked = 0;
        for (int i = 0; i < WHEEL_LINES; i++)
            asked |= perform(a, ev->button == MOUSE_WHEEL_UP ? ACTION_UP : ACTION_DOWN);
        return asked;
    }
    if (ev->button != MOUSE_LEFT)
        return 0;
    for (int i = 0; i < a->nzones; i++)
        if (ev->y == a->zones[i].y && ev->x >= a->zones[i].x &&
            ev->x < a->zones[i].x + a->zones[i].w)
            return perform(a, a->zones[i].action);
    struct rect l = st->list;
    if (a->overlay != OVERLAY_NONE || ev->x < l.x || ev->x >= l.x + l.w || ev->y < l.y ||
        ev->y >= l.y + l.h)
        return 0;
    int row = st->scroll + ev->y - l.y;
    if (row >= st->rows)
        return 0;
    bool again = st->follow && row == st->selected;
    st->selected = row;
    st->follow = true;
    if (again) /* a second click on the chosen row */
        return perform(a, ACTION_EXPLAIN);
    st->selected_key[0] = '\0';
    return APP_REDRAW;
}

unsigned app_key(struct app *a, const struct key_event *ev)
{
    if (ev->key == KEY_RESIZE_)
        return APP_REDRAW;
    if (ev->key == KEY_MOUSE_)
        return a->prompt == PROMPT_NONE ? mouse(a, ev) : 0;
    if (a->prompt != PROMPT_NONE)
        return prompt_key(a, ev->key);
    return perform(a, key_action(ev, app_contexts(a)));
}

void app_message(struct app *a, bool error, const char *text)
{
    snprintf(a->message, sizeof a->message, "%s", text);
    a->message_is_error = error;
}

double app_interval(const struct app *a)
{
    return a->interval_s;
}

pid_t app_attach_pid(const struct app *a)
{
    return a->attach_pid;
}

const char *app_path(const struct app *a)
{
    return a->path;
}

const char *app_theme(const struct app *a)
{
    return a->theme;
}

bool app_ascii(const struct app *a)
{
    return a->ascii;
}
