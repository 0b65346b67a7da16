/* What the lab view runs: the child process that measures. The screen never waits for it. */
#pragma once

#include "engine/lab/lab_child.h"
#include "tui/input/keys.h"
#include "tui/model/lab_shown.h"

struct app;

struct app_lab {
    struct lab_shown shown;  /* model.lab */
    struct lab_child *child; /* NULL: none runs */
    struct lab_report kept;  /* of the last run that ended */
};

/* Call it once: the view then has something to run. */
void app_lab_begin(struct app *a);
void app_lab_free(struct app *a);
/* Handles what the child wrote. Returns a set of enum app_request. */
unsigned app_lab_poll(struct app *a);
/* Handles the keys of the view; returns 0 for other actions. */
unsigned app_lab_action(struct app *a, enum action act);
