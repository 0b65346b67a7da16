/*
 * The interactive program without a terminal: keys in, canvas out. The terminal loop
 * (cli/run/dashboard.c with tui/term/term.c), headless rendering and the tests drive it alike.
 */
#pragma once

#include "base/error.h"
#include "engine/session/recording.h"
#include "tui/input/presets.h"
#include "tui/model/view.h"

struct app;
struct app_cost;

/* What the app asks of the loop that drives it: a bit set. */
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
    APP_GIVE_UP = 1 << 18,  /* stop opening the file */
    APP_CAPTURE = 1 << 19,  /* capture the next dispatch that matches app_capture */
    APP_CHILDREN = 1 << 21, /* app_children changed: attach to the same processes again */
    APP_CONTROL = 1 << 20,  /* do to processes what app_control says */
    APP_EVENT = 1 << 23,    /* count app_event too */
    APP_SAVE = 1 << 24,     /* keep settings in the configuration: app_theme, app_path */
    APP_HOST = 1 << 25,     /* open app_host in a rooftop there */
    APP_OPEN = 1 << 26,     /* open app_open_key, a file of the opened folder */
    APP_SYSCALLS = 1 << 22, /* trace the watched processes, or let them go: app_tracing */
};

/* What to do to processes, once the user agreed. */
enum { APP_CONTROL_MAX = 64 };
struct app_control {
    enum { APP_CONTROL_NOTHING, APP_CONTROL_SIGNAL, APP_CONTROL_NICE } kind;
    struct app_controlled {
        pid_t pid;
        uint64_t start_ticks; /* with pid it identifies the process: pids are reused */
        int value;            /* the signal, or the nice value */
        char name[32];
    } of[APP_CONTROL_MAX];
    size_t n;
    bool agreed;
};

/*
 * Creates the app. interval_s: the sampling interval in seconds; theme: the name of a theme. Free
 * it with app_free.
 */
struct app *app_new(double interval_s, bool ascii, const char *theme);
void app_free(struct app *a);
/* Names the opened files for the title: a session, profiles, or a folder. Copies what it needs. */
void app_set_file(struct app *a, const char *const *paths, size_t n);
/* Plays a session file from its first frame on, in place of live data. Takes ownership of r. */
void app_play(struct app *a, struct recording *r);
/*
 * Shows the last frame of a session file, with the graphs before it, and does not play. r stays the
 * caller's and must live longer than a.
 */
void app_lend(struct app *a, struct recording *r);
/* Milliseconds until the next frame is due while playing; -1 if it does not play. */
int app_due_ms(const struct app *a);
/* Advances playing by the seconds that really passed. Returns a set of enum app_request. */
unsigned app_elapsed(struct app *a, double seconds);
/* Moves the cursor of time: "-30s", "+5m", "12:03:10", "40%", "end". */
int app_seek(struct app *a, const char *where, struct error *err);
/* The recorded past, to write it to a file. It stays the app's. */
struct recording *app_past(const struct app *a);
/* Bytes of memory that the past takes; 0 for a session file. */
size_t app_past_bytes(const struct app *a);
/* The driving loop notes here what showing costs. app_view is the index of the shown view there. */
struct app_cost *app_cost(struct app *a);
int app_view(const struct app *a);
/* The snapshot that is shown; NULL before the first one. */
const struct snapshot *app_shown(const struct app *a);
/* The newest snapshot, also while an older one is shown; NULL before the first one. */
const struct snapshot *app_newest(const struct app *a);
/*
 * Gives the app the next snapshot, of which it takes a reference of its own, and adds it to the
 * series. While the app is paused, the snapshot is kept but not shown.
 */
void app_update(struct app *a, const struct snapshot *s);
/* Handles a key or mouse event. Returns a set of enum app_request. */
unsigned app_key(struct app *a, const struct key_event *ev);
/*
 * Draws everything: tab bar, view, footer, overlays. On a canvas below 40x10 it only draws the size
 * that it needs.
 */
void app_draw(struct app *a, struct canvas *c);
/* Shows a view by its name. Returns false and fills err if no view has that name. */
bool app_set_view(struct app *a, const char *name, struct error *err);
/* What the app keeps for a view of the table, for the functions of that view's folder. */
struct view_state *app_view_state(struct app *a, const struct view_ops *v);
/*
 * Filters the rows of the current view (engine/value/query.h). A malformed filter changes nothing
 * and fills err.
 */
int app_set_filter(struct app *a, const char *text, struct error *err);
/* Shows a message in the footer until the next key. */
void app_message(struct app *a, bool error, const char *text);

/* Long work that a key starts asks w whether the user cancelled it. w is borrowed; NULL: never. */
struct watch;
void app_set_watch(struct app *a, const struct watch *w);
/* With --readonly, keys and commands that write, attach or start something are refused. */
void app_set_readonly(struct app *a, bool readonly);
bool app_readonly(const struct app *a);
/* Thread traces to show, borrowed. */
struct att_set;
void app_set_att(struct app *a, const struct att_set *att);
/* Shows a comparison in its view. k and its files are borrowed. */
struct shown_comparison;
void app_compare(struct app *a, const struct shown_comparison *k);
/* Many hosts have their view now, which is only shown when the user chooses it; or it is shown. run
 * is borrowed. */
struct fleet_run;
void app_offer_fleet(struct app *a, struct fleet_run *run);
void app_set_fleet(struct app *a, struct fleet_run *run);
struct fleet_run *app_fleet(const struct app *a); /* NULL: none */
/* For APP_HOST: its number in the fleet. */
int app_host(const struct app *a);
/* A profile to show in place of the bricks of running programs, borrowed. */
struct analysis;
void app_set_profile(struct app *a, const struct analysis *profile);
/* A file of another kind, for its summary (engine/summary/subject.h), borrowed. */
struct subject;
void app_set_opened(struct app *a, const struct subject *opened);
/* The samples that app_update gets are those of a recording. */
void app_set_playback(struct app *a);
/* Why no kernel of the target can be captured now; NULL if one can. The text is copied. */
void app_set_capture(struct app *a, const char *why_not);
/*
 * The kernels that the watched program has launched so far (engine/capture/capturer.h), borrowed
 * until the next call.
 */
struct capturer_kernel;
void app_set_launched(struct app *a, const struct capturer_kernel *rows, size_t n);
/* Where to look for captures; and what was found there, for documents, NULL if the view looks
 * itself. Both are borrowed. */
struct replay_list;
struct replay_list_request;
void app_set_captures(struct app *a, const struct replay_list_request *where,
                      const struct replay_list *found);
/* A new capture was written. */
void app_captured(struct app *a);
/* The command that the profile was recorded from, quoted for a shell; copied. NULL: unknown. */
void app_set_command(struct app *a, const char *command);
/* The folder for state that outlives the program (the typed commands); NULL: keep none. */
void app_set_state_dir(struct app *a, const char *dir);
/*
 * Runs commands as typed after ':', separated by ';'. Returns a set of enum app_request. If one
 * fails, err is filled and the ones after it are not run.
 */
unsigned app_command(struct app *a, const char *line, struct error *err);

/* The user's presets, which come before the built-in ones; borrowed. */
void app_set_presets(struct app *a, const struct preset *presets, size_t n);

/* The sampling interval in seconds. */
double app_interval(const struct app *a);
void app_set_theme(struct app *a, const char *name);
/* Sets the interval to show, for example that of a played session. */
void app_set_interval(struct app *a, double seconds);
/*
 * Writes the processes whose threads were on the screen at the last draw. Returns true if they
 * changed since the last call.
 */
bool app_threads_wanted(struct app *a, struct thread_wish *out);
/* Shows threads as rows from the start; app_threads_shown tells whether they are shown. */
void app_set_threads(struct app *a);
bool app_threads_shown(const struct app *a);
/* For APP_CONTROL: what to do to which processes. */
const struct app_control *app_control(const struct app *a);
/* Which children of the watched processes are watched too. */
void app_set_children(struct app *a, enum target_children which);
enum target_children app_children(const struct app *a);
/* For APP_EVENT: the name of an event, or "off". */
const char *app_event(const struct app *a);
/* For APP_ATTACH: the process to watch; 0 is the whole host. */
pid_t app_attach_pid(const struct app *a);
const char *app_open_key(const struct app *a);
/* Shows a view with the cursor on the row with this key, as it was left. */
bool app_choose_row(struct app *a, const char *view, const char *key, struct error *err);
/*
 * A descriptor that becomes readable when a background job is done. Call app_job_done then, which
 * returns a set of enum app_request.
 */
int app_job_fd(struct app *a);
unsigned app_job_done(struct app *a);
/* For use without a screen: reads on the calling thread what fills the shown view. Call it after
 * app_set_view. */
void app_set_at_once(struct app *a);
/* For APP_SYSCALLS: whether to trace the watched processes. */
bool app_tracing(const struct app *a);
/* Gives the views a picture of the live trace; takes over the reference. */
void app_set_syscalls(struct app *a, const struct syscalls_snapshot *p);
/* The system calls that the view shows, live or of a file; NULL: it shows none. */
const struct syscalls_snapshot *app_syscalls(struct app *a);
/* Whether the shown view is one of system calls. beside: also true for a view that shows them
 * beside other things, so that a live trace goes on. */
bool app_shows_calls(const struct app *a, bool beside);
/* The live trace has ended; says why. */
void app_end_tracing(struct app *a, const char *why);
/* For APP_SAMPLING: whether to sample call stacks. */
bool app_sampling(const struct app *a);
/* For APP_SAVE: the boxes of the shown view as a preset has them: "overview: cpu processes".
 * app_path is the name that the preset gets; "": none is wanted. */
const char *app_boxes_text(const struct app *a, char *out, size_t size);
/* For APP_WRITE, APP_CAPTURE and APP_THEME: the path, the expression, the theme. */
const char *app_path(const struct app *a);
const char *app_capture(const struct app *a);
const char *app_theme(const struct app *a);
/* For APP_COPY: the text. */
const char *app_copied(const struct app *a);
bool app_ascii(const struct app *a);
