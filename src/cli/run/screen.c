#include "cli/run/run_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/hsa/inventory.h"
#include "base/arena.h"
#include "base/shell_word.h"
#include "base/state_dir.h"
#include "cli/run/nearby.h"
#include "cli/run/progress.h"
#include "engine/analysis/analysis.h"
#include "engine/profiler/gpu_run.h"
#include "engine/replay/replay_lister.h"
#include "engine/syscalls/feed.h"
#include "engine/session/session.h"
#include "tui/canvas/render.h"
#include "tui/model/view.h"
#include "tui/term/term.h"

enum { PATIENCE_MS = 200 }; /* a file that opens faster is shown in the first picture */

/* Runs the commands of --run. Requests that need an engine or a terminal are left in s->asked. */
static int run_commands(struct screen *s, const char *line, struct error *err)
{
    err->kind = ERROR_NONE;
    s->asked = app_command(s->app, line, err);
    if (err->kind != ERROR_NONE)
        return -EINVAL;
    if (s->asked & APP_ASCII)
        s->canvas.ascii = s->ascii = app_ascii(s->app);
    if (s->asked & APP_THEME) {
        theme_free(s->theme);
        s->theme = NULL;
        return theme_load(&s->theme, app_theme(s->app), err);
    }
    return 0;
}

bool screen_plays(const struct options *o)
{
    return o->noperands && subject_recognise(o->operands[0]) == SUBJECT_SESSION;
}

/* Several profiles may be opened together, but only one file of another kind. */
static int check_operands(const struct options *o, struct error *err)
{
    for (size_t i = 0; o->noperands > 1 && i < o->noperands; i++) {
        static const char *const names[] = {[SUBJECT_SESSION] = "session",
                                            [SUBJECT_TRACES] = "folder",
                                            [SUBJECT_CAPTURES] = "folder of captures",
                                            [SUBJECT_CODE] = "code object",
                                            [SUBJECT_JOB] = "folder of a job",
                                            [SUBJECT_HANG] = "dump of a hang"};
        const enum subject_kind kind = subject_recognise(o->operands[i]);
        if (kind != SUBJECT_PROFILE)
            return error_set(err, ERROR_USAGE, EINVAL, "open one file at a time", o->operands[i],
                             "a %s among several files", names[kind]);
    }
    return 0;
}

/* Tells the app the command that a folder of `rooftop gpu profile` was made with, quoted for a
 * shell. */
static void show_command(struct screen *s, const char *folder)
{
    struct error ignored = ERROR_INIT;
    struct gpu_run run = {0};
    char *text = NULL;
    size_t len = 0;
    FILE *f = gpu_run_is(folder) && gpu_run_read(&run, folder, &ignored) == 0 && run.argv
                  ? open_memstream(&text, &len)
                  : NULL;
    for (const char **word = f ? run.argv : NULL; word && *word; word++) {
        fputs(word == run.argv ? "" : " ", f);
        shell_word(f, *word);
    }
    if (f)
        fclose(f);
    app_set_command(s->app, text);
    free(text);
    gpu_run_free(&run);
}

/* Shows s->profile, which may have been opened later than the screen. */
static void show_profile(struct screen *s, const struct options *o)
{
    app_set_profile(s->app, s->profile);
    app_set_opened(s->app, s->opened);
    if (s->att)
        app_set_att(s->app, s->att);
    if (!s->profile)
        return;
    show_command(s, o->operands[0]);
}

void screen_replace_opened(struct screen *s, struct subject *opened)
{
    struct subject *before = s->opened;
    opened->reading = before->reading + 1;
    s->opened = opened;
    app_set_opened(s->app, opened);
    opening_subject_free(before);
}

/* Whether opening is over within PATIENCE_MS. */
static bool take_early(struct screen *s, struct opened *made, int *rc, struct error *err)
{
    if (!opening_wait(s->opening, PATIENCE_MS))
        return false;
    opening_take(s->opening, made, rc, err);
    opening_free(s->opening);
    s->opening = NULL;
    return true;
}

/* Takes over what was opened. */
static void take_opened(struct screen *s, const struct opened *made)
{
    s->profile = made->profile ? made->profile : s->profile;
    s->att = made->traces ? made->traces : s->att;
    s->opened = made->subject ? made->subject : s->opened;
}

/* Opens the files and waits, because a dump has only one picture. */
static int open_now(struct screen *s, const struct options *o, struct error *err)
{
    const enum subject_kind kind = subject_recognise(o->operands[0]);
    if (kind == SUBJECT_TRACES)
        return opening_traces(&s->att, o->operands[0], err);
    if (kind != SUBJECT_PROFILE)
        return opening_subject(&s->opened, o->operands[0], NULL, err);
    s->profile = xcalloc(1, sizeof *s->profile);
    s->profile->roofs = o->roofs;
    int rc =
        progress_analysis_open(s->profile, (const char *const *)o->operands, o->noperands, err);
    if (rc == 0)
        s->att = opening_traces_beside(o->operands[0]);
    return rc;
}

/* Opens the files on a thread: the dashboard does not wait for large ones. */
static int open_on_thread(struct screen *s, const struct options *o, struct error *err)
{
    struct opened made = {0};
    int rc = 0;
    s->opening = opening_start((const char *const *)o->operands, o->noperands, o->roofs, err);
    if (!s->opening)
        return -EAGAIN;
    if (take_early(s, &made, &rc, err))
        take_opened(s, &made);
    return rc;
}

/* Opens all but sessions: what is shown together with live data. */
static int open_screen_files(struct screen *s, const struct options *o, struct error *err)
{
    int rc = check_operands(o, err);
    if (rc != 0 || !o->noperands || screen_plays(o))
        return rc;
    rc = o->headless ? open_now(s, o, err) : open_on_thread(s, o, err);
    if (rc != 0)
        nearby_help(err, nearby_any);
    const bool job = o->noperands == 1 && subject_recognise(o->operands[0]) == SUBJECT_JOB;
    if (rc == 0 && !o->view && !app_set_view(s->app, job ? "ranks" : "summary", err))
        rc = -EINVAL;
    if (rc == 0)
        show_profile(s, o);
    return rc;
}

static void show_opening(struct screen *s)
{
    struct app_opening state;
    opening_look(s->opening, &state);
    app_set_opening(s->app, &state);
}

static void show_failure(struct screen *s, const struct error *err)
{
    struct app_opening state;
    opening_look(s->opening, &state);
    error_format(err, state.failed, sizeof state.failed);
    app_set_opening(s->app, &state);
}

static void play_recording(struct screen *s, struct recording *r)
{
    app_set_opened(s->app, s->opened);
    app_play(s->app, r);
    if (r->note)
        app_message(s->app, true, r->note);
}

int screen_play(struct screen *s, const struct options *o, struct error *err)
{
    struct opened made = {0};
    int rc = 0;
    if (!o->view && !app_set_view(s->app, "summary", err))
        return -EINVAL;
    s->opening = opening_start((const char *const *)o->operands, 1, NULL, err);
    if (!s->opening)
        return -EAGAIN;
    if (!take_early(s, &made, &rc, err)) {
        show_opening(s);
    } else if (rc == 0) {
        take_opened(s, &made);
        play_recording(s, made.session);
    }
    return rc;
}

int screen_opening(struct screen *s, const struct options *o, struct error *err)
{
    struct opened made = {0};
    int rc = 0;
    if (!s->opening)
        return 0;
    if (!opening_take(s->opening, &made, &rc, err)) {
        show_opening(s);
        return 0;
    }
    take_opened(s, &made);
    bool session = screen_plays(o);
    if (rc == -ECANCELED || rc == 0)
        app_set_opening(s->app, NULL);
    if (rc == -ECANCELED)
        app_message(s->app, false, "opening it was given up");
    else if (rc != 0)
        show_failure(s, err);
    else if (made.session)
        play_recording(s, made.session);
    else
        show_profile(s, o);
    opening_free(s->opening);
    s->opening = NULL;
    if (rc == 0 && o->run && run_commands(s, o->run, err) != 0) {
        char text[1024];
        app_message(s->app, true, error_format(err, text, sizeof text));
    }
    return session ? rc : 0;
}

static void add_capture_folder(struct replay_list_request *r, const char *path, size_t n)
{
    r->folders = xrealloc(r->folders, r->nfolders + 1, sizeof *r->folders);
    r->folders[r->nfolders] = xcalloc(n + 1, 1);
    memcpy(r->folders[r->nfolders++], path, n);
}

/* Tells the app the folders of captures, and where the history of replays is stored. */
static void set_replays(struct screen *s, const struct options *o)
{
    struct replay_list_request *r = &s->captures;
    r->readonly = o->readonly;
    r->ask = hsa_replay_host;
    for (const char *p = o->captures ? o->captures : ""; *p;) {
        size_t n = strcspn(p, "\n");
        add_capture_folder(r, p, n);
        p += n + (p[n] == '\n');
    }
    if (o->noperands == 1 && subject_recognise(o->operands[0]) == SUBJECT_CAPTURES) {
        add_capture_folder(r, o->operands[0], strlen(o->operands[0]));
        r->opened = o->operands[0];
    }
    app_set_captures(s->app, r, NULL);
    if (o->headless && state_dir(s->state_dir, sizeof s->state_dir, NULL))
        app_set_state_dir(s->app, s->state_dir);
    r->state_dir = s->state_dir;
}

/* Documents wait for the list of captures. */
static int read_replays(struct screen *s, struct error *err)
{
    const struct lister_task t = {.read = s->captures};
    s->replays = replay_lister_now(&t, err);
    app_set_captures(s->app, &s->captures, s->replays);
    return s->replays ? 0 : -EIO;
}

int screen_open(struct screen *s, const struct options *o, struct error *err)
{
    *s = (struct screen){0};
    canvas_init(&s->canvas);
    s->calls = call_feed_new(SCREEN_CALLS_BYTES);
    int rc = options_target(o, &s->target, err);
    if (rc == 0 && o->metrics)
        rc = user_tables_load(&s->tables, o->metrics, o->events != NULL, err);
    if (rc == 0)
        rc = theme_load(&s->theme, o->theme, err);
    if (rc == 0) {
        s->ascii = o->ascii || (!o->utf8 && !term_utf8());
        s->app = app_new(o->interval_s, s->ascii, o->theme);
        s->canvas.ascii = s->ascii;
        app_set_readonly(s->app, o->readonly);
        app_set_children(s->app, options_children(o->children));
        if (o->threads)
            app_set_threads(s->app);
        set_replays(s, o);
        app_set_file(s->app, (const char *const *)o->operands, o->noperands);
        rc = open_screen_files(s, o, err);
        if (rc == 0 && o->view && !app_set_view(s->app, o->view, err))
            rc = -EINVAL;
        if (o->headless)
            app_set_at_once(s->app);
        if (rc == 0 && run_syscalls_asked(s, o))
            run_syscalls_expect(s->app);
        app_set_presets(s->app, o->presets, o->npresets);
        if (rc == 0 && o->filter)
            rc = app_set_filter(s->app, o->filter, err);
        if (rc == 0 && o->run && !s->opening)
            rc = run_commands(s, o->run, err);
        if (rc == 0 && o->headless && views[app_view(s->app)]->captures)
            rc = read_replays(s, err);
        if (rc == 0 && s->opening)
            show_opening(s);
    }
    if (rc != 0)
        screen_close(s);
    return rc;
}

const struct replay_list *screen_replay_list(const struct screen *s)
{
    return views[app_view(s->app)]->captures ? s->replays : NULL;
}

const struct syscalls_snapshot *screen_syscalls(const struct screen *s)
{
    return app_syscalls(s->app);
}

void screen_close(struct screen *s)
{
    if (s->app)
        app_free(s->app);
    for (size_t i = 0; i < s->captures.nfolders; i++)
        free(s->captures.folders[i]);
    free(s->captures.folders);
    if (s->replays)
        replay_list_free(s->replays);
    free(s->replays);
    opening_free(s->opening);
    if (s->profile) {
        analysis_close(s->profile);
        free(s->profile);
    }
    opening_traces_free(s->att);
    opening_subject_free(s->opened);
    if (s->theme)
        theme_free(s->theme);
    if (s->tables)
        user_tables_free(s->tables);
    canvas_free(&s->canvas);
    call_feed_free(s->calls);
    target_free(&s->target);
    *s = (struct screen){0};
}

static enum callgraph callgraph_of(const char *name)
{
    if (!name)
        return CALLGRAPH_FP;
    if (strcmp(name, "dwarf") == 0)
        return CALLGRAPH_DWARF;
    return strcmp(name, "none") == 0 ? CALLGRAPH_NONE : CALLGRAPH_FP;
}

/* The view of functions needs sampling. */
static bool wants_sampling(const struct options *o)
{
    return o->functions || (o->view && strcmp(o->view, "functions") == 0) ||
           (o->headless && frame_is_stacks(frame_format_of(o->format)));
}

struct engine_config screen_engine(const struct screen *s, const struct options *o)
{
    return (struct engine_config){
        .target = s->target,
        .interval_s = app_interval(s->app),
        /* on or off; rate and call graph are also what a key turns sampling on with */
        .sampling = {.on = wants_sampling(o),
                     .hz = (double)o->sample_rate,
                     .callgraph = (uint8_t)callgraph_of(o->call_graph),
                     .patient = o->headless},
        .threads = {.on = app_threads_shown(s->app)},
        .only_target = o->headless && o->only && strcmp(o->only, "target") == 0,
        .user = s->tables,
        .roofs = o->roofs,
        .calls = s->calls,
    };
}

int screen_text(const struct canvas *c, char **text, size_t *len)
{
    FILE *f = open_memstream(text, len);
    if (!f)
        return -errno;
    int rc = render_text(f, c);
    if (fclose(f) != 0 && rc == 0)
        rc = -errno;
    return rc;
}
