#include "tui/app/app.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/compare/compare.h"
#include "engine/counters/event_catalog.h"
#include "engine/syscalls/snapshot/syscalls_snapshot.h"
#include "tui/app/app_state.h"
#include "tui/input/typed_lines.h"
#include "tui/model/permit.h"
#include "tui/overlays/confirm.h"
#include "tui/overlays/source.h"
#include "tui/views/procs/procs.h"

static void lend_to_views(struct app *a, const struct analysis *profile, struct recording *session)
{
    app_set_profile(a, profile);
    if (session)
        app_lend(a, session);
}

static void open_view_prompt(struct app *a, const char *label, const char *text)
{
    a->prompt_label = label;
    app_open_prompt(a, PROMPT_VIEW, text);
}

bool app_choose_row(struct app *a, const char *view, const char *key, struct error *err)
{
    if (!app_set_view(a, view, err))
        return false;
    struct view_state *st = &a->state[a->view];
    if (key) {
        snprintf(st->selected_key, sizeof st->selected_key, "%s", key);
        st->follow = true;
    }
    return true;
}

struct app *app_new(double interval_s, bool ascii, const char *theme)
{
    struct app *a = pages_alloc(sizeof *a);
    a->interval_s = interval_s;
    a->series = live_series_new();
    a->events = xcalloc(1, sizeof *a->events);
    a->model = (struct model){.series = a->series, .interval_s = interval_s};
    app_time_init(a);
    app_set_capture(a, "start it with rooftop --capture -- COMMAND");
    a->host = (struct view_host){.app = a,
                                 .model = &a->model,
                                 .ascii = ascii,
                                 .state_dir = a->state_dir,
                                 .wake = app_watch_fd,
                                 .open = overlay_open,
                                 .ask = confirm_open,
                                 .say = app_message,
                                 .show = lend_to_views,
                                 .choose = app_choose_row,
                                 .prompt = open_view_prompt};
    for (int i = 0; views[i]; i++) {
        view_state_begin(&a->state[i], views[i]);
        a->state[i].host = &a->host;
    }
    while (!view_available(views[a->view], &a->model, &a->state[a->view]))
        a->view++; /* this host is always there */
    snprintf(a->theme, sizeof a->theme, "%s", theme ? theme : "");
    return a;
}

void app_free(struct app *a)
{
    if (!a)
        return;
    snapshot_unref(a->model.snap);
    snapshot_unref(a->model.newest);
    live_series_free(a->series);
    app_time_free(a);
    for (int i = 0; i < VIEWS_MAX; i++)
        query_free(a->query[i]);
    for (int i = 0; views[i]; i++)
        view_state_end(&a->state[i], views[i]);
    syscalls_snapshot_unref(a->model.syscalls);
    app_window_free(a);
    event_catalog_free(a->events);
    free(a->events);
    free(a->command);
    overlay_close(a);
    code_job_free(a->code.job);
    code_free(a->code.code);
    if (a->epoll > 0)
        close(a->epoll);
    page_free(&a->page);
    for (size_t i = 0; i < a->nthemes; i++)
        free(a->themes[i]);
    free(a->themes);
    typed_lines_free(a->commands);
    free(a->opening);
    pages_free(a, sizeof *a);
}

void app_update(struct app *a, const struct snapshot *s)
{
    live_series_push(a->series, s);
    snapshot_unref(a->model.newest);
    a->model.newest = snapshot_ref(s);
    app_time_push(a, s);
    for (int i = 0; views[i]; i++)
        if (views[i]->sample)
            views[i]->sample(&a->state[i], s);
    if (a->time.live) {
        snapshot_unref(a->model.snap);
        a->model.snap = snapshot_ref(s);
    }
    app_follow_target(a);
}

/* --- code that overlays show --- */

int app_job_fd(struct app *a)
{
    if (!a->code.job)
        a->code.job = code_job_new();
    app_watch_fd(a, code_job_fd(a->code.job));
    app_views_watch(a);
    return a->epoll;
}

unsigned app_job_done(struct app *a)
{
    struct code *code = a->code.job ? code_job_take(a->code.job) : NULL;
    unsigned asked = app_views_poll(a);
    if (!code)
        return asked;
    code_free(a->code.code);
    a->code.code = code;
    if (a->overlay && a->overlay->code_came)
        a->overlay->code_came(a);
    return APP_REDRAW;
}

/* --- overlays --- */

void overlay_open(struct app *a, const struct overlay_ops *ops, const char *key)
{
    char about[VIEW_TEXT_MAX]; /* a copy, because key may be a->overlay_key itself */
    snprintf(about, sizeof about, "%s", key);
    overlay_close(a);
    memcpy(a->overlay_key, about, sizeof about);
    a->overlay_state = (struct view_state){0};
    a->overlay = ops;
    a->host.covered = true;
    a->overlay_own = ops->own_size ? xcalloc(1, ops->own_size) : NULL;
    if (ops->opened)
        ops->opened(a);
}

void overlay_close(struct app *a)
{
    const struct overlay_ops *ops = a->overlay;
    a->overlay = NULL;
    a->host.covered = false;
    if (ops && ops->closed)
        ops->closed(a);
    free(a->overlay_own);
    a->overlay_own = NULL;
}

unsigned overlay_scroll_page(struct app *a, enum action act)
{
    enum { FAR = 100000 };
    int *scroll = &a->overlay_state.scroll;
    const int page = a->page.seen > 1 ? a->page.seen - 1 : 1;
    switch (act) {
    case ACTION_UP:
        --*scroll;
        break;
    case ACTION_DOWN:
        ++*scroll;
        break;
    case ACTION_PAGE_UP:
        *scroll -= page;
        break;
    case ACTION_PAGE_DOWN:
        *scroll += page;
        break;
    case ACTION_TOP:
        *scroll = 0;
        break;
    case ACTION_BOTTOM:
        *scroll = FAR;
        break;
    default:
        return 0;
    }
    return APP_REDRAW;
}

/* --- actions --- */

unsigned app_obey_view(struct app *a, enum view_result result)
{
    struct view_state *st = &a->state[a->view];
    switch (result) {
    case VIEW_EXPLAIN:
        overlay_open(a, &overlay_explain, st->selected_key);
        return APP_REDRAW;
    case VIEW_ATTACH:
        a->attach_pid = (pid_t)strtol(st->selected_key, NULL, 10);
        a->view_chosen = false; /* the view of what is watched comes with its first sample */
        return APP_REDRAW | APP_ATTACH;
    case VIEW_HOST:
        a->visited = (int)strtol(st->selected_key, NULL, 10);
        return APP_REDRAW | APP_HOST;
    case VIEW_OPEN:
        snprintf(a->open_key, sizeof a->open_key, "%s", st->selected_key);
        return APP_REDRAW | APP_OPEN;
    case VIEW_SAMPLE:
        a->sampling = !(a->model.newest && a->model.newest->sampling.on);
        return APP_REDRAW | APP_SAMPLING;
    case VIEW_TRACE:
        a->model.tracing = !a->model.tracing;
        return APP_REDRAW | APP_SYSCALLS;
    case VIEW_WINDOW:
        return app_window_key(a, st->selected_key);
    case VIEW_SOURCE:
        overlay_open(a, &overlay_source, st->selected_key);
        return APP_REDRAW;
    case VIEW_MENU:
        return app_global_action(a, ACTION_MENU, 0);
    case VIEW_HANDLED:
        return APP_REDRAW;
    case VIEW_IGNORED:
        break;
    }
    return 0;
}

static unsigned view_action(struct app *a, enum action act)
{
    if (!view_draws(views[a->view], &a->model, &a->state[a->view]))
        return 0;
    return app_obey_view(a, views[a->view]->act(act, &a->model, &a->state[a->view]));
}

/*
 * Whether an open overlay gets the action. Otherwise the overlay stays open, whatever the action
 * does.
 */
static bool for_overlay(const struct app *a, enum action act)
{
    return (action_table[act].contexts & CONTEXT_OVERLAY) || act == ACTION_EXPLAIN ||
           act == ACTION_BACK || act == a->overlay->toggle;
}

unsigned app_perform(struct app *a, enum action act, int arg)
{
    if (act == ACTION_NONE)
        return 0;
    a->message[0] = '\0';
    if (a->overlay && for_overlay(a, act)) {
        unsigned asked = a->overlay->act ? a->overlay->act(a, act) : 0;
        if (!asked)
            overlay_close(a);
        return asked | APP_REDRAW;
    }
    unsigned given_up = act == ACTION_BACK && !a->overlay ? app_opening_back(a) : 0;
    if (given_up)
        return given_up;
    const char *refused = permit_refused(&a->model, act);
    if (refused) {
        char text[APP_TEXT_MAX];
        snprintf(text, sizeof text, "%s: %s", action_table[act].name, refused);
        app_message(a, true, text);
        return APP_REDRAW;
    }
    if (act == ACTION_SORT_NEXT && arg) /* a click on the head of a column */
        return app_sort(a, arg - 1);
    unsigned asked = a->overlay ? 0 : view_action(a, act);
    return asked ? asked : app_global_action(a, act, arg) | APP_REDRAW;
}

/*
 * A terminal sends Alt-x as Escape and x. Two keys that were typed at once are taken for it, where
 * Escape closes what is open on top, or Alt-x means nothing. [ and O begin sequences of terminals.
 */
static bool is_escape_and_key(const struct app *a, const struct key_event *ev)
{
    if (ev->key <= KEY_ALT || ev->key == KEY_ALT + '[' || ev->key == KEY_ALT + 'O')
        return false;
    return a->overlay || a->prompt != PROMPT_NONE || key_action(ev, app_contexts(a)) == ACTION_NONE;
}

unsigned app_key(struct app *a, const struct key_event *ev)
{
    if (ev->key == KEY_RESIZE_)
        return APP_REDRAW;
    if (is_escape_and_key(a, ev)) {
        const unsigned escaped = app_key(a, &(struct key_event){.key = KEY_ESCAPE});
        return escaped | app_key(a, &(struct key_event){.key = ev->key - KEY_ALT});
    }
    unsigned asked = a->overlay && a->overlay->key ? a->overlay->key(a, ev) : 0;
    if (asked)
        return asked;
    if (ev->key == KEY_MOUSE_)
        return a->prompt == PROMPT_NONE ? app_mouse(a, ev) : 0;
    if (a->prompt != PROMPT_NONE)
        return app_prompt_key(a, ev->key);
    const enum action act = key_action(ev, app_contexts(a));
    return act == ACTION_NONE ? app_say_elsewhere(a, ev) : app_perform(a, act, 0);
}

void app_message(struct app *a, bool error, const char *text)
{
    snprintf(a->message, sizeof a->message, "%s", text);
    a->message_is_error = error;
}

void app_set_theme(struct app *a, const char *name)
{
    snprintf(a->theme, sizeof a->theme, "%s", name);
}

void app_set_interval(struct app *a, double seconds)
{
    if (seconds > 0)
        a->interval_s = a->model.interval_s = seconds;
}

double app_interval(const struct app *a)
{
    return a->interval_s;
}

const char *app_copied(const struct app *a)
{
    return a->copied;
}

void app_set_capture(struct app *a, const char *why_not)
{
    snprintf(a->capture_why_not, sizeof a->capture_why_not, "%s", why_not ? why_not : "");
    a->model.capture_why_not = why_not ? a->capture_why_not : NULL;
}

void app_set_launched(struct app *a, const struct capturer_kernel *rows, size_t n)
{
    a->model.launched = rows;
    a->model.nlaunched = n;
}

void app_set_command(struct app *a, const char *command)
{
    free(a->command);
    a->command = command ? xstrdup(command) : NULL;
    a->model.command = a->command;
}

const char *app_capture(const struct app *a)
{
    return a->capture;
}

void app_set_watch(struct app *a, const struct watch *w)
{
    a->host.watch = w;
}

void app_set_readonly(struct app *a, bool readonly)
{
    a->model.readonly = readonly;
}

bool app_readonly(const struct app *a)
{
    return a->model.readonly;
}

void app_set_att(struct app *a, const struct att_set *att)
{
    a->model.att = att;
}

void app_set_profile(struct app *a, const struct analysis *profile)
{
    app_window_free(a);
    a->model.profile = profile;
}

void app_set_playback(struct app *a)
{
    a->model.playback = true;
}

void app_set_opened(struct app *a, const struct subject *opened)
{
    a->model.opened = opened;
}

void app_compare(struct app *a, const struct shown_comparison *k)
{
    struct error ignored = ERROR_INIT;
    a->model.compared = k;
    app_set_profile(a, k->profiles[0] ? k->profiles[0] : k->profiles[1]);
    app_set_view(a, "compare", &ignored);
}

void app_offer_fleet(struct app *a, struct fleet_run *run)
{
    a->model.fleet = run;
    app_views_follow(a); /* the view is there only with its hosts */
}

void app_set_fleet(struct app *a, struct fleet_run *run)
{
    struct error ignored = ERROR_INIT;
    app_offer_fleet(a, run);
    app_set_view(a, "fleet", &ignored);
}

struct fleet_run *app_fleet(const struct app *a)
{
    return a->model.fleet;
}

int app_host(const struct app *a)
{
    return a->visited;
}

void app_set_captures(struct app *a, const struct replay_list_request *where,
                      const struct replay_list *found)
{
    a->model.captures = where;
    a->model.replays = found;
    if (found)
        app_views_follow(a);
}

void app_captured(struct app *a)
{
    a->model.captured++;
    app_views_follow(a);
}

/* --- a live trace of system calls --- */

void app_set_syscalls(struct app *a, const struct syscalls_snapshot *p)
{
    syscalls_snapshot_unref(a->model.syscalls);
    a->model.syscalls = p;
    a->model.tracing = syscalls_snapshot_goes_on(p);
}

const struct syscalls_snapshot *app_syscalls(struct app *a)
{
    const struct view_ops *v = views[a->view];
    return v->calls ? v->calls(&a->model, &a->state[a->view]) : NULL;
}

bool app_tracing(const struct app *a)
{
    return a->model.tracing;
}

bool app_shows_calls(const struct app *a, bool beside)
{
    return views[a->view]->calls || (beside && views[a->view]->traces);
}

void app_end_tracing(struct app *a, const char *why)
{
    a->model.tracing = false;
    app_message(a, false, why);
}

const struct snapshot *app_newest(const struct app *a)
{
    return a->model.newest;
}

/* --- what is given --- */

void app_set_at_once(struct app *a)
{
    a->host.at_once = true;
    app_views_follow(a);
}

void app_set_state_dir(struct app *a, const char *dir)
{
    snprintf(a->state_dir, sizeof a->state_dir, "%s", dir ? dir : "");
}

const char *app_event(const struct app *a)
{
    return a->event;
}

bool app_sampling(const struct app *a)
{
    return a->sampling;
}

const char *app_open_key(const struct app *a)
{
    return a->open_key;
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
    return a->host.ascii;
}
