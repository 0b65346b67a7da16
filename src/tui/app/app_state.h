/*
 * The state behind app.h, shared by app.c (keys, mouse), app_actions.c, app_prompt.c, app_draw.c
 * and the overlays.
 */
#ifndef ROOFTOP_TUI_APP_APP_STATE_H
#define ROOFTOP_TUI_APP_APP_STATE_H

#include "tui/app/app.h"
#include "tui/app/app_cost.h"
#include "tui/app/app_functions.h"
#include "tui/app/app_opening.h"
#include "tui/app/app_replay.h"
#include "tui/app/app_time.h"
#include "tui/app/app_window.h"
#include "tui/model/captures.h"
#include "tui/model/layout.h"
#include "tui/overlays/code.h"
#include "tui/overlays/overlay.h"
#include "tui/widgets/line_edit.h"
#include "tui/widgets/page.h"

enum { APP_VIEWS_MAX = 16, APP_TEXT_MAX = 256, APP_COPY_MAX = 4096 };

enum prompt {
    PROMPT_NONE,
    PROMPT_SEARCH,
    PROMPT_FILTER,
    PROMPT_WRITE,
    PROMPT_SAVE,
    PROMPT_WHAT_IF
};

/* A question with one answer that does something (overlays/confirm.h). */
struct confirm {
    char title[64];                                  /* "delete this capture?" */
    char what[160], about[512], note[160];           /* the thing; more of it; what else to know */
    char yes[96];                                    /* what y does: "deletes it" */
    unsigned (*run)(struct app *a, const char *key); /* after y; a set of enum app_request */
};

_Static_assert(CAPTURE_PATTERN_MAX + 16 <= LINE_EDIT_MAX, "a capture is asked for on a line");

struct app {
    struct model model; /* what is drawn: the newest, or a moment of the past */
    const struct snapshot *newest;
    struct history *history; /* up to the newest */
    struct app_time time;
    struct app_cost cost; /* told by the driver */
    struct app_functions functions;
    struct app_code code;
    struct app_replay replay;
    const struct watch *watch; /* of what takes long; NULL: nobody gives up */
    bool ascii;

    int view;
    struct view_state state[APP_VIEWS_MAX];
    struct query *query[APP_VIEWS_MAX]; /* owned; state[].query */
    struct error filter_error;          /* of what is being typed; kind ERROR_NONE = none */
    const struct overlay_ops *overlay;  /* NULL = none is open */
    struct view_state overlay_state;    /* of the open one: cursor, scroll, what is typed */
    char overlay_key[VIEW_TEXT_MAX];    /* what the open one is about */
    struct page page;
    struct app_control control;
    struct thread_wish threads; /* as told last */
    struct confirm confirm;     /* while overlay_confirm is open */
    struct menu menu;           /* of the row that overlay_key names */
    int menu_x;                 /* where the mouse asked for it; -1 = beside the row */
    struct palette *palette;    /* while the command line is open */
    struct command_history *commands;
    char state_dir[192]; /* where the history of commands is kept; "" = nowhere */

    const struct preset *presets; /* the user's; before those of presets.c */
    size_t npresets;
    int preset; /* 1 + the one chosen last */

    enum prompt prompt;
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
    enum target_children children;
    char capture[LINE_EDIT_MAX]; /* for APP_CAPTURE */
    char capture_why_not[192];
    char *command;               /* of the profile */
    char file[96];               /* base name of what was opened; "": nothing was */
    char copied[APP_COPY_MAX];   /* for APP_COPY */
    struct app_what_if *what_if; /* NULL until something is asked */
    struct app_part *part;       /* NULL until a part of the profile is asked for */

    struct app_opening *opening; /* NULL: nothing is being opened */
    int opening_view;            /* that was shown when it began */

    struct zone zones[CANVAS_ZONES_MAX]; /* of the picture drawn last */
    int nzones;
};

/* app.c */
/* Whether it has a tab: the one that is shown, and all that have something to show. */
bool app_view_shown(const struct app *a, int view);
unsigned app_contexts(const struct app *a);
void app_show_view(struct app *a, int view);
void app_step_view(struct app *a, int step);
/* As if the key of the action had been pressed: to the overlay, the view, then app_actions.c.
 * arg: what a zone carried, 0 from keys. */
unsigned app_perform(struct app *a, enum action act, int arg);

/* Asks the loop that drives the app to copy it. */
unsigned app_copy(struct app *a, const char *text);

/* Sorts the view by entry i of its sorts; by the same again: the other way round. */
unsigned app_sort(struct app *a, int i);

/* app_mouse.c */
unsigned app_mouse(struct app *a, const struct key_event *ev);

/* app_boxes.c: boxes of a view, and presets of them */
/* The box with this name in a view, -1 where there is none. */
int app_box_find(int view, const char *name);
/* what: 's' shows it, 'h' hides it, 'e' expands it; hiding the last one shown is refused. */
bool app_box_set(struct app *a, int box, char what);
unsigned app_box_action(struct app *a, enum action act, int arg);
/* Preset i of the user's and the built-in ones in one row; NULL past the end. */
const struct preset *app_preset(const struct app *a, size_t i);
int app_preset_apply(struct app *a, const struct preset *p, struct error *err);

/* app_what_if.c: how long the path of a profile were */
/* Asks for the factor of the step that the view has selected. */
unsigned app_what_if_ask(struct app *a);
/* Of what was selected then. */
int app_what_if_factor(struct app *a, const char *factor, struct error *err);
/* "NAME=FACTOR"; "off" forgets it. */
int app_what_if(struct app *a, const char *spec, struct error *err);
void app_what_if_free(struct app *a);

/* app_actions.c: what holds in every view; 0 for an action that is not global */
unsigned app_global_action(struct app *a, enum action act, int arg);

/* Leaves, after a question where that would end the watched command. */
unsigned app_quit(struct app *a);

/* app_tabs.c: the first row, and what it and the footer share */
void app_draw_tabs(struct app *a, struct canvas *c, struct rect r);
/* The key that stands first in the table: what footer and tabs show. */
const char *app_first_key(enum action action, char out[16]);

/* app_prompt.c: the line at the bottom that is typed into */
void app_open_prompt(struct app *a, enum prompt p, const char *text);
unsigned app_prompt_key(struct app *a, uint32_t key);

#endif
