/* Files that are being opened on a thread of their own: what the app shows of it meanwhile. */
#ifndef ROOFTOP_TUI_APP_APP_OPENING_H
#define ROOFTOP_TUI_APP_APP_OPENING_H

#include <stdbool.h>

#include "tui/canvas/canvas.h"

struct app;

struct app_opening {
    char path[256]; /* the file that is read */
    char doing[64]; /* "reading" */
    double share;   /* of all, 0..1 */
    unsigned seconds;
    bool giving_up;    /* it was asked to end, and will soon */
    char failed[1024]; /* why it could not be opened; "" = it still is being opened */
};

/* Copied; NULL: nothing is being opened any more. Shown in place of the view that was shown when
 * it began. */
void app_set_opening(struct app *a, const struct app_opening *o);
/* Whether the view that is shown waits for what is being opened. */
bool app_opening_shown(const struct app *a);
void app_opening_draw(const struct app *a, struct canvas *c, struct rect area);
/* Back: gives it up (APP_GIVE_UP), or puts what failed away. A set of enum app_request, 0 = not
 * for it. */
unsigned app_opening_back(struct app *a);

#endif
