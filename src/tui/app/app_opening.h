/* Files that are being opened on another thread: what the app shows in the meantime. */
#pragma once

#include <stdbool.h>

#include "tui/canvas/canvas.h"

struct app;

struct app_opening {
    char path[256]; /* the file that is being read */
    char doing[64]; /* the present stage, like "reading" */
    double share;   /* share of the work that is done, 0..1 */
    unsigned seconds;
    bool giving_up;    /* the user cancelled; the thread ends soon */
    char failed[1024]; /* why it could not be opened; "" = still being opened */
};

/*
 * Copies o. NULL: nothing is being opened any more. The progress replaces the view that was shown
 * when the opening began.
 */
void app_set_opening(struct app *a, const struct app_opening *o);
/* Whether the shown view waits for the files. */
bool app_opening_shown(const struct app *a);
void app_opening_draw(const struct app *a, struct canvas *c, struct rect area);
/*
 * The Back key: cancels the opening (APP_GIVE_UP) or removes the message of a failure. Returns a
 * set of enum app_request, 0 if nothing is being opened.
 */
unsigned app_opening_back(struct app *a);
