/*
 * Hot functions: sums the profiles of the samples that are shown, over the window the user chose:
 * of the live view as they come, of the past by reading them again.
 */
#ifndef ROOFTOP_TUI_APP_APP_FUNCTIONS_H
#define ROOFTOP_TUI_APP_APP_FUNCTIONS_H

#include "engine/hot/profile_sum.h"
#include "engine/live/snapshot.h"
#include "tui/model/functions.h"

struct app;

struct app_functions {
    struct profile_sum *live; /* of what came, up to the newest */
    struct profile_sum *past; /* up to the cursor of time; made when it is looked at */
    uint64_t past_ns;         /* the moment it was made for; 0 = none */
    int window;               /* index into the windows there are */
    bool stale;               /* what is shown has to be made anew */
    bool shown_live;
    bool pending; /* sampling was asked for after the newest sample */
    struct functions shown;
    struct function_row *rows;
    uint64_t *node_total, *node_id;
    char target[128];         /* of what was summed: another one starts anew */
    struct sampling sampling; /* what the user asked for last */
};

void app_functions_init(struct app *a);
void app_functions_free(struct app *a);
/* A new sample came. */
void app_functions_push(struct app *a, const struct snapshot *s);
/* The past is another one now. */
void app_functions_forget_past(struct app *a);
/* Before drawing: what model.functions shows is made true for the moment that is shown. */
void app_functions_refresh(struct app *a);
/* The view was opened by name or key: it asks for sampling. A set of enum app_request. */
unsigned app_functions_opened(struct app *a);
/* Window and sampling keys; 0 for other actions. */
unsigned app_functions_action(struct app *a, int action);

#endif
