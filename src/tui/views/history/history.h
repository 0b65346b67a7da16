/*
 * The history of benchmarks, which threads read (history_read.c): all series (history.c), the runs
 * of one and two of them compared (history_runs.c), the samples of one run (history_samples.c), and
 * the graph that all have (history_plot.c).
 */
#pragma once

#include "engine/bench/history_loader.h"
#include "tui/model/view.h"

enum history_level { HISTORY_SERIES, HISTORY_RUNS, HISTORY_SAMPLES };

struct history_state { /* view_state.own */
    enum history_level level;
    uint64_t series;           /* the opened one (history_series_id) */
    int64_t run;               /* the point whose samples are shown */
    int64_t marked;            /* the point that others are compared with; 0: the one before each */
    int64_t wish[2];           /* set by draw: points whose samples the view needs; 0 = none */
    int64_t asked[2];          /* those that were asked for last */
    struct history_list *list; /* all series; NULL: not read yet */
    struct history_loader *loader; /* threads that read; NULL: never asked */
    double share;                  /* of the series that were read; negative: none are being read */
    char failed[512];              /* why they could not be read; "" */
    struct history_pair *pair;     /* the last that was read; NULL: none */
    char pair_failed[512];
    struct history_cursor {
        int selected, scroll;
        char key[VIEW_TEXT_MAX], search[VIEW_TEXT_MAX];
    } above[HISTORY_SAMPLES]; /* where the cursor was in the levels above */
};

uint64_t history_series_id(const struct history_series *s);
/* The index of the point with this id; n if it is gone. */
size_t history_point_at(const struct history_series *s, int64_t id);
/* The run with which run `at` is compared: the marked one, else the one before. SIZE_MAX: none. */
size_t history_first_of(const struct history_state *own, const struct history_series *s, size_t at);

/* What a graph shows: n values, and marks at some of them. */
struct history_plot {
    const struct history_series *s; /* its unit, and its changes if they are shown */
    double (*value)(const void *ctx, size_t i);
    const void *ctx;
    size_t n;
    size_t selected, marked; /* SIZE_MAX: none */
    bool changes;
};
/* Draws values as marks, with changes as lines and their numbers below. If not all values fit,
 * it draws those around the selected one; if none is selected, each mark is the median of
 * several values. */
void history_plot_draw(struct canvas *c, struct rect r, const struct history_plot *p);
/* The values of the points of a series, for history_plot.value. */
double history_point_value(const void *series, size_t i);

void history_draw_runs(struct canvas *c, struct rect r, const struct history_series *s,
                       struct view_state *st);
void history_draw_samples(struct canvas *c, struct rect r, const struct history_series *s,
                          struct view_state *st);

/* history_read.c: for view_ops */
void history_begin(void *own);
void history_end(void *own);
int history_fd(const void *own);
bool history_poll(struct view_state *st);
bool history_follow(const struct model *m, struct view_state *st, bool shown);
/* Reads all series anew; those that are shown stay until then. */
void history_read(struct view_state *st);
