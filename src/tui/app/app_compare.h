/* Which side of a comparison the other views show. */
#pragma once

#include "base/error.h"
#include "tui/model/comparison.h"

struct app;

/* Shows a comparison and its view. k is borrowed. */
void app_set_comparison(struct app *a, const struct shown_comparison *k);
/*
 * side: "A" or "B": from now on the other views show the profile or session of that side. Returns a
 * set of enum app_request.
 */
unsigned app_show_side(struct app *a, const char *side, struct error *err);
