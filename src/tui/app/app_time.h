/*
 * The moment that is shown: the newest sample, or a cursor in the past of the live view's ring or
 * of a session file. Every panel shows that moment: numbers, processes, functions, and graphs that
 * end there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/session/recording.h"
#include "tui/canvas/canvas.h"

struct app;

enum { TIME_LINE_MAX = 512 };

struct app_time {
    bool lent;    /* model.past is not owned */
    bool file;    /* it is a session file: no new samples come */
    bool live;    /* the newest sample is shown, also when a new one comes */
    bool playing; /* the cursor advances with time, at `speed` */
    double speed;
    uint64_t time_ns;  /* time of the frame at the cursor */
    double ahead_s;    /* recorded seconds that are due but not yet shown */
    struct time_line { /* the time line as last drawn */
        bool stale;    /* the cursor was moved since */
        int w, cursor;
        size_t n, at;
        uint64_t first_ns, end_ns;
        uint8_t level[TIME_LINE_MAX]; /* busy share of each cell, 255 = unknown */
    } line;
    struct live_series *series;
    uint64_t series_ns; /* time of its newest sample */
    bool series_valid;
};

void app_time_init(struct app *a);
void app_time_free(struct app *a);
/* Adds a new sample. */
void app_time_push(struct app *a, const struct snapshot *s);
/* The number of the shown frame. */
size_t app_time_at(const struct app *a);
/*
 * Shows frame i and stops there. An i past the end shows the newest frame, live if the view is
 * live.
 */
void app_time_show(struct app *a, size_t i);
/* Whether the time line is shown, and drawing it into the row below the view. */
bool app_time_scrubber(const struct app *a);
void app_time_draw(struct app *a, struct canvas *c, struct rect r);
/* Handles the actions of time; returns 0 for others. */
unsigned app_time_action(struct app *a, int action, int arg);
