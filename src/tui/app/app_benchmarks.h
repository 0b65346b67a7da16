/*
 * The history of benchmarks for its view: threads read it, so the screen never waits. The view says
 * which two points it wants to compare (tui/views/history/history.h).
 */
#pragma once

#include "engine/bench/history_loader.h"
#include "tui/input/keys.h"
#include "tui/model/benchmarks_shown.h"

struct app;

struct app_benchmarks {
    struct benchmarks_shown shown; /* model.benchmarks */
    struct history_loader *loader; /* NULL: never asked */
    struct history_list *list;
    struct history_pair *pair;
    int64_t asked[2]; /* points that were asked for last */
    bool at_once;     /* reads on the calling thread: without a screen */
};

void app_benchmarks_begin(struct app *a);
void app_benchmarks_free(struct app *a);
/* Reads all series anew; those that are shown stay until then. Returns a set of enum app_request.
 */
unsigned app_benchmarks_read(struct app *a);
/* Handles what the threads read. Returns a set of enum app_request. */
unsigned app_benchmarks_poll(struct app *a);
/* Call before drawing the view: starts reading when it is first shown. */
void app_benchmarks_refresh(struct app *a);
/* Call after it: starts reading the points that the view wants to compare. Whether they are there
 * already, so that the view must be drawn again. */
bool app_benchmarks_follow(struct app *a);
/* The Back key gives up reading. Returns a set of enum app_request, 0 if nothing is being read. */
unsigned app_benchmarks_back(struct app *a);
