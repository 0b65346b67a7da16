/* A comparison of two sides, for the view of that name; and which of them the other views show. */
#ifndef ROOFTOP_TUI_APP_APP_COMPARE_H
#define ROOFTOP_TUI_APP_APP_COMPARE_H

#include "base/error.h"
#include "engine/analysis/analysis.h"
#include "engine/compare/compare.h"
#include "engine/session/recording.h"

struct app;

struct app_comparison {
    const struct comparison *c;
    const char *names[2];               /* as they were given */
    const struct analysis *profiles[2]; /* NULL: the side has none; then */
    struct recording *sessions[2];      /* NULL as well: it has only numbers */
};

/* Lent; shows its view. */
void app_set_comparison(struct app *a, const struct app_comparison *k);
/* "A" or "B": the other views show that side's profile, or session, from now on. A set of enum
 * app_request. */
unsigned app_show_side(struct app *a, const char *side, struct error *err);

#endif
