/*
 * The contract of a view: it draws a snapshot and nothing else. Views neither compute nor sample.
 * Each view is a folder under views/ with a row in its view.def, which views/views.def includes.
 */
#pragma once

#include "engine/analysis/analysis.h"
#include "engine/live/live_series.h"
#include "engine/live/snapshot.h"
#include "engine/value/query.h"
#include "tui/canvas/canvas.h"
#include "tui/input/keys.h"
#include "tui/input/menu.h"

struct app;
struct confirm;
struct overlay_ops;
struct recording;
struct att_set;
struct subject;
struct shown_comparison;
struct replay_list;
struct replay_list_request;
struct capturer_kernel;
struct syscalls_snapshot;
struct procs_state;
struct fleet_run;
struct page;
struct watch;

/*
 * What a view may read. snap is NULL until the first sample; the view then draws its labels and
 * "…".
 */
struct model {
    const struct snapshot *snap;
    const struct snapshot *newest; /* the newest sample, also while snap is an older one */
    const struct live_series *series;
    struct recording *past;    /* samples of before, or the session that is shown; never NULL */
    double interval_s;         /* the chosen refresh interval, in seconds */
    const struct att_set *att; /* opened thread traces; NULL = none */
    const struct analysis *profile; /* the opened profile; NULL = none */
    const struct subject *opened;   /* an opened file of another kind (subject.h); NULL = none */
    const struct shown_comparison *compared;  /* of rooftop compare; NULL = nothing is compared */
    const struct syscalls_snapshot *syscalls; /* of the live trace; NULL = nothing was traced */
    struct fleet_run *fleet;                  /* many hosts; NULL = only this one is watched */
    bool tracing;                             /* a live trace is wanted */
    /* why kernels cannot be captured now; NULL: they can */
    const char *capture_why_not;
    /*
     * The kernels that the watched program has launched, those with most launches first. The
     * capture library tells them.
     */
    const struct capturer_kernel *launched;
    size_t nlaunched;
    const struct replay_list_request *captures; /* where to look for captures; NULL: nowhere */
    const struct replay_list *replays; /* what was found there; NULL: the view looks itself */
    unsigned captured;                 /* number of captures that were written since the start */
    const char *command; /* the command of the profile, quoted for a shell; NULL = unknown */
    char moment[16];     /* time of day of a past moment; "" = the newest is shown */
    bool readonly;       /* nothing may be written, attached to or started (permit.h) */
    bool playback;       /* from a file: the processes do not run any more */
};

/* Whether an opened file stands alone: then nothing that this host does now is shown in its views.
 * What a session tells, and what is watched beside a file, is shown. */
static inline bool model_file_alone(const struct model *m)
{
    const bool file = m->profile || m->opened || m->att;
    return file && !m->playback && (!m->snap || m->snap->target_kind == TARGET_HOST);
}

/* The execution tree to show: that of the opened profile, else of instrumented programs. */
static inline const struct bricks *model_bricks(const struct model *m)
{
    if (m->profile)
        return &m->profile->bricks;
    return m->snap && !model_file_alone(m) ? m->snap->bricks : NULL;
}

/* The system calls to show: those of the live trace, else of the opened one; NULL: none. */
static inline const struct syscalls_snapshot *model_syscalls(const struct model *m)
{
    if (m->syscalls)
        return m->syscalls;
    return m->profile ? m->profile->trace.syscalls : NULL;
}

/* The program around a view, for what the view does beside drawing. */
struct view_host {
    struct app *app;
    const struct model *model;
    bool ascii;
    const char *state_dir; /* for state that outlives the program; "": none is kept */
    /* Calls poll when this descriptor is readable. */
    void (*wake)(struct app *a, int fd);
    /* Opens an overlay about a row, */
    void (*open)(struct app *a, const struct overlay_ops *ops, const char *key);
    /* or a question (confirm.h). */
    void (*ask)(struct app *a, const struct confirm *question, const char *key);
    /* Shows a message in the footer until the next key. */
    void (*say)(struct app *a, bool error, const char *text);
    bool at_once; /* there is no screen: the calling thread reads what fills the view */
    bool covered; /* something is open over the view */
    /* Makes the views show this profile (NULL: none) and the end of this session (NULL: none). */
    void (*show)(struct app *a, const struct analysis *profile, struct recording *session);
    /* Shows the view of that name. key: of the row to put the cursor on; NULL: it stays. */
    bool (*choose)(struct app *a, const char *view, const char *key, struct error *err);
    /* Opens a line for typed text in the shown view, which gets it (view_ops.typed). */
    void (*prompt)(struct app *a, const char *label, const char *text);
    const struct watch *watch; /* asked by long work; NULL: it is never cancelled */
};

enum { VIEW_TEXT_MAX = 64, VIEW_FOLDED_MAX = 128 };
/*
 * The state of a view as the user left it. The app keeps one for each view; it is zeroed at the
 * start.
 */
struct view_state {
    void *own; /* the view's own struct: view_ops.own_size bytes, owned by the app */
    const struct view_host *host;
    int selected; /* the row under the cursor, an index into the shown rows */
    int scroll;   /* the first visible row */
    int sort;     /* the column to sort by; 0 is the view's default */
    bool reverse;
    int pane;    /* the pane that has the cursor */
    int step;    /* direction of the last move, for skipping headings */
    bool follow; /* the user chose a row: the cursor stays on it when the order changes */
    bool pinned; /* like follow, and the view says so; until the cursor is moved */
    int find;    /* which match the next draw goes to: 1 next, 2 from the cursor on, -1 previous */
    /* identity of the selected row, which survives sorting */
    char selected_key[VIEW_TEXT_MAX];
    char search[VIEW_TEXT_MAX];
    char filter[QUERY_MAX];    /* as typed; set by app_set_filter */
    const struct query *query; /* the compiled filter, borrowed from the app; NULL = all rows */
    /* For views of trees: */
    int mode;          /* how it is drawn */
    uint64_t at, zoom; /* identities of the frame under the cursor and of the zoomed frame */
    uint64_t folded[VIEW_FOLDED_MAX]; /* identities of folded nodes; 0 = unused */
    /* 1 + the depth from which rows start folded; 0 = chosen by size */
    int level;
    int point;            /* 1 + the cell of the last click */
    int mouse_x, mouse_y; /* 1 + the cell of the current mouse event; 0 = it is a key */
    /*
     * output view: 1 + the byte, of all that was written, where the first visible line begins, and
     * the found line; 0 = the end is shown, nothing was found
     */
    uint64_t top, hit;
    bool fleeting;    /* set by draw: newer data takes rows away, so a chosen row holds them */
    unsigned hidden;  /* hidden boxes: one bit each, by their place in view_ops.boxes */
    int expanded;     /* 1 + the box that fills the whole view; 0 = none */
    int box;          /* 1 + the box that was expanded last */
    int rows, page;   /* set by draw: number of rows, and of rows that fit */
    struct rect list; /* set by draw: where the rows are, for the mouse */
};

/* Whether the user has folded a node (or unfolded it, if it starts folded). */
bool view_folded(const struct view_state *st, uint64_t id);
/* If there is no room for another folded node, the oldest one is forgotten. */
void view_set_folded(struct view_state *st, uint64_t id, bool folded);
/* The same for another list of identities, where 0 is an unused place. */
bool view_ids_have(const uint64_t *list, int max, uint64_t id);
void view_ids_set(uint64_t *list, int max, uint64_t id, bool in);

/* A part of a view that can be hidden or expanded to the whole view. */
struct view_box {
    const char *name; /* for presets and `box NAME`: "memory" */
    char letter;      /* after the boxes key: unique in its view */
    const char *what; /* one line */
};
/* Whether to draw box i. */
static inline bool view_box_shown(const struct view_state *st, int i)
{
    return st->expanded ? st->expanded == i + 1 : !(st->hidden >> i & 1);
}

/* Draws the frame of a box, with the letter marked in its title. A click on the title expands it.
 */
void view_box_draw(struct canvas *c, struct rect r, enum style_role role,
                   const struct view_box *box, int i, const char *title, const char *right);

/* What the app should do after an action in a view. */
enum view_result {
    VIEW_IGNORED,
    VIEW_HANDLED,
    VIEW_EXPLAIN /* explain selected_key: a metric, counter, process or function */,
    VIEW_ATTACH /* watch the process selected_key */,
    VIEW_OPEN /* open the file selected_key of the opened folder; leaving it leads back */,
    VIEW_WINDOW /* show the part of the profile that selected_key names (app_window.h) */,
    VIEW_SAMPLE /* begin to sample call stacks, or end it */,
    VIEW_TRACE /* begin a live trace of system calls, or end it */,
    VIEW_SOURCE /* show the source of the tree's node selected_key */,
    VIEW_HOST /* open the host selected_key in a rooftop there */,
    VIEW_MENU /* open the menu of selected_key */
};

/* How the user came to a view. */
enum view_choice {
    CHOSEN_BY_TAB, /* by the digit or a click of its tab: this begins nothing that costs */
    CHOSEN_BY_KEY, /* by its own key or name */
    CHOSEN_AGAIN   /* by the same once more, while it is shown */
};

struct view_ops {
    size_t own_size; /* size of view_state.own; 0: the view needs none */
    /* Fills own, which is zeroed; frees what own refers to, but not own itself. NULL: nothing. */
    void (*begin)(void *own);
    void (*end)(void *own);
    /*
     * Background work of the view, such as a thread or a child process. fd returns a descriptor
     * that is readable when poll has something to do, or -1. poll takes what has come, and returns
     * whether the picture changed. NULL: there is no such work.
     */
    int (*fd)(const void *own);
    bool (*poll)(struct view_state *st);
    /*
     * Called after each picture, whether or not it shows the view: begins, goes on with or ends
     * what fills the view. Returns whether the view must be drawn again. NULL: nothing.
     */
    bool (*follow)(const struct model *m, struct view_state *st, bool shown);
    /* Called for each new sample, whichever view is shown. NULL: the view keeps nothing of it. */
    void (*sample)(struct view_state *st, const struct snapshot *s);
    /*
     * Runs a command of the view (VIEW_COMMAND in its view.def), whichever view is shown. Returns
     * an enum view_result, or -errno with err filled. NULL: the view has none.
     */
    int (*command)(const char *name, const char *arg, const struct model *m, struct view_state *st,
                   struct error *err);
    /* Takes the text of the line that host->prompt opened, as command does. */
    int (*typed)(const char *text, const struct model *m, struct view_state *st, struct error *err);
    /* Called when the user has chosen the view. NULL: it is only shown. */
    enum view_result (*chosen)(const struct model *m, struct view_state *st, enum view_choice how);
    /* The system calls that the view shows, of a live or of an opened trace. NULL: it has none. */
    const struct syscalls_snapshot *(*calls)(const struct model *m, struct view_state *st);
    bool captures;      /* it lists the captures: documents contain them while it is shown */
    bool traces;        /* a live trace of system calls goes on while the view is shown */
    bool own_time;      /* it has a past of its own: the keys of time move through that */
    const char *name;   /* "overview": for --view and JSON */
    const char *title;  /* its title beside those of the other views of its tab */
    enum action select; /* the action that opens the view */
    unsigned contexts;  /* the key contexts that it adds */
    /* Whether there is something to show; a tab without such a view is not drawn. NULL = always. */
    bool (*available)(const struct model *m, const struct view_state *st);
    const char *absent; /* a sentence: what would fill the view. NULL: draw says it */
    void (*draw)(struct canvas *c, struct rect area, const struct model *m, struct view_state *st);
    enum view_result (*act)(enum action a, const struct model *m, struct view_state *st);
    /*
     * Whether an action that only some views have can do something now; the footer and the help
     * leave out what cannot. NULL: each can, while the view has something to show.
     */
    bool (*takes)(enum action a, const struct model *m, const struct view_state *st);
    /*
     * The names that `sort` takes, in the order of view_state.sort, terminated by NULL. NULL: the
     * view cannot be sorted.
     */
    const char *const *sorts; /* where the orders are not those of fields */
    /*
     * Fills the menu of the row with this key. Returns false if the row is gone. NULL: rows have no
     * menu.
     */
    bool (*menu)(const struct model *m, const struct view_state *st, const char *key,
                 struct menu *out);
    /*
     * Writes a page about the row with this key, which act returned VIEW_EXPLAIN for. NULL: its
     * rows are metrics, counters or processes (overlays/explain.c).
     */
    void (*explain)(struct page *p, const struct model *m, const struct view_state *st,
                    const char *key);
    /* parts that can be hidden and expanded; ends with name NULL */
    const struct view_box *boxes;
    const struct list_field *fields; /* the fields of a row for filters; NULL: no filters here */
    /* Where the view has several lists: the fields of the shown one; `fields` are the first's. */
    const struct list_field *(*fields_now)(const struct view_state *st);
    /*
     * The state of the process list that is a pane of the view, kept in the view's own struct;
     * NULL: the view has none.
     */
    struct procs_state *(*procs)(const struct view_state *st);
};
/* Fills the initial state of a view, with the view's own struct. */
void view_state_begin(struct view_state *st, const struct view_ops *v);
/* Frees what view_state_begin allocated. */
void view_state_end(struct view_state *st, const struct view_ops *v);
/* The i-th name that `sort` takes: of sorts, else of the orders of fields; NULL past the last. */
const char *view_sort(const struct view_ops *v, const struct view_state *st, int i);
/* The fields of the list that is shown; NULL: none. */
const struct list_field *view_fields(const struct view_ops *v, const struct view_state *st);
/* Draws the view, or, if it has nothing to show, the sentence of what would fill it. */
void view_draw(const struct view_ops *v, struct canvas *c, struct rect area, const struct model *m,
               struct view_state *st);
bool view_available(const struct view_ops *v, const struct model *m, const struct view_state *st);
/* Whether draw, act and menu are called; not if only `absent` is shown. */
bool view_draws(const struct view_ops *v, const struct model *m, const struct view_state *st);

enum { VIEWS_MAX = 24 };
extern const struct view_ops *const views[]; /* NULL-terminated, in tab order */

struct view_tab {
    const char *name;   /* as it is drawn and typed: "functions" */
    const char *narrow; /* the same where there is no room: "func" */
    enum action select; /* the action of its digit */
};
extern const struct view_tab view_tabs[TABS];
/* The tab of views[view]. */
enum tab view_tab(int view);
/* The views and tabs with these names; -1 if there is none. */
int view_named(const char *name);
int view_tab_named(const char *name);
/* What can be typed where a view is wanted: the views, then the tabs that are not called as one of
 * them. NULL past the last. */
const char *view_typed_name(size_t i);
/* Writes the first key that leads to a view: of its own, else of its tab; "": none does. Returns
 * out. */
const char *view_key(const char *name, char out[16]);
