/* Which side of a comparison the other views show. */
#ifndef ROOFTOP_TUI_APP_APP_COMPARE_H
#define ROOFTOP_TUI_APP_APP_COMPARE_H

#include "base/error.h"
#include "tui/model/comparison.h"

struct app;

/* Lent; shows its view. */
void app_set_comparison(struct app *a, const struct shown_comparison *k);
/* "A" or "B": the other views show that side's profile, or session, from now on. A set of enum
 * app_request. */
unsigned app_show_side(struct app *a, const char *side, struct error *err);

#endif
