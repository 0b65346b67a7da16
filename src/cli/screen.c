#include "cli/screen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backends/replay_child/host.h"
#include "base/arena.h"
#include "base/state_dir.h"
#include "cli/opening.h"
#include "cli/progress.h"
#include "cli/shell_word.h"
#include "engine/analysis.h"
#include "engine/att_digest.h"
#include "engine/gpu_run.h"
#include "engine/session.h"
#include "tui/render.h"
#include "tui/term.h"
#include "tui/view.h"

enum { PATIENCE_MS = 200 }; /* a file that takes less is there with the first picture */
enum { TRACES_MAX = 16 };   /* dispatches shown of a folder */

/* --run: what it asks of us is done here, but for what needs an engine or a terminal. */
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

/* Of thread traces: one that a reader of profiles takes is a profile. */
static bool is_folder(const struct options *o)
{
    struct stat st;
    return o->noperands && stat(o->operands[0], &st) == 0 && S_ISDIR(st.st_mode) &&
           !trace_folder(o->operands[0]);
}

bool screen_plays(const struct options *o)
{
    return o->noperands && !is_folder(o) && !trace_folder(o->operands[0]) &&
           session_recognise(o->operands[0]);
}

/* Profiles are read together; of sessions and folders there is one. */
static int check_operands(const struct options *o, struct error *err)
{
    for (size_t i = 0; o->noperands > 1 && i < o->noperands; i++) {
        struct stat st;
        bool folder =
            stat(o->operands[i], &st) == 0 && S_ISDIR(st.st_mode) && !trace_folder(o->operands[i]);
        if (folder || session_recognise(o->operands[i]))
            return error_set(err, ERROR_USAGE, EINVAL, "open one file at a time", o->operands[i],
                             "a %s among several files", folder ? "folder" : "session");
    }
    return 0;
}

/* The thread trace of a run of rooftop profile: it only adds to the profile. */
static void open_beside(struct screen *s, const char *folder)
{
    struct error ignored = ERROR_INIT;
    struct stat st;
    char path[4200];
    snprintf(path, sizeof path, "%.4000s/att", folder);
    if (!trace_folder(folder) || stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return;
    s->att = xcalloc(1, sizeof *s->att);
    if (att_set_open(s->att, path, TRACES_MAX, &ignored) == 0) {
        app_set_att(s->app, s->att);
        return;
    }
    att_set_free(s->att);
    free(s->att);
    s->att = NULL;
}

/* The command of a folder of `rooftop profile`, as a shell takes it. */
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

/* s->profile, which is there now or comes later. */
static void show_profile(struct screen *s, const struct options *o)
{
    struct error ignored = ERROR_INIT;
    app_set_profile(s->app, s->profile);
    if (!s->profile)
        return;
    open_beside(s, o->operands[0]);
    show_command(s, o->operands[0]);
    /* who chose no view sees where the time of devices went, if there are any */
    if (!o->view && s->profile->kernels.total.device &&
        strcmp(views[app_view(s->app)]->name, "tree") == 0)
        app_set_view(s->app, "kernels", &ignored);
    if (s->profile->trace.nnotes)
        app_message(s->app, true, s->profile->trace.notes[0]);
}

/* Whether it is over within PATIENCE_MS. */
static bool take_early(struct screen *s, struct opened *made, int *rc, struct error *err)
{
    if (!opening_wait(s->opening, PATIENCE_MS))
        return false;
    opening_take(s->opening, made, rc, err);
    opening_free(s->opening);
    s->opening = NULL;
    return true;
}

/* Profiles too stand beside what is live. The dashboard does not wait for large ones. */
static int open_profile(struct screen *s, const struct options *o, struct error *err)
{
    const char *const *paths = (const char *const *)o->operands;
    int rc = 0;
    if (o->headless) {
        s->profile = xcalloc(1, sizeof *s->profile);
        s->profile->roofs = o->roofs;
        rc = progress_analysis_open(s->profile, paths, o->noperands, err);
    } else {
        s->opening = opening_start(paths, o->noperands, o->roofs, err);
        if (!s->opening)
            return -EAGAIN;
        struct opened made = {0};
        if (take_early(s, &made, &rc, err))
            s->profile = made.profile;
    }
    if (rc != 0)
        return rc;
    if (!o->view && !app_set_view(s->app, "tree", err))
        return -EINVAL;
    show_profile(s, o);
    return 0;
}

/* Thread traces stand beside what is live, and come first. */
static int open_traces(struct screen *s, const struct options *o, struct error *err)
{
    int rc = check_operands(o, err);
    if (rc == 0 && !is_folder(o))
        rc = o->noperands && !screen_plays(o) ? open_profile(s, o, err) : 0;
    if (rc != 0 || !is_folder(o))
        return rc;
    s->att = xcalloc(1, sizeof *s->att);
    rc = att_set_open(s->att, o->operands[0], TRACES_MAX, err);
    if (rc != 0)
        return rc;
    app_set_att(s->app, s->att);
    return o->view || app_set_view(s->app, "att", err) ? 0 : -EINVAL;
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

static void play(struct screen *s, struct recording *r)
{
    app_play(s->app, r);
    if (r->note)
        app_message(s->app, true, r->note);
}

int screen_play(struct screen *s, const struct options *o, struct error *err)
{
    struct opened made = {0};
    int rc = 0;
    s->opening = opening_start((const char *const *)o->operands, 1, NULL, err);
    if (!s->opening)
        return -EAGAIN;
    if (!take_early(s, &made, &rc, err))
        show_opening(s);
    else if (rc == 0)
        play(s, made.session);
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
    s->profile = made.profile ? made.profile : s->profile;
    bool session = screen_plays(o);
    if (rc == -ECANCELED || rc == 0)
        app_set_opening(s->app, NULL);
    if (rc == -ECANCELED)
        app_message(s->app, false, "opening the profile was given up");
    else if (rc != 0)
        show_failure(s, err);
    else if (made.session)
        play(s, made.session);
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

/* Folders of captures; and where what came of replays is kept. */
static void set_replays(struct screen *s, const struct options *o)
{
    char dir[192];
    for (const char *p = o->captures ? o->captures : ""; *p;) {
        size_t n = strcspn(p, "\n");
        s->captures = xrealloc(s->captures, s->ncaptures + 1, sizeof *s->captures);
        s->captures[s->ncaptures] = xcalloc(n + 1, 1);
        memcpy(s->captures[s->ncaptures++], p, n);
        p += n + (p[n] == '\n');
    }
    app_set_replays(s->app, s->captures, s->ncaptures, replay_child_host);
    if (o->headless && state_dir(dir, sizeof dir, NULL))
        app_set_state_dir(s->app, dir);
}

int screen_open(struct screen *s, const struct options *o, struct error *err)
{
    *s = (struct screen){0};
    canvas_init(&s->canvas);
    int rc = options_target(o, &s->target, err);
    if (rc == 0 && o->metrics)
        rc = user_tables_load(&s->tables, o->metrics, err);
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
        rc = open_traces(s, o, err);
        if (rc == 0 && o->view && !app_set_view(s->app, o->view, err))
            rc = -EINVAL;
        app_set_presets(s->app, o->presets, o->npresets);
        if (rc == 0 && o->filter)
            rc = app_set_filter(s->app, o->filter, err);
        if (rc == 0 && o->run && !s->opening)
            rc = run_commands(s, o->run, err);
        if (rc == 0 && o->headless && screen_replays(s))
            rc = app_replay_read_now(s->app, err);
        if (rc == 0 && s->opening)
            show_opening(s);
    }
    if (rc != 0)
        screen_close(s);
    return rc;
}

bool screen_replays(const struct screen *s)
{
    return strcmp(views[app_view(s->app)]->name, "replay") == 0;
}

void screen_close(struct screen *s)
{
    if (s->app)
        app_free(s->app);
    for (size_t i = 0; i < s->ncaptures; i++)
        free(s->captures[i]);
    free(s->captures);
    opening_free(s->opening);
    if (s->profile) {
        analysis_close(s->profile);
        free(s->profile);
    }
    if (s->att) {
        att_set_free(s->att);
        free(s->att);
    }
    if (s->theme)
        theme_free(s->theme);
    if (s->tables)
        user_tables_free(s->tables);
    canvas_free(&s->canvas);
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

/* Who looks at functions wants them sampled. */
static bool wants_sampling(const struct options *o)
{
    return o->functions || (o->view && strcmp(o->view, "functions") == 0) ||
           (o->headless && o->format && strcmp(o->format, "folded") == 0);
}

struct engine_config screen_engine(const struct screen *s, const struct options *o)
{
    return (struct engine_config){
        .target = s->target,
        .interval_s = app_interval(s->app),
        /* off or on, rate and call graph are what a key turns it on with */
        .sampling = {.on = wants_sampling(o),
                     .hz = (double)o->sample_rate,
                     .callgraph = (uint8_t)callgraph_of(o->call_graph),
                     .patient = o->headless},
        .threads = {.on = app_threads_shown(s->app)},
        .user = s->tables,
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
