/*
 * A run of rooftop optimize for its view: a thread looks at its folder while the view is shown. The
 * view says what it wants to see (tui/views/optimize/optimize.h).
 */
#pragma once

#include "engine/optimize/run_follower.h"

struct app;

struct app_optimize {
    struct run_picture *shown;     /* model.optimize */
    struct run_follower *follower; /* NULL: never shown */
    struct run_look *look;         /* without a screen */
    bool at_once;                  /* looks on the calling thread: without a screen */
};

void app_optimize_free(struct app *a);
/* Handles a new picture. Returns a set of enum app_request. */
unsigned app_optimize_poll(struct app *a);
/* Call after drawing: begins, goes on or ends to look. Whether there is a picture already, so that
 * the view must be drawn again. */
bool app_optimize_follow(struct app *a);
