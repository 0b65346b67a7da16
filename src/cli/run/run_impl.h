/* What the files of cli/run share among themselves. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "cli/options/options.h"
#include "cli/run/dashboard.h"
#include "cli/run/output.h"
#include "cli/run/progress_note.h"
#include "engine/analysis/analysis.h"
#include "engine/att/att_digest.h"
#include "engine/compare/run.h"
#include "engine/live/engine.h"
#include "engine/live/snapshot.h"
#include "engine/live/user_tables.h"
#include "engine/session/recording.h"
#include "engine/session/session.h"
#include "engine/summary/subject.h"
#include "engine/syscalls/snapshot/watch.h"
#include "engine/replay/replay_list.h"
#include "tui/app/app.h"
#include "tui/app/app_opening.h"
#include "tui/canvas/theme.h"

/* Captures that are requested on the screen: rooftop --capture -- COMMAND. */
struct dashboard_capture;

/* Call it while there is one thread. *out stays NULL if --capture was not given. */
int dashboard_capture_open(struct dashboard_capture **out, const struct options *o,
                           struct error *err);
/* Requests what app_capture describes. */
void dashboard_capture_ask(struct dashboard_capture *c, struct app *app);
/* Tells the app about progress; returns whether the picture changed. In both functions c may be
 * NULL. */
bool dashboard_capture_poll(struct dashboard_capture *c, struct app *app);
void dashboard_capture_close(struct dashboard_capture *c);

/*
 * What the dashboard and its headless form share: target, tables, theme and app, set up as the
 * options say.
 */

/* Bytes for traced calls between two samples: 209,715 of them. */
enum { SCREEN_CALLS_BYTES = 8 << 20 };

struct screen {
    struct target target;
    struct user_tables *tables; /* NULL: the user has none */
    struct theme *theme;
    struct app *app;
    struct att_set *att;      /* NULL: no thread traces are open */
    struct analysis *profile; /* NULL: no profile was given, or it is still being opened */
    struct subject *opened;   /* NULL: no file of another kind was given */
    struct opening *opening;  /* NULL: nothing is being opened */
    struct replay_list_request captures; /* the folders of --captures */
    char state_dir[192];                 /* where the history of replays is; "": nowhere */
    struct replay_list *replays;         /* what is there, for documents; NULL: not asked for */
    struct call_feed *calls; /* system calls that are traced, on their way to the tree */
    struct canvas canvas;
    bool ascii;
    unsigned asked; /* enum app_request that --run left to the loop that drives the app */
};

/* Checks and loads everything the options name. Does not use the terminal or open counters. */
int screen_open(struct screen *s, const struct options *o, struct error *err);
/* Begins to open the session that the operand names; it is played once it is open. 0 or -errno. */
int screen_play(struct screen *s, const struct options *o, struct error *err);
/* Shows another reading of what is open, which must be something. Takes it over. */
void screen_replace_opened(struct screen *s, struct subject *opened);
/* Call it when opening_fd is readable: shows the progress, the opened files, or the error. If a
 * session cannot be opened, returns -errno, because there is nothing else to show. When opening is
 * over, runs the commands of --run and leaves requests in s->asked. */
int screen_opening(struct screen *s, const struct options *o, struct error *err);
/* Whether the operand is a session to play. A folder has thread traces; other files are
 * profiles. */
bool screen_plays(const struct options *o);
/* The list of captures, if their view is shown: then documents contain it; else NULL. */
const struct replay_list *screen_replay_list(const struct screen *s);
/* The picture of system calls, if their view is shown: then documents contain it; else NULL. */
const struct syscalls_snapshot *screen_syscalls(const struct screen *s);
void screen_close(struct screen *s);
struct engine_config screen_engine(const struct screen *s, const struct options *o);
/* The picture of the app as text. The caller frees *text with free(). */
int screen_text(const struct canvas *c, char **text, size_t *len);

/* One dashboard from begin to end. opened receives the file of the opened folder that is to be
 * shown next, or "". Returns the exit status. */
enum { DASHBOARD_PATH = 4200 };
int dashboard_once(struct options *o, dashboard_fill *fill, const void *what,
                   char opened[DASHBOARD_PATH]);

/* The command :event of the dashboard: counts another event while it runs. */

/*
 * Adds app_event to the events of the screen's target, or takes all added ones away ("off"), and
 * says so in the footer. "ports" stands for the sets of ports. The event is opened once before: a
 * wrong name or a missing right changes nothing and is told. live: an engine is running. Returns
 * whether the target must be attached to again.
 */
bool dashboard_count_event(struct screen *s, bool live);

/* The key w of the dashboard: writes what is shown to files. */

/* Writes the picture, its numbers and the past to the app's path, or one of them if the path has
 * its ending. A message in the footer says what was written, or why not. */
void dashboard_write(struct screen *s);
/* The command :save of the dashboard: keeps the theme, keys that were bound while it ran, and the
 * boxes as a preset that app_path names, in the configuration. A message says in which file, or
 * which lines to write there. */
void dashboard_save(struct screen *s, const struct options *o);
/* Writes the SVG picture of the shown view: the flame graph, tree, timeline, path or roofline that
 * it shows, else the screen. 0 or -errno with err. */
int dashboard_svg(FILE *out, struct screen *s, struct error *err);

/*
 * Writes a snapshot in the form that --format asks for.
 */

/* FRAME_SESSION is what rooftop record writes; --format cannot choose it. */
enum frame_format {
    FRAME_TEXT,
    FRAME_JSON,
    FRAME_JSONL,
    FRAME_CSV,
    FRAME_ANSI,
    FRAME_SVG,
    FRAME_FOLDED,
    FRAME_SPEEDSCOPE,
    FRAME_PPROF,
    FRAME_OPENMETRICS,
    FRAME_BRIEF, /* --brief: one document, with the last frame */
    FRAME_SESSION
};

struct frames {
    enum frame_format format;
    enum color_depth depth; /* for ANSI */
    bool several;           /* JSON: the frames are an array in one object */
    long written;
    struct screen *screen;
    struct output *out;
    const struct options *options; /* of FRAME_BRIEF */
    /* runs of the command, written with the last frame; NULL: none has ended */
    const struct runs *runs;
    const struct hot_stacks
        *whole;             /* of a format of stacks: the samples of a file; NULL: sum them up */
    struct hot_sum *stacks; /* the same: sum over all frames so far; the caller frees it */
    struct session_writer *session; /* for FRAME_SESSION; else NULL */
};

/* name: a choice of --format; NULL = text. */
enum frame_format frame_format_of(const char *name);
/* Whether the format is a stream of records, which may be appended to and followed; other formats
 * are documents. */
bool frame_is_stream(enum frame_format f);
/* Whether the format has call stacks only: those of all frames are added. */
bool frame_is_stacks(enum frame_format f);
/* Formats s and writes it with one write. Of several frames, SVG shows the last with the earlier
 * ones in its graphs, folded stacks are the sum of all, and a file of OpenMetrics is replaced by
 * each. */
int frames_write(struct frames *f, const struct snapshot *s, bool last, struct error *err);
/* Writes the short answer: of the opened profile, of the command's runs, or of the snapshot. */
void headless_brief(FILE *out, const struct frames *f, const struct snapshot *s,
                    const struct options *o);
/* Writes the end of the document. */
int frames_end(struct frames *f, struct error *err);

/*
 * Opens profiles, sessions and thread traces on a thread, so that the screen is there at once and
 * can be left at any time. The result is handed over when it is complete.
 */
struct opening;
struct opened { /* owned by the caller; all NULL: opening failed */
    struct analysis *profile;
    struct recording *session;
    struct att_set *traces;  /* alone, or together with a profile */
    struct subject *subject; /* what a session, captures or a code object say; NULL: a profile */
};

/* Opens the thread traces of a folder, and those that belong to the folder of `rooftop gpu
 * profile`. *out is NULL if there are none, or on failure with err. Free them with
 * opening_traces_free. */
int opening_traces(struct att_set **out, const char *folder, struct error *err);
struct att_set *opening_traces_beside(const char *profile);
void opening_traces_free(struct att_set *traces); /* may be NULL */
/* Opens captures or a code object; of a session that is open, finds what it says. *out is NULL on
 * failure. Free it with opening_subject_free. */
int opening_subject(struct subject **out, const char *path, struct recording *session,
                    struct error *err);
void opening_subject_free(struct subject *s); /* may be NULL */

/* Starts opening profiles, or a file of another kind (engine/summary/subject.h). Copies the paths.
 * roofs: as in struct analysis. NULL with err: no thread could be started. */
struct opening *opening_start(const char *const *paths, size_t n, const char *roofs,
                              struct error *err);
/* Gives up what is not complete; the thread frees it. o may be NULL. */
void opening_free(struct opening *o);
int opening_fd(const struct opening *o); /* readable when there is progress, a few times a second */
/* waits at most ms; returns whether opening is over */
bool opening_wait(struct opening *o, int ms);
void opening_give_up(struct opening *o);
/* If opening is over, returns true: the caller owns what is in *out, or it is empty, with err and
 * *rc < 0. Otherwise returns false and leaves out and err alone. Makes opening_fd unreadable. */
bool opening_take(struct opening *o, struct opened *out, int *rc, struct error *err);
/* The progress so far. */
void opening_look(struct opening *o, struct app_opening *out);

/* rooftop record: writes samples to a session file. */

struct recorder {
    struct session_writer *session;
    char path[4096];
    uint64_t began_ns;
    struct progress_note note;
    bool quiet;                  /* a command runs, which may write to the terminal */
    int answer_fd;               /* where the short answer goes */
    uint64_t samples, dropped;   /* written; of them, dropped for --max-size */
    const struct snapshot *last; /* the last sample; NULL: none yet */
    bool silent;                 /* the caller says what was written */
};
/* Creates the session that the options name. */
int record_open(struct recorder *r, const struct options *o, struct error *err);
/* Keeps the sample that was written (NULL: none yet), and shows on a terminal how far it is. */
void record_show(struct recorder *r, const struct snapshot *s, uint64_t samples);
/* Closes the session and says what was written. rc: of what was done until now. */
int record_close(struct recorder *r, const struct options *o, int rc, struct error *err);

/* Traces the watched program for the view of system calls: what the dashboard and its headless form
 * share. */

/* Whether the options ask for a trace from the start: --view syscalls, of a command or processes.
 */
bool run_syscalls_asked(const struct screen *s, const struct options *o);
/* Gives the app an empty picture, so that the view can be used before the trace has begun. */
void run_syscalls_expect(struct app *app);
/* Makes the engine wait, before it executes the command, until w traces it. */
void run_syscalls_before(struct engine_config *config, struct syscalls_watch *w);
/* Begins, or ends, as the app asks; a failure is a message. */
void run_syscalls_obey(struct syscalls_watch *w, struct app *app);
/* Lets the program go and waits for it: a stopped rooftop reads nothing. w may be NULL. */
void run_syscalls_pause(struct syscalls_watch *w);
/* Begins to trace the processes of -p. */
int run_syscalls_attach(struct syscalls_watch *w, const struct target *t, struct error *err);
/* Gives the app a new picture; ends the trace when its view is left. True: the app changed. */
bool run_syscalls_poll(struct syscalls_watch *w, struct app *app);

/* The summary at the end of rooftop -- COMMAND, of one run or of all. */

/* Prints the means of several runs with their spread (standard deviation; for times the 95 %
 * interval of the mean). Prints nothing if no run has ended. */
void summary_text(FILE *out, const struct runs *runs, bool ascii);
