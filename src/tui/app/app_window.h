/*
 * A part of the opened profile in place of the whole: a time window or a range. All views then show
 * only that part, until the whole is asked for again.
 */
#pragma once

#include "base/error.h"

struct app;
struct app_part;

/* arg of ":window": "FROM TO", times since the begin of the whole profile, or "off". */
int app_window_time(struct app *a, const char *arg, struct error *err);
/* arg of ":range": "NAME" (window.h) in the whole profile, "#NODE" in the shown part, or "off". */
int app_window_range(struct app *a, const char *arg, struct error *err);
/*
 * Analyses the part that a view's selected_key names: "t:FROM:TO" (ns of the graph's clock),
 * "n:NODE" or "whole". Returns a set of enum app_request.
 */
unsigned app_window_key(struct app *a, const char *key);
/* Names the shown part: "ProfilerStep#101, 72 ms"; "" if the whole is shown. */
const char *app_window_text(const struct app *a);
/* Shows the whole profile again and frees the parts. */
void app_window_free(struct app *a);
