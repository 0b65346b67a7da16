/* Actions of all views: one function per action, and the table of them. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/limit.h"
#include "base/print.h"
#include "tui/app/app_control.h"
#include "tui/app/app_state.h"
#include "tui/canvas/theme.h"
#include "tui/model/captures.h"
#include "tui/overlays/confirm.h"
#include "tui/overlays/palette.h"

static const double intervals[] = {0.1, 0.2, 0.5, 1, 2, 5, 10};
enum { INTERVALS = sizeof intervals / sizeof *intervals };

/* Proposes a file name with the time of day of the picture, so that names sort by time. */
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

static unsigned step_interval(struct app *a, int step)
{
    int i = 0;
    while (i < INTERVALS - 1 && intervals[i] < a->interval_s - 1e-9)
        i++;
    if (step < 0 || intervals[i] <= a->interval_s + 1e-9)
        i += step;
    i = limit_int(i, 0, INTERVALS - 1);
    a->interval_s = a->model.interval_s = intervals[i];
    return APP_REDRAW | APP_INTERVAL;
}

static unsigned next_theme(struct app *a, enum action act, int arg)
{
    (void)act, (void)arg;
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

static unsigned save_settings(struct app *a, enum action act, int arg)
{
    (void)act, (void)arg;
    *a->path = '\0';
    return APP_REDRAW | APP_SAVE;
}

/* Esc closes one thing at a time, the innermost first. */
static unsigned clear_innermost(struct app *a, enum action act, int arg)
{
    struct view_state *st = &a->state[a->view];
    (void)act, (void)arg;
    if (st->search[0])
        st->search[0] = '\0';
    else if (st->expanded)
        st->expanded = 0;
    else if (st->filter[0])
        app_set_filter(a, "", NULL);
    else
        st->follow = st->pinned = false;
    return APP_REDRAW;
}

static unsigned quit_now(void *app, const char *key)
{
    (void)app, (void)key;
    return APP_QUIT;
}

unsigned app_quit(struct app *a)
{
    const struct snapshot *s = a->model.newest;
    struct confirm question = {.title = "leave rooftop?",
                               .note = "Q and :quit! leave without this question.",
                               .yes = "leaves and ends it",
                               .run = quit_now};
    if (!s || a->time.file || s->target_kind != TARGET_COMMAND || !s->command.running)
        return APP_QUIT;
    if (a->overlay == &overlay_confirm && a->confirm.run == quit_now)
        return APP_QUIT; /* ^C again */
    snprintf(question.what, sizeof question.what, "%s", s->target);
    snprintf(question.about, sizeof question.about,
             "is still running (pid %d). Leaving sends it a hangup, as closing a terminal does.",
             (int)s->command.pid);
    confirm_open(a, &question, "");
    return APP_REDRAW;
}

static unsigned quit_by_action(struct app *a, enum action act, int arg)
{
    (void)arg;
    return act == ACTION_QUIT_NOW ? APP_QUIT : app_quit(a);
}

static unsigned step_views(struct app *a, enum action act, int arg)
{
    (void)arg;
    app_step_view(a, act == ACTION_NEXT_VIEW ? 1 : -1);
    return APP_REDRAW;
}

static unsigned act_search(struct app *a, enum action act, int arg)
{
    (void)arg;
    if (app_takes(a, act))
        app_open_prompt(a, PROMPT_SEARCH, "");
    else
        app_message(a, true, "this view has nothing to search yet");
    return APP_REDRAW;
}

/* Whether an action on rows has one; a filter that hides all of them can still be changed. */
static bool has_rows_for(const struct view_state *st, enum action act)
{
    const unsigned of_rows = CONTEXT_LIST | CONTEXT_PROCS;
    return st->rows > 0 || !(action_table[act].contexts & of_rows) ||
           (act == ACTION_FILTER && st->filter[0]);
}

bool app_takes(const struct app *a, enum action act)
{
    const struct view_ops *v = views[a->view];
    const struct view_state *st = &a->state[a->view];
    if (act == ACTION_BOXES)
        return v->boxes != NULL;
    if (act == ACTION_SEARCH)
        return view_available(v, &a->model, st);
    if (action_table[act].contexts & (CONTEXT_GLOBAL | CONTEXT_WIDER))
        return true;
    if (v->takes ? !v->takes(act, &a->model, st) : !view_available(v, &a->model, st))
        return false;
    if (!has_rows_for(st, act))
        return false;
    switch (act) {
    case ACTION_MENU:
        return v->menu != NULL;
    case ACTION_FILTER:
        return view_fields(v, st) != NULL;
    case ACTION_SORT_NEXT:
        return view_sort(v, st, 0) != NULL;
    default:
        return true;
    }
}

static unsigned open_filter_prompt(struct app *a, enum action act, int arg)
{
    (void)act, (void)arg;
    if (!view_fields(views[a->view], &a->state[a->view])) { /* rows may still come */
        app_message(a, true, "this view has no rows to filter; / searches");
        return APP_REDRAW;
    }
    app_open_prompt(a, PROMPT_FILTER, a->state[a->view].filter);
    return APP_REDRAW;
}

static unsigned open_capture_command(struct app *a, enum action act, int arg)
{
    (void)arg;
    const char *why = captures_refused(&a->model);
    if (why)
        app_message(a, true, why);
    else
        palette_open(a, "capture ");
    (void)act;
    return APP_REDRAW;
}

static unsigned detach_from_target(struct app *a, enum action act, int arg)
{
    (void)act, (void)arg;
    a->view_chosen = false; /* the view of what was watched leaves with it */
    a->attach_pid = 0;
    return APP_REDRAW | APP_ATTACH;
}

static unsigned move_in_time(struct app *a, enum action act, int arg)
{
    return app_time_action(a, (int)act, arg);
}

/* In a tree the arrows fold and unfold; elsewhere they move in time. */
static unsigned move_in_time_by_arrow(struct app *a, enum action act, int arg)
{
    return app_time_action(a, act == ACTION_TREE_LEFT ? ACTION_TIME_BACK : ACTION_TIME_FORWARD,
                           arg);
}

static unsigned keep_pointed_number(struct app *a, enum action act, int arg)
{
    (void)act;
    a->state[a->view].point = arg + 1;
    return APP_REDRAW;
}

static unsigned change_pace(struct app *a, enum action act, int arg)
{
    if (a->time.file)
        return app_time_action(a, (int)act, arg);
    return step_interval(a, act == ACTION_FASTER ? -1 : 1);
}

/* + and - fold in a tree; elsewhere they change the speed. */
static unsigned fold_or_pace(struct app *a, enum action act, int arg)
{
    return change_pace(a, act == ACTION_FOLD ? ACTION_FASTER : ACTION_SLOWER, arg);
}

static unsigned nice_step(struct app *a, enum action act, int arg)
{
    (void)arg;
    return app_control_step(a, act);
}

static unsigned toggle_ascii(struct app *a, enum action act, int arg)
{
    (void)act, (void)arg;
    a->host.ascii = !a->host.ascii;
    return APP_REDRAW | APP_ASCII | APP_REPAINT;
}

static unsigned write_file(struct app *a, enum action act, int arg)
{
    char path[APP_TEXT_MAX];
    (void)arg;
    if (act == ACTION_WRITE) {
        propose_path(a, "rooftop", "", path);
        app_open_prompt(a, PROMPT_WRITE, path);
    } else {
        propose_path(a, "output", ".txt", path);
        app_open_prompt(a, PROMPT_SAVE, path);
    }
    return APP_REDRAW;
}

/* --- the selected row --- */

unsigned app_sort(struct app *a, int i)
{
    struct view_state *st = &a->state[a->view];
    st->reverse = st->sort == i && !st->reverse;
    st->sort = i;
    return APP_REDRAW;
}

/*
 * Handles the sort keys for every view with columns; a view with a single order gets the keys
 * first.
 */
static unsigned act_sort(struct app *a, enum action act, int arg)
{
    struct view_state *st = &a->state[a->view];
    int n = 0;
    (void)arg;
    while (view_sort(views[a->view], &a->state[a->view], n))
        n++;
    if (n == 0 || a->overlay)
        return 0;
    if (act == ACTION_SORT_REVERSE) {
        st->reverse = !st->reverse;
        return APP_REDRAW;
    }
    int now = (st->sort % n + n) % n;
    st->sort = (now + (act == ACTION_SORT_NEXT ? 1 : n - 1)) % n;
    st->reverse = false;
    return APP_REDRAW;
}

unsigned app_copy(struct app *a, const char *text)
{
    /* One printable line, because the text may be pasted into a shell. */
    print_line(a->copied, sizeof a->copied, "%s", text);
    return APP_REDRAW | APP_COPY;
}

/*
 * The menu asks for the key of the row when it is drawn, because a click may just have moved the
 * cursor.
 */
static unsigned act_menu(struct app *a, enum action act, int arg)
{
    (void)act, (void)arg;
    if (!views[a->view]->menu || a->overlay)
        return 0;
    if (a->state[a->view].rows > 0)
        overlay_open(a, &overlay_menu, "");
    else
        app_message(a, true, "there is no row here");
    return APP_REDRAW;
}

static unsigned say_how_to_explain(struct app *a, enum action act, int arg)
{
    (void)act, (void)arg;
    char key[16], text[128];
    const bool details = views[a->view]->contexts & action_table[ACTION_DETAILS].contexts;
    if (a->state[a->view].rows == 0)
        snprintf(text, sizeof text, "select a row to explain, or :explain NAME");
    else
        snprintf(text, sizeof text, "%s%s :explain NAME explains a metric",
                 details ? app_first_key(ACTION_DETAILS, key)
                         : "nothing more is known of this row;",
                 details ? " shows the details of the row;" : "");
    app_message(a, true, text);
    return APP_REDRAW;
}

unsigned app_say_elsewhere(struct app *a, const struct key_event *ev)
{
    const enum action act = key_action(ev, ~(unsigned)(CONTEXT_MOUSE | CONTEXT_OVERLAY));
    const char *place = help_place(act);
    char key[16], text[APP_TEXT_MAX];
    if (act == ACTION_NONE || !place || a->overlay)
        return 0;
    key_label(ev->key, key);
    if (view_draws(views[a->view], &a->model, &a->state[a->view]))
        snprintf(text, sizeof text, "%s (%s) is a key %c%s, not of this view", key,
                 action_table[act].name, tolower((unsigned char)place[0]), place + 1);
    else
        snprintf(text, sizeof text, "%s (%s) does nothing while this view is empty", key,
                 action_table[act].name);
    app_message(a, true, text);
    return APP_REDRAW;
}

static unsigned act_follow(struct app *a, enum action act, int arg)
{
    struct view_state *st = &a->state[a->view];
    (void)act, (void)arg;
    st->pinned = !st->pinned && st->rows > 0;
    st->follow = st->follow || st->pinned;
    app_message(a, false, st->pinned ? "following this row" : "following no row");
    return APP_REDRAW;
}

static unsigned act_copy(struct app *a, enum action act, int arg)
{
    const struct view_ops *v = views[a->view];
    struct view_state *st = &a->state[a->view];
    (void)act, (void)arg;
    a->menu.n = 0;
    if (v->menu && view_draws(v, &a->model, st) &&
        v->menu(&a->model, st, st->selected_key, &a->menu))
        for (int i = 0; i < a->menu.n; i++)
            if (a->menu.entries[i].copy)
                return app_copy(a, a->menu.entries[i].command);
    app_message(a, true, "there is nothing to copy");
    return APP_REDRAW;
}

static unsigned ask_reload(struct app *a, enum action act, int arg)
{
    (void)a, (void)act, (void)arg;
    return APP_REDRAW | APP_RELOAD;
}

static unsigned ask_repaint(struct app *a, enum action act, int arg)
{
    (void)a, (void)act, (void)arg;
    return APP_REDRAW | APP_REPAINT;
}

static unsigned show_host_or_back(struct app *a, enum action act, int arg)
{
    (void)act, (void)arg;
    const int host = view_named("overview"), first = app_view_before_host(a);
    app_show_view(a, a->view == host && first >= 0 ? first : host);
    return APP_REDRAW;
}

static unsigned (*const handlers[ACTION_COUNT])(struct app *, enum action, int) = {
    [ACTION_QUIT] = quit_by_action,
    [ACTION_QUIT_NOW] = quit_by_action,
    [ACTION_NEXT_VIEW] = step_views,
    [ACTION_PREV_VIEW] = step_views,
    [ACTION_SEARCH] = act_search,
    [ACTION_FILTER] = open_filter_prompt,
    [ACTION_CAPTURE] = open_capture_command,
    [ACTION_DETACH] = detach_from_target,
    [ACTION_HOST] = show_host_or_back,
    [ACTION_PAUSE] = move_in_time,
    [ACTION_PLAY] = move_in_time,
    [ACTION_TIME_BACK] = move_in_time,
    [ACTION_TIME_FORWARD] = move_in_time,
    [ACTION_TIME_BACK_FAR] = move_in_time,
    [ACTION_TIME_FORWARD_FAR] = move_in_time,
    [ACTION_TIME_START] = move_in_time,
    [ACTION_TIME_END] = move_in_time,
    [ACTION_TIME_SCRUB] = move_in_time,
    [ACTION_TIME_GRAPH] = move_in_time,
    [ACTION_TREE_LEFT] = move_in_time_by_arrow,
    [ACTION_TREE_RIGHT] = move_in_time_by_arrow,
    [ACTION_FOLD] = fold_or_pace,
    [ACTION_UNFOLD] = fold_or_pace,
    [ACTION_POINT_FRAME] = keep_pointed_number,
    [ACTION_POINT_GPU] = keep_pointed_number,
    [ACTION_NICE_LOWER] = nice_step,
    [ACTION_NICE_HIGHER] = nice_step,
    [ACTION_FASTER] = change_pace,
    [ACTION_SLOWER] = change_pace,
    [ACTION_SAVE] = save_settings,
    [ACTION_THEME_NEXT] = next_theme,
    [ACTION_TOGGLE_ASCII] = toggle_ascii,
    [ACTION_WRITE] = write_file,
    [ACTION_SAVE_OUTPUT] = write_file,
    [ACTION_RELOAD] = ask_reload,
    [ACTION_REDRAW] = ask_repaint,
    [ACTION_BACK] = clear_innermost,
    [ACTION_MENU] = act_menu,
    [ACTION_SORT_NEXT] = act_sort,
    [ACTION_SORT_PREV] = act_sort,
    [ACTION_SORT_REVERSE] = act_sort,
    [ACTION_EXPLAIN] = say_how_to_explain,
    [ACTION_FOLLOW] = act_follow,
    [ACTION_COPY] = act_copy,
    [ACTION_EXPAND] = app_box_action,
    [ACTION_PRESET_NEXT] = app_box_action,
};

unsigned app_global_action(struct app *a, enum action act, int arg)
{
    for (int i = 0; views[i]; i++)
        if (views[i]->select == act)
            return app_select_view(a, i);
    for (int i = 0; i < TABS; i++)
        if (view_tabs[i].select == act)
            return app_select_tab(a, (enum tab)i);
    for (int i = 0; overlays[i]; i++)
        if (overlays[i]->toggle == act) {
            overlay_open(a, overlays[i], "");
            return APP_REDRAW;
        }
    return handlers[act] ? handlers[act](a, act, arg) : 0;
}
