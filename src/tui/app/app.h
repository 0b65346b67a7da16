/*
 * The interactive program without a terminal: keys in, canvas out. The terminal loop
 * (cli/run/dashboard.c with tui/term/term.c), headless rendering and the tests drive it alike.
 */
#ifndef ROOFTOP_TUI_APP_APP_H
#define ROOFTOP_TUI_APP_APP_H

#include "base/error.h"
#include "engine/session/recording.h"
#include "tui/input/presets.h"
#include "tui/model/view.h"

struct app;
struct app_cost;

/* What the app asks of the loop that drives it; a bit set returned by app_key. */
enum app_request {
    APP_REDRAW = 1 << 0, /* the picture changed */
    APP_QUIT = 1 << 1,
    APP_INTERVAL = 1 << 2, /* app_interval changed */
    APP_ATTACH = 1 << 3,   /* app_attach_pid was chosen; 0 = the host */
    APP_WRITE = 1 << 4,    /* write picture and snapshot to app_path */
    APP_SAVE_OUTPUT = 1 << 5,
    APP_THEME = 1 << 6,     /* app_theme changed */
    APP_ASCII = 1 << 7,     /* app_ascii changed */
    APP_REPAINT = 1 << 8,   /* clear the terminal and draw all */
    APP_COPY = 1 << 9,      /* app_copied to the clipboard */
    APP_SAMPLING = 1 << 16, /* app_sampling changed */
    APP_RELOAD = 1 << 17,   /* read the configuration again */
    APP_GIVE_UP = 1 << 18,  /* what is being opened */
    APP_CAPTURE = 1 << 19,  /* the next dispatch that matches app_capture */
    APP_CHILDREN = 1 << 21, /* app_children changed: watch the same processes anew */
    APP_CONTROL = 1 << 20,  /* what app_control says is to be done to a process */
};

/* What to do to processes, agreed to by the user. */
enum { APP_CONTROL_MAX = 64 };
struct app_control {
    enum { APP_CONTROL_NOTHING, APP_CONTROL_SIGNAL, APP_CONTROL_NICE } kind;
    struct app_controlled {
        pid_t pid;
        uint64_t start_ticks; /* who it is, beside its number */
        int value;            /* the signal, or the nice value */
        char name[32];
    } of[APP_CONTROL_MAX];
    size_t n;
    bool agreed;
};

struct app *app_new(double interval_s, bool ascii, const char *theme);
void app_free(struct app *a);
/* What was opened, for the title: a session, profiles, a folder. */
void app_set_file(struct app *a, const char *const *paths, size_t n);
/* Shows a session file instead of what is live: from its first frame on, playing. Takes r. */
void app_play(struct app *a, struct recording *r);
/* The same, at its last frame, where graphs hold what was before; not playing. r is lent, and lives
 * longer than a. */
void app_lend(struct app *a, struct recording *r);
/* Milliseconds until playing shows its next frame, -1 = it does not play. */
int app_due_ms(const struct app *a);
/* Moves playing on by what really passed. */
unsigned app_elapsed(struct app *a, double seconds);
/* Moves the cursor: "-30s", "+5m", "12:03:10", "40%", "end". */
int app_seek(struct app *a, const char *where, struct error *err);
/* The past, for writing it; lent. And the snapshot that is shown, NULL before the first. */
struct recording *app_past(const struct app *a);
size_t app_past_bytes(const struct app *a); /* of memory; 0 for a file */
/* Where the driver notes what showing costs; and the view that is shown, as an index there. */
struct app_cost *app_cost(struct app *a);
int app_view(const struct app *a);
const struct snapshot *app_shown(const struct app *a);
/* Gives it the next snapshot; takes its own reference. Also feeds the history. Paused: kept, not
 * shown. */
void app_update(struct app *a, const struct snapshot *s);
unsigned app_key(struct app *a, const struct key_event *ev);
/* Draws all: tab bar, view, footer, overlays. Below 40x10 says the size it needs (rooftop serves
 * 80x24 up). */
void app_draw(struct app *a, struct canvas *c);
/* false with err where no view has that name. */
bool app_set_view(struct app *a, const char *name, struct error *err);
/* Shows the rows of the current view that match (engine/value/query.h); a mistake leaves all as it
 * is. */
int app_set_filter(struct app *a, const char *text, struct error *err);
/* shown in the footer until the next key */
void app_message(struct app *a, bool error, const char *text);

/* Nothing is written, attached to or started (--readonly); and: what is shown is a recording. */
/* Of what a key starts and takes long; lent. NULL: nobody gives up. */
struct watch;
void app_set_watch(struct app *a, const struct watch *w);
void app_set_readonly(struct app *a, bool readonly);
bool app_readonly(const struct app *a);
void app_set_playback(struct app *a, bool playback);
/* Thread traces to show, borrowed. */
struct att_set;
void app_set_att(struct app *a, const struct att_set *att);
/* A profile to show instead of what instrumented programs do, borrowed. */
struct analysis;
void app_set_profile(struct app *a, const struct analysis *profile);
/* Why kernels of what is watched cannot be captured now; NULL: they can. */
void app_set_capture(struct app *a, const char *why_not);
/* The kernels that the watched program has launched so far (engine/capture/capturer.h): borrowed
 * until the next call. */
struct capturer_kernel;
void app_set_launched(struct app *a, const struct capturer_kernel *rows, size_t n);
/* The command that the profile is of, as a shell takes it; copied. NULL: not known. */
void app_set_command(struct app *a, const char *command);
/* Where state is kept from session to session (the history of commands); NULL: nowhere. */
void app_set_state_dir(struct app *a, const char *dir);
/* Commands as typed after ':', separated by ';'. A set of enum app_request; err is filled where
 * one fails, and those after it are not run. */
unsigned app_command(struct app *a, const char *line, struct error *err);

/* The user's own, before the built-in ones; borrowed. */
void app_set_presets(struct app *a, const struct preset *presets, size_t n);

double app_interval(const struct app *a);
void app_set_theme(struct app *a, const char *name);
void app_set_interval(struct app *a, double seconds); /* as shown: of what is played */
/* Of which processes threads are on the screen, as drawn last: true where that changed since the
 * last call. */
bool app_threads_wanted(struct app *a, struct thread_wish *out);
/* Threads of processes as rows, from the start; and whether they are. */
void app_set_threads(struct app *a);
bool app_threads_shown(const struct app *a);
const struct app_control *app_control(const struct app *a);
/* Which of what watched processes start is watched too. */
void app_set_children(struct app *a, enum target_children which);
enum target_children app_children(const struct app *a);
pid_t app_attach_pid(const struct app *a);
/* Readable when a job in the background is done: then app_job_done, which returns requests. */
int app_job_fd(struct app *a);
unsigned app_job_done(struct app *a);
/* What is asked of the sampler. */
const struct sampling *app_sampling(const struct app *a);
const char *app_path(const struct app *a);
const char *app_capture(const struct app *a);
const char *app_theme(const struct app *a);
/* Where captures are looked for (borrowed), and who is asked whether this host can replay them. */
struct replay_list;
struct replay_host;
void app_set_replays(struct app *a, char **folders, size_t n, void (*ask)(struct replay_host *out));
/* A new capture was written: the list is read again. */
void app_captured(struct app *a);
/* Reads their list in place: for documents that nobody waits for. */
int app_replay_read_now(struct app *a, struct error *err);
const struct replay_list *app_replay_list(const struct app *a); /* NULL: not read */
const char *app_copied(const struct app *a);
bool app_ascii(const struct app *a);

#endif
