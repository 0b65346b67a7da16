/*
 * What showing costs rooftop itself. The loop that drives the app fills this in; the cost overlay
 * shows it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tui/model/view.h"

/* Running mean (of about the last 32 values) and the largest value. */
struct cost_number {
    uint64_t n;
    double last, mean, max;
};
void cost_add(struct cost_number *c, double v);

struct app_cost {
    struct cost_number draw_us[VIEWS_MAX]; /* drawing the picture, for each view */
    struct cost_number send_us;            /* finding what changed and writing it */
    struct cost_number bytes;              /* size of a written frame */
    uint64_t unchanged;                    /* pictures that needed no write */
    bool link_answers, link_slow;
    double link_bytes_per_s, link_rtt_s;
    uint64_t link_dropped; /* frames held back for a slow terminal */
};
