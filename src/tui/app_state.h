/*
 * The state behind app.h, shared by app.c (keys, mouse), app_actions.c, app_prompt.c, app_draw.c
 * and the overlays.
 */
#ifndef ROOFTOP_TUI_APP_STATE_H
#define ROOFTOP_TUI_APP_STATE_H

#include "tui/app.h"
#include "tui/app_time.h"
#include "tui/layout.h"
#include "tui/overlay.h"
#include "tui/widgets/page.h"

enum { APP_VIEWS_MAX = 16, APP_TEXT_MAX = 256 };

enum prompt { PROMPT_NONE, PROMPT_SEARCH, PROMPT_FILTER, PROMPT_WRITE, PROMPT_SAVE };

struct app {
    struct model model; /* what is drawn: the newest, or a moment of the past */
    const struct snapshot *newest;
    struct history *history; /* up to the newest */
    struct app_time time;
    bool ascii;

    int view;
    struct view_state state[APP_VIEWS_MAX];
    const struct overlay_ops *overlay; /* NULL = none is open */
    struct view_state overlay_state;   /* of the open one: cursor, scroll, what is typed */
    char overlay_key[VIEW_TEXT_MAX];   /* what the open one is about */
    struct page page;

    enum prompt prompt;
    char prompt_text[APP_TEXT_MAX], prompt_before[APP_TEXT_MAX];
    char message[512];
    bool message_is_error;

    double interval_s;
    char **themes;
    size_t nthemes;
    char theme[192];
    char path[APP_TEXT_MAX];
    pid_t attach_pid;

    struct zone zones[CANVAS_ZONES_MAX]; /* of the picture drawn last */
    int nzones;
};

/* app.c */
bool app_view_shown(const struct app *a, int view);
unsigned app_contexts(const struct app *a);
void app_show_view(struct app *a, int view);
void app_step_view(struct app *a, int step);
/* As if the key of the action had been pressed: to the overlay, the view, then app_actions.c.
 * arg: what a zone carried, 0 from keys. */
unsigned app_perform(struct app *a, enum action act, int arg);

/* app_actions.c: what holds in every view; 0 for an action that is not global */
unsigned app_global_action(struct app *a, enum action act, int arg);

/* app_prompt.c: the line at the bottom that is typed into */
void app_open_prompt(struct app *a, enum prompt p, const char *text);
unsigned app_prompt_key(struct app *a, uint32_t key);

#endif
