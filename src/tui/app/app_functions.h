/*
 * Hot functions: sums the sampled profiles over the window that the user chose. For the live view
 * it adds profiles as they come; for the past it reads them again from the recording.
 */
#pragma once

#include "engine/functions/hot_sum.h"
#include "engine/live/snapshot.h"
#include "engine/syscalls/snapshot/calls_profile.h"
#include "tui/model/functions.h"

struct app;

struct app_functions {
    struct hot_sum *live; /* of the samples that came, up to the newest */
    struct hot_sum *past; /* up to the cursor of time; made when it is first shown */
    uint64_t past_ns;     /* the moment that past was made for; 0 = none */
    int window;           /* index into the table of windows */
    bool stale;           /* the shown sum must be made again */
    bool shown_live;
    bool pending; /* sampling was asked for after the newest sample */
    struct functions shown;
    struct function_row *rows;
    uint64_t *node_total, *node_id;
    /* of the opened trace of system calls, if it has stacks */
    const struct calls_profile *opened;          /* the picture's; NULL: none is shown */
    const struct syscalls_snapshot *opened_from; /* a reference; NULL with opened */
    bool by_calls;                               /* it counts calls, not their time */
    char target[128];         /* target of the summed profiles; another one starts a new sum */
    struct sampling sampling; /* what the user asked for last */
};

void app_functions_init(struct app *a);
void app_functions_free(struct app *a);
/* Adds the profile of a new sample. */
void app_functions_push(struct app *a, const struct snapshot *s);
/* Drops the sum of the past, because another recording is shown now. */
void app_functions_forget_past(struct app *a);
/* Call before tabs are drawn: whether there is something to show besides samples. */
void app_functions_look(struct app *a);
/* Call before drawing: makes model.functions match the moment that is shown. */
void app_functions_refresh(struct app *a);
/* The user opened the view, which asks for sampling. Returns a set of enum app_request. */
unsigned app_functions_opened(struct app *a);
/* Handles the keys for window and sampling; returns 0 for other actions. */
unsigned app_functions_action(struct app *a, int action);
