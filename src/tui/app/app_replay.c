#include "tui/app/app_replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/env.h"
#include "tui/app/app_state.h"
#include "tui/overlays/confirm.h"
#include "tui/overlays/replay.h"

enum { ITERATIONS = 20, TIMEOUT_S = 30 };

/* --- rows --- */

const struct replay_row *app_replay_row(const struct app *a, const char *key)
{
    return replays_find(&a->replay.shown, key);
}

const struct replay_list *app_replay_list(const struct app *a)
{
    return a->replay.list;
}

/* --- the list --- */

void app_set_replays(struct app *a, char **folders, size_t n, replay_host_fn *ask)
{
    struct app_replay *r = &a->replay;
    r->folders = folders;
    r->nfolders = n;
    r->ask = ask;
    r->options = (struct replay_request){.iterations = ITERATIONS,
                                         .recopy = true,
                                         .tolerance = r->tolerance,
                                         .timeout_s = TIMEOUT_S};
    snprintf(r->tolerance, sizeof r->tolerance, "exact");
    a->model.replays = &r->shown;
}

static struct lister_task task_of(struct app *a)
{
    struct app_replay *r = &a->replay;
    return (struct lister_task){.read = {.folders = r->folders,
                                         .nfolders = r->nfolders,
                                         .state_dir = a->state_dir,
                                         .readonly = a->model.readonly,
                                         .ask = r->ask,
                                         .host = r->host_asked ? &r->host : NULL}};
}

static void watch_replay_fd(struct app_replay *r, int fd)
{
    struct epoll_event ev = {.events = EPOLLIN};
    if (!r->epoll)
        r->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (r->epoll > 0 && fd >= 0)
        epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &ev);
}

static void start_task(struct app *a, const struct lister_task *t)
{
    struct app_replay *r = &a->replay;
    if (!r->lister) {
        r->lister = replay_lister_new();
        watch_replay_fd(r, replay_lister_fd(r->lister));
    }
    replay_lister_start(r->lister, t);
    r->shown.reading = true;
}

static void take_capture_list(struct app_replay *r, struct replay_list *list)
{
    if (r->list)
        replay_list_free(r->list);
    free(r->list);
    r->shown.list = r->list = list;
    if (!list || r->host_asked || list->captures.n == 0)
        return;
    r->host = list->host;
    r->host_asked = true;
}

int app_replay_read_now(struct app *a, struct error *err)
{
    struct lister_task t = task_of(a);
    struct replay_list *list = replay_lister_now(&t, err);
    if (!list)
        return -EIO;
    take_capture_list(&a->replay, list);
    return 0;
}

void app_replay_refresh(struct app *a)
{
    struct app_replay *r = &a->replay;
    r->shown.now_ns = env_now_ns();
    if (!a->model.replays || r->shown.list || r->shown.reading || r->shown.failed[0])
        return;
    struct lister_task t = task_of(a);
    start_task(a, &t);
}

/* --- what happened since the last call --- */

void app_replay_watch(struct app *a, int fd)
{
    watch_replay_fd(&a->replay, fd);
}

int app_replay_fd(struct app *a)
{
    watch_replay_fd(&a->replay, -1);
    return a->replay.epoll;
}

static void tell_replay_failure(struct app *a, const struct error *err)
{
    char text[512];
    app_message(a, true, error_format(err, text, sizeof text));
}

static unsigned poll_list(struct app *a)
{
    struct app_replay *r = &a->replay;
    struct replay_list *list;
    struct error err = ERROR_INIT, said = ERROR_INIT;
    if (!r->lister || !replay_lister_take(r->lister, &list, &err, &said))
        return 0;
    r->shown.reading = replay_lister_busy(r->lister);
    r->shown.failed[0] = '\0';
    if (list)
        take_capture_list(r, list);
    else
        error_format(&err, r->shown.failed, sizeof r->shown.failed);
    if (said.kind != ERROR_NONE)
        tell_replay_failure(a, &said);
    else if (list && list->note[0])
        app_message(a, true, list->note);
    return APP_REDRAW;
}

/* Stores the result in the history and reads the list again, which has it then. */
static void finish_run(struct app *a, const struct replay_run *run)
{
    struct app_replay *r = &a->replay;
    char text[256], number[VALUE_TEXT_MAX];
    struct lister_task t = task_of(a);
    r->kept = true;
    if (run->state != REPLAY_DONE) {
        snprintf(text, sizeof text, "replay: %s",
                 run->state == REPLAY_CANCELLED ? "cancelled" : run->message);
        app_message(a, run->state == REPLAY_FAILED, text);
        return;
    }
    struct value mean = value_ok(run->result.timing.average / 1e6, UNIT_SECONDS);
    if (run->result.verify.told && !run->result.verify.equal)
        app_message(a, true, "replay: memory after differs from what was captured");
    else if (run->result.timing.known) {
        snprintf(text, sizeof text, "replayed: %s on average",
                 value_format(&mean, a->ascii, number));
        app_message(a, false, text);
    }
    if (run->job == REPLAY_RESERVE_CHECK)
        return;
    t.json = run->result.json;
    t.hsaco = r->hsaco;
    t.key = r->key;
    t.job = run->job;
    t.time_ns = env_wall_ns();
    start_task(a, &t);
}

static unsigned poll_child(struct app *a)
{
    struct app_replay *r = &a->replay;
    if (!r->child || !replay_child_poll(r->child))
        return 0;
    const struct replay_run *run = replay_child_run(r->child);
    if (replay_run_over(run) && !r->kept)
        finish_run(a, run);
    return APP_REDRAW;
}

unsigned app_replay_poll(struct app *a)
{
    unsigned asked = poll_list(a) | poll_child(a);
    if (!a->replay.look)
        return asked;
    capture_look_drain(a->replay.look);
    return asked | (a->overlay ? APP_REDRAW : 0);
}

void app_replay_free(struct app *a)
{
    struct app_replay *r = &a->replay;
    replay_child_free(r->child);
    replay_lister_free(r->lister);
    capture_look_close(r->look);
    take_capture_list(r, NULL);
    if (r->epoll > 0)
        close(r->epoll);
}

/* --- running --- */

static bool is_running(const struct app_replay *r)
{
    return r->child && !replay_run_over(replay_child_run(r->child));
}

/*
 * If this host could not replay when it was asked, the child process is still started: the host may
 * have changed since.
 */
const char *app_replay_refused(const struct app *a, const struct replay_row *row)
{
    if (!row)
        return "there is no capture here";
    if (!row->capture)
        return row->why;
    if (is_running(&a->replay))
        return "a replay is running: x cancels it";
    return NULL;
}

bool app_replay_run(struct app *a, const struct replay_row *row, const struct replay_request *q)
{
    struct app_replay *r = &a->replay;
    struct replay_child *child;
    struct error err = ERROR_INIT;
    if (replay_child_start(&child, q, &err) != 0) {
        tell_replay_failure(a, &err);
        return false;
    }
    r->shown.run = NULL;
    replay_child_free(r->child);
    r->child = child;
    r->kept = false;
    r->key = row->key;
    snprintf(r->hsaco, sizeof r->hsaco, "%s", q->hsaco ? q->hsaco : "");
    r->shown.run = replay_child_run(child);
    snprintf(r->shown.run_path, sizeof r->shown.run_path, "%s", row->path);
    watch_replay_fd(r, replay_child_fd(child));
    return true;
}

/* Starts without asking: one launch, or the last values of the form. */
static void run_plain(struct app *a, const struct replay_row *row, enum replay_job job)
{
    struct app_replay *r = &a->replay;
    struct replay_request q = r->options;
    q.job = job;
    q.capture = row->path;
    q.iterations = 1;
    q.warmup = 0;
    q.recopy = q.verify = true;
    q.agent = replay_host_choose(&r->shown.list->host, row->capture, q.agent);
    app_replay_run(a, row, &q);
}

static unsigned start_replay(struct app *a, enum action act)
{
    struct view_state *st = &a->state[a->view];
    const struct replay_row *row = app_replay_row(a, st->selected_key);
    const char *why = app_replay_refused(a, row);
    if (!why && act == ACTION_REPLAY_VERIFY && !row->capture->has_after)
        why = "captured without --post: there is nothing to compare memory with";
    if (why)
        app_message(a, true, why);
    else if (act == ACTION_REPLAY_RUN || act == ACTION_REPLAY_COMPARE)
        overlay_open(a, act == ACTION_REPLAY_RUN ? &overlay_replay_form : &overlay_replay_compare,
                     st->selected_key);
    else
        run_plain(a, row, act == ACTION_REPLAY_VERIFY ? REPLAY_FULL_VM : REPLAY_RESERVE_CHECK);
    return APP_REDRAW;
}

static unsigned cancel_replay(struct app *a)
{
    if (is_running(&a->replay))
        replay_child_cancel(a->replay.child);
    else
        app_message(a, true, "no replay is running");
    return APP_REDRAW;
}

static unsigned list_captures_again(struct app *a)
{
    a->replay.host_asked = false;
    struct lister_task t = task_of(a);
    start_task(a, &t);
    return APP_REDRAW;
}

void app_captured(struct app *a)
{
    const struct replays *r = &a->replay.shown;
    struct lister_task t = task_of(a);
    /* otherwise the list was not wanted yet */
    if (a->model.replays && (r->list || r->reading || r->failed[0]))
        start_task(a, &t);
}

static unsigned remove_capture(struct app *a, const char *key)
{
    const struct replay_row *row = app_replay_row(a, key);
    struct lister_task t = task_of(a);
    if (row && !a->model.readonly) {
        t.remove = row->path;
        start_task(a, &t);
    }
    return APP_REDRAW;
}

static unsigned ask_delete(struct app *a)
{
    const char *key = a->state[a->view].selected_key;
    const struct replay_row *row = app_replay_row(a, key);
    if (!row) {
        app_message(a, true, "there is no capture here");
        return APP_REDRAW;
    }
    struct confirm question = {
        .title = "delete this capture?", .yes = "deletes it", .run = remove_capture};
    snprintf(question.what, sizeof question.what, "%s", row->name);
    snprintf(question.about, sizeof question.about, "%s", row->path);
    snprintf(question.note, sizeof question.note, "Its results stay in the history.");
    confirm_open(a, &question, key);
    return APP_REDRAW;
}

struct capture_look *app_replay_look(struct app *a, const char *key)
{
    struct app_replay *r = &a->replay;
    const struct replay_row *row = app_replay_row(a, key);
    if (!row)
        return NULL;
    if (r->look && strcmp(capture_look_path(r->look), row->path) == 0)
        return r->look;
    capture_look_close(r->look);
    r->look = capture_look_open(row->path);
    watch_replay_fd(r, capture_look_fd(r->look));
    return r->look;
}

/* Opens an overlay about a capture or its contents. */
static unsigned open_capture_overlay(struct app *a, const struct overlay_ops *ops)
{
    struct view_state *st = &a->state[a->view];
    const struct replay_row *row = app_replay_row(a, st->selected_key);
    if (!row || !row->capture)
        app_message(a, true, row ? row->why : "there is no capture here");
    else
        overlay_open(a, ops, st->selected_key);
    return APP_REDRAW;
}

unsigned app_replay_action(struct app *a, enum action act)
{
    if (!a->model.replays || strcmp(views[a->view]->name, "replay") != 0)
        return 0;
    switch (act) {
    case ACTION_REPLAY_RUN:
    case ACTION_REPLAY_COMPARE:
    case ACTION_REPLAY_VERIFY:
    case ACTION_REPLAY_RESERVE:
        return start_replay(a, act);
    case ACTION_REPLAY_CANCEL:
        return cancel_replay(a);
    case ACTION_REPLAY_AGAIN:
        return list_captures_again(a);
    case ACTION_REPLAY_MEMORY:
        return open_capture_overlay(a, &overlay_replay_memory);
    case ACTION_REPLAY_ARGUMENTS:
        return open_capture_overlay(a, &overlay_replay_arguments);
    case ACTION_REPLAY_CODE:
        return open_capture_overlay(a, &overlay_replay_code);
    case ACTION_REPLAY_DELETE:
        return ask_delete(a);
    default:
        return 0;
    }
}
