/*
 * A part of the opened profile in place of the whole: some time of it, or a range. All views show
 * nothing else then, until the whole is asked for again.
 */
#ifndef ROOFTOP_TUI_APP_APP_WINDOW_H
#define ROOFTOP_TUI_APP_APP_WINDOW_H

#include "base/error.h"

struct app;
struct app_part;

/* ":window FROM TO", ":window off": times since the begin of the profile, of all of it. */
int app_window_time(struct app *a, const char *arg, struct error *err);
/* ":range NAME" (window.h) of the whole, "#NODE" of what is shown, "off". */
int app_window_range(struct app *a, const char *arg, struct error *err);
/* What the view wants analysed: its selected_key, "t:FROM:TO" (ns, of the graph's clock), "n:NODE",
 * "whole". A set of enum app_request. */
unsigned app_window_key(struct app *a, const char *key);
/* "ProfilerStep#101, 72 ms"; "" the whole is shown. */
const char *app_window_text(const struct app *a);
/* The whole is shown again, and the parts are freed. */
void app_window_free(struct app *a);
/* What the view of steps shows is found, where it was not yet. */
void app_window_steps(struct app *a);

#endif
