/*
 * The state behind app.h, shared by app.c (keys, mouse), app_actions.c, app_prompt.c, app_draw.c
 * and the overlays.
 */
#pragma once

#include "engine/code/code.h"
#include "tui/app/app.h"
#include "tui/app/app_cost.h"
#include "tui/app/app_opening.h"
#include "tui/app/app_time.h"
#include "tui/app/app_window.h"
#include "tui/model/captures.h"
#include "tui/model/confirm.h"
#include "tui/model/layout.h"
#include "tui/overlays/overlay.h"
#include "tui/widgets/line_edit.h"
#include "tui/widgets/page.h"

enum { APP_TEXT_MAX = 256, APP_COPY_MAX = 4096 };

enum prompt {
    PROMPT_NONE,
    PROMPT_SEARCH,
    PROMPT_FILTER,
    PROMPT_WRITE,
    PROMPT_SAVE,
    PROMPT_VIEW /* of the shown view */
};

_Static_assert(CAPTURE_PATTERN_MAX + 16 <= LINE_EDIT_MAX, "a capture is asked for on a line");

struct app {
    struct model model;         /* what is drawn: the newest snapshot or one of the past */
    struct live_series *series; /* graphs, up to the newest sample */
    struct app_time time;
    struct app_cost cost;     /* filled in by the driving loop */
    struct {                  /* code that the open overlay shows */
        struct code_job *job; /* created when first needed */
        struct code *code;    /* NULL: not read yet */
    } code;

    int view;
    bool view_chosen;    /* by the user: what is watched does not take its place */
    int looked_at[TABS]; /* 1 + the view that each tab showed last */
    struct view_state state[VIEWS_MAX];
    struct view_host host; /* what all views share */
    int epoll;             /* watches the background work of the views; 0: not needed yet */
    struct query *query[VIEWS_MAX];    /* owned; borrowed by state[].query */
    struct error filter_error;         /* of the filter being typed; kind ERROR_NONE = none */
    const struct overlay_ops *overlay; /* NULL = none is open */
    struct view_state overlay_state;   /* of the open overlay: cursor, scroll, typed text */
    void *overlay_own;                 /* the own struct of the open overlay; owned */
    char overlay_key[VIEW_TEXT_MAX];   /* key of the row that the open overlay is about */
    struct page page;
    struct app_control control;
    struct thread_wish threads; /* as app_threads_wanted last told */
    struct confirm confirm;     /* while overlay_confirm is open */
    struct menu menu;           /* menu of the row that overlay_key names */
    int menu_x;                 /* column of the mouse click; -1 = beside the row */
    struct palette *palette;    /* while the command line is open */
    struct typed_lines *commands;
    char state_dir[192]; /* folder of the typed commands; "" = none */

    const struct preset *presets; /* the user's, before those of presets.c */
    size_t npresets;
    int preset; /* 1 + the preset chosen last */

    enum prompt prompt;
    const char *prompt_label; /* of PROMPT_VIEW */
    struct line_edit prompt_line;
    char prompt_before[APP_TEXT_MAX];
    char message[512];
    bool message_is_error;

    double interval_s;
    char **themes;
    size_t nthemes;
    char theme[192];
    char path[APP_TEXT_MAX];
    pid_t attach_pid;
    int visited; /* for APP_HOST */
    char open_key[VIEW_TEXT_MAX];
    bool sampling; /* for APP_SAMPLING */
    enum target_children children;
    char event[160];              /* for APP_EVENT */
    struct event_catalog *events; /* what :event completes; empty until it is asked for */
    char capture[LINE_EDIT_MAX];  /* for APP_CAPTURE */
    char capture_why_not[192];
    char *command;             /* the command of the profile */
    char file[96];             /* base name of the opened file; "": none was opened */
    char copied[APP_COPY_MAX]; /* for APP_COPY */
    struct app_part *part;     /* NULL until a part of the profile is asked for */

    struct app_opening *opening; /* NULL: nothing is being opened */
    int opening_view;            /* the view that was shown when the opening began */

    struct zone zones[CANVAS_ZONES_MAX]; /* of the last picture */
    int nzones;
};

/* app_views.c */
/* The view of what is watched or opened, which comes before the overview of the host; -1: none. */
int app_view_before_host(const struct app *a);
/* Shows the view of what is watched, or goes back from it, unless the user chose another one. */
void app_follow_target(struct app *a);
/* Whether a view is among those of its tab: the shown one and all that have something to show. */
bool app_view_listed(const struct app *a, int view);
/* Whether one of its views has something to show. */
bool app_tab_filled(const struct app *a, enum tab tab);
/*
 * The view that the digit of a tab leads to: the one last looked at, else the first that has
 * something to show, else the first. -1: the tab has no views.
 */
int app_view_of_tab(const struct app *a, enum tab tab);
unsigned app_contexts(const struct app *a);
void app_show_view(struct app *a, int view);
void app_step_view(struct app *a, int step);
/* Does what choosing a view by its key or name does. */
unsigned app_select_view(struct app *a, int view);
/* Does what the digit of a tab does; while the tab is shown, it goes on to its next view. */
unsigned app_select_tab(struct app *a, enum tab tab);

/* app.c */
/*
 * Does what the key of the action would do: asks the overlay, then the view, then app_actions.c.
 * arg: the argument of a clicked zone; 0 for keys.
 */
unsigned app_perform(struct app *a, enum action act, int arg);
/* Does what the shown view asks for. Returns a set of enum app_request. */
unsigned app_obey_view(struct app *a, enum view_result result);

/* Background work of the views (view_ops.fd): app_views_watch watches its descriptors;
 * app_views_poll takes what has come, and returns a set of enum app_request; app_views_follow is
 * called after each picture, and returns whether the view must be drawn again. */
void app_views_watch(struct app *a);
void app_watch_fd(struct app *a, int fd);
unsigned app_views_poll(struct app *a);
bool app_views_follow(struct app *a);

/* The process list of a view, NULL if it has none. */
struct procs_state *app_procs(const struct app *a, int view);

/* Copies text to the clipboard, through the loop that drives the app. */
unsigned app_copy(struct app *a, const char *text);

/* Sorts the view by entry i of its sorts. The same entry again reverses the order. */
unsigned app_sort(struct app *a, int i);

/* app_mouse.c */
unsigned app_mouse(struct app *a, const struct key_event *ev);

/* app_boxes.c: boxes of a view, and presets of them */
/* The number of the box with this name in a view; -1 if there is none. */
int app_box_find(int view, const char *name);
/*
 * what: 's' shows the box, 'h' hides it, 'e' expands it. Returns false for hiding the last visible
 * box.
 */
bool app_box_set(struct app *a, int box, char what);
unsigned app_box_action(struct app *a, enum action act, int arg);
/* Preset i of the user's presets followed by the built-in ones; NULL past the end. */
const struct preset *app_preset(const struct app *a, size_t i);
int app_preset_apply(struct app *a, const struct preset *p, struct error *err);

/* app_actions.c: actions of all views; returns 0 for an action that is not global */
unsigned app_global_action(struct app *a, enum action act, int arg);

/* Whether the shown view has a use for an action of lists: filter, sort, boxes. */
bool app_takes(const struct app *a, enum action act);
/* Says in which part of rooftop a key works that the shown view does not have. A key that works
 * nowhere is passed over. */
unsigned app_say_elsewhere(struct app *a, const struct key_event *ev);

/* Quits, after a question if that would end the watched command. */
unsigned app_quit(struct app *a);

/* app_tabs.c: the first row of the screen, and what it shares with the footer */
void app_draw_tabs(struct app *a, struct canvas *c, struct rect r);
/* Draws the views of the shown view's tab into the free cells of the first rows of its area
 * r. */
void app_draw_siblings(const struct app *a, struct canvas *c, struct rect r);
/* The first of the action's keys, which footer and tabs show. */
const char *app_first_key(enum action action, char out[16]);

/* app_prompt.c: the line at the bottom for typed text */
void app_open_prompt(struct app *a, enum prompt p, const char *text);
unsigned app_prompt_key(struct app *a, uint32_t key);
