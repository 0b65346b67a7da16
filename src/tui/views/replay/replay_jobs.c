/*
 * What the replay menu runs: a thread that reads the list of captures, a child process that
 * replays, and the capture that is looked into. The screen never waits for any of them.
 */
#include "tui/views/replay/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/hash.h"
#include "tui/model/confirm.h"

enum { ITERATIONS = 20, TIMEOUT_S = 30 };

/* --- rows --- */

void replays_key(const char *path, char out[REPLAYS_KEY_MAX])
{
    snprintf(out, REPLAYS_KEY_MAX, "c:%016" PRIx64, hash_text(0, path));
}

const struct replay_row *replays_find(const struct replays *r, const char *key)
{
    char own[REPLAYS_KEY_MAX];
    for (size_t i = 0; r->list && i < r->list->n; i++) {
        replays_key(r->list->rows[i].path, own);
        if (strcmp(own, key) == 0)
            return &r->list->rows[i];
    }
    return NULL;
}

static void tell_replay(const struct view_state *st, bool error, const char *text)
{
    st->host->say(st->host->app, error, text);
}

/* --- the list --- */

void replay_begin(void *own)
{
    struct replay_view *r = own;
    r->options = (struct replay_request){.iterations = ITERATIONS,
                                         .recopy = true,
                                         .tolerance = r->tolerance,
                                         .timeout_s = TIMEOUT_S};
    snprintf(r->tolerance, sizeof r->tolerance, "exact");
}

static struct lister_task task_of(const struct view_state *st)
{
    struct replay_view *r = st->own;
    const struct model *m = st->host->model;
    struct lister_task t = {.remove = NULL};
    if (m->captures)
        t.read = *m->captures;
    t.read.state_dir = st->host->state_dir;
    t.read.readonly = m->readonly;
    t.read.host = r->host_asked ? &r->host : NULL;
    return t;
}

static void start_task(struct view_state *st, const struct lister_task *t)
{
    struct replay_view *r = st->own;
    if (!r->lister) {
        r->lister = replay_lister_new();
        st->host->wake(st->host->app, replay_lister_fd(r->lister));
    }
    replay_lister_start(r->lister, t);
    r->all.reading = true;
}

static void list_captures(struct view_state *st)
{
    struct lister_task t = task_of(st);
    start_task(st, &t);
}

static void take_capture_list(struct replay_view *r, struct replay_list *list)
{
    if (r->list)
        replay_list_free(r->list);
    free(r->list);
    r->all.list = r->list = list;
    if (!list || r->host_asked || list->captures.n == 0)
        return;
    r->host = list->host;
    r->host_asked = true;
}

bool replay_follow(const struct model *m, struct view_state *st, bool shown)
{
    struct replay_view *r = st->own;
    const bool begun = r->all.list || r->all.reading || r->all.failed[0];
    const bool news = m->captured != r->captured;
    r->captured = m->captured;
    if (m->replays)
        r->all.list = m->replays;
    else if (m->captures && begun && news)
        list_captures(st);
    else if (m->captures && !begun && shown && !st->host->at_once)
        list_captures(st);
    return false;
}

/* --- what happened since the last call --- */

static void tell_replay_failure(struct view_state *st, const struct error *err)
{
    char text[512];
    tell_replay(st, true, error_format(err, text, sizeof text));
}

static bool poll_list(struct view_state *st)
{
    struct replay_view *r = st->own;
    struct replay_list *list;
    struct error err = ERROR_INIT, said = ERROR_INIT;
    if (!r->lister || !replay_lister_take(r->lister, &list, &err, &said))
        return false;
    r->all.reading = replay_lister_busy(r->lister);
    r->all.failed[0] = '\0';
    if (list)
        take_capture_list(r, list);
    else
        error_format(&err, r->all.failed, sizeof r->all.failed);
    if (said.kind != ERROR_NONE)
        tell_replay_failure(st, &said);
    else if (list && list->note[0])
        tell_replay(st, true, list->note);
    return true;
}

/* Stores the result, then reads the list again, which contains it then. */
static void finish_run(struct view_state *st, const struct replay_run *run)
{
    struct replay_view *r = st->own;
    char text[256], number[VALUE_TEXT_MAX];
    struct lister_task t = task_of(st);
    r->kept = true;
    if (run->state != REPLAY_DONE) {
        snprintf(text, sizeof text, "replay: %s",
                 run->state == REPLAY_CANCELLED ? "cancelled" : run->message);
        tell_replay(st, run->state == REPLAY_FAILED, text);
        return;
    }
    struct value mean = value_ok(run->result.timing.average / 1e6, UNIT_SECONDS);
    if (run->result.verify.reported && !run->result.verify.equal)
        tell_replay(st, true, "replay: memory after differs from what was captured");
    else if (run->result.timing.known) {
        snprintf(text, sizeof text, "replayed: %s on average",
                 value_format(&mean, st->host->ascii, number));
        tell_replay(st, false, text);
    }
    if (run->job == REPLAY_RESERVE_CHECK)
        return;
    t.json = run->result.json;
    t.hsaco = r->hsaco;
    t.key = r->key;
    t.job = run->job;
    t.time_ns = env_wall_ns();
    start_task(st, &t);
}

static bool poll_child(struct view_state *st)
{
    struct replay_view *r = st->own;
    if (!r->child || !replay_child_poll(r->child))
        return false;
    const struct replay_run *run = replay_child_run(r->child);
    if (replay_run_over(run) && !r->kept)
        finish_run(st, run);
    return true;
}

bool replay_poll(struct view_state *st)
{
    struct replay_view *r = st->own;
    bool changed = poll_list(st);
    changed |= poll_child(st);
    if (r->look)
        capture_look_drain(r->look);
    return changed || r->look;
}

void replay_end(void *own)
{
    struct replay_view *r = own;
    replay_child_free(r->child);
    replay_lister_free(r->lister);
    capture_look_close(r->look);
    take_capture_list(r, NULL);
    rows_free(&r->rows);
}

/* --- running --- */

static bool is_running(const struct replay_view *r)
{
    return r->child && !replay_run_over(replay_child_run(r->child));
}

/*
 * If this host could not replay when it was asked, the child process is still started: the host may
 * have changed since.
 */
const char *replay_refused(const struct replay_view *r, const struct replay_row *row)
{
    if (!row)
        return "there is no capture here";
    if (!row->capture)
        return row->why;
    if (is_running(r))
        return "a replay is running: x cancels it";
    return NULL;
}

bool replay_start(struct view_state *st, const struct replay_row *row,
                  const struct replay_request *q)
{
    struct replay_view *r = st->own;
    struct replay_child *child;
    struct error err = ERROR_INIT;
    if (replay_child_start(&child, q, &err) != 0) {
        tell_replay_failure(st, &err);
        return false;
    }
    r->all.run = NULL;
    replay_child_free(r->child);
    r->child = child;
    r->kept = false;
    r->key = row->key;
    snprintf(r->hsaco, sizeof r->hsaco, "%s", q->hsaco ? q->hsaco : "");
    r->all.run = replay_child_run(child);
    snprintf(r->all.run_path, sizeof r->all.run_path, "%s", row->path);
    st->host->wake(st->host->app, replay_child_fd(child));
    return true;
}

/* Starts without asking: one launch, or the last values of the form. */
static void run_plain(struct view_state *st, const struct replay_row *row, enum replay_job job)
{
    struct replay_view *r = st->own;
    struct replay_request q = r->options;
    q.job = job;
    q.capture = row->path;
    q.iterations = 1;
    q.warmup = 0;
    q.recopy = q.verify = true;
    q.agent = replay_host_choose(&r->all.list->host, row->capture, q.agent);
    replay_start(st, row, &q);
}

static const char no_capture[] = "there is no capture here";

static void ask_replay(struct view_state *st, enum action act)
{
    struct replay_view *r = st->own;
    const struct replay_row *row = replays_find(&r->all, st->selected_key);
    const char *why = replay_refused(r, row);
    if (!why && act == ACTION_REPLAY_VERIFY && !row->capture->has_after)
        why = "captured without --post: there is nothing to compare memory with";
    if (why)
        tell_replay(st, true, why);
    else if (act == ACTION_REPLAY_RUN || act == ACTION_REPLAY_COMPARE)
        st->host->open(st->host->app,
                       act == ACTION_REPLAY_RUN ? &overlay_replay_form : &overlay_replay_compare,
                       st->selected_key);
    else
        run_plain(st, row, act == ACTION_REPLAY_VERIFY ? REPLAY_FULL_VM : REPLAY_RESERVE_CHECK);
}

static void cancel_replay(struct view_state *st)
{
    struct replay_view *r = st->own;
    if (is_running(r))
        replay_child_cancel(r->child);
    else
        tell_replay(st, true, "no replay is running");
}

static void list_captures_again(struct view_state *st)
{
    ((struct replay_view *)st->own)->host_asked = false;
    list_captures(st);
}

static unsigned remove_capture(void *view, const char *key)
{
    struct view_state *st = view;
    const struct replay_view *r = st->own;
    const struct replay_row *row = replays_find(&r->all, key);
    struct lister_task t = task_of(st);
    if (row && !st->host->model->readonly) {
        t.remove = row->path;
        start_task(st, &t);
    }
    return 0;
}

static void ask_delete(struct view_state *st)
{
    const struct replay_view *r = st->own;
    const struct replay_row *row = replays_find(&r->all, st->selected_key);
    if (!row) {
        tell_replay(st, true, no_capture);
        return;
    }
    struct confirm question = {
        .title = "delete this capture?", .yes = "deletes it", .run = remove_capture, .ctx = st};
    snprintf(question.what, sizeof question.what, "%s", row->name);
    snprintf(question.about, sizeof question.about, "%s", row->path);
    snprintf(question.note, sizeof question.note, "Its results stay in the history.");
    st->host->ask(st->host->app, &question, st->selected_key);
}

struct capture_look *replay_look(struct view_state *st, const char *key)
{
    struct replay_view *r = st->own;
    const struct replay_row *row = replays_find(&r->all, key);
    if (!row)
        return NULL;
    if (r->look && strcmp(capture_look_path(r->look), row->path) == 0)
        return r->look;
    capture_look_close(r->look);
    r->look = capture_look_open(row->path);
    st->host->wake(st->host->app, capture_look_fd(r->look));
    return r->look;
}

/* Opens an overlay about a capture or its contents. */
static void open_capture_overlay(struct view_state *st, const struct overlay_ops *ops)
{
    const struct replay_view *r = st->own;
    const struct replay_row *row = replays_find(&r->all, st->selected_key);
    if (!row || !row->capture)
        tell_replay(st, true, row ? row->why : no_capture);
    else
        st->host->open(st->host->app, ops, st->selected_key);
}

bool replay_act(enum action act, struct view_state *st)
{
    switch (act) {
    case ACTION_REPLAY_RUN:
    case ACTION_REPLAY_COMPARE:
    case ACTION_REPLAY_VERIFY:
    case ACTION_REPLAY_RESERVE:
        ask_replay(st, act);
        return true;
    case ACTION_REPLAY_CANCEL:
        cancel_replay(st);
        return true;
    case ACTION_REPLAY_AGAIN:
        list_captures_again(st);
        return true;
    case ACTION_REPLAY_MEMORY:
        open_capture_overlay(st, &overlay_replay_memory);
        return true;
    case ACTION_REPLAY_ARGUMENTS:
        open_capture_overlay(st, &overlay_replay_arguments);
        return true;
    case ACTION_REPLAY_CODE:
        open_capture_overlay(st, &overlay_replay_code);
        return true;
    case ACTION_REPLAY_DELETE:
        ask_delete(st);
        return true;
    default:
        return false;
    }
}
