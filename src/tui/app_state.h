/* The state behind app.h, shared by app.c (keys) and app_draw.c (picture). */
#ifndef ROOFTOP_TUI_APP_STATE_H
#define ROOFTOP_TUI_APP_STATE_H

#include "tui/app.h"
#include "tui/layout.h"
#include "tui/widgets/page.h"

enum { APP_VIEWS_MAX = 16, APP_ZONES_MAX = 48, APP_TEXT_MAX = 256 };

enum overlay { OVERLAY_NONE, OVERLAY_HELP, OVERLAY_EXPLAIN };
enum prompt { PROMPT_NONE, PROMPT_SEARCH, PROMPT_FILTER, PROMPT_WRITE, PROMPT_SAVE };

/* A clickable stretch of the tab bar or the footer. */
struct zone {
    int x, y, w;
    enum action action;
};

struct app {
    struct model model; /* what is drawn: the newest, or what was shown when paused */
    const struct snapshot *newest;
    struct history *history, *frozen; /* frozen: while paused, else NULL */
    bool paused, ascii;

    int view;
    struct view_state state[APP_VIEWS_MAX];
    enum overlay overlay;
    int overlay_scroll;
    char overlay_key[VIEW_TEXT_MAX];
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

    struct zone zones[APP_ZONES_MAX];
    int nzones;
};

bool app_view_shown(const struct app *a, int view);
unsigned app_contexts(const struct app *a);

#endif
