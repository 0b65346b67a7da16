/*
 * Where the picture stands in time: at the newest sample, or at a cursor in the past: of the live
 * view's ring, or of a session file. Every panel shows that moment: numbers, processes, functions,
 * and graphs that end there.
 */
#ifndef ROOFTOP_TUI_APP_APP_TIME_H
#define ROOFTOP_TUI_APP_APP_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/session/recording.h"
#include "tui/canvas/canvas.h"

struct app;

enum { TIME_LINE_MAX = 512 };

struct app_time {
    struct recording *past; /* owned, unless it is lent */
    bool lent;
    bool file;    /* past is a session file: nothing new comes */
    bool live;    /* the newest sample is shown, and the next when it comes */
    bool playing; /* the cursor moves on with time, speed times as fast */
    double speed;
    uint64_t time_ns;  /* of the frame at the cursor */
    double ahead_s;    /* recorded time that playing owes */
    struct time_line { /* as drawn when the cursor was moved last */
        bool stale;    /* it was moved since */
        int w, cursor;
        size_t n, at;
        uint64_t first_ns, end_ns;
        uint8_t level[TIME_LINE_MAX]; /* busy share of each cell, 255 = unknown */
    } line;
    struct history *history;
    uint64_t history_ns; /* time of its newest sample */
    bool history_valid;
};

void app_time_init(struct app *a);
void app_time_free(struct app *a);
/* A new sample came. */
void app_time_push(struct app *a, const struct snapshot *s);
/* Number of the frame shown. */
size_t app_time_at(const struct app *a);
/* Shows frame i and stops there; past the end: the newest, live again where there is a live view.
 */
void app_time_show(struct app *a, size_t i);
void app_time_live(struct app *a);
/* The row under the view; whether it is wanted. */
bool app_time_scrubber(const struct app *a);
void app_time_draw(struct app *a, struct canvas *c, struct rect r);
/* Actions of time; 0 for others. */
unsigned app_time_action(struct app *a, int action, int arg);

#endif
