/* A comparison of two sides, for the view of that name. */
#ifndef ROOFTOP_TUI_MODEL_COMPARISON_H
#define ROOFTOP_TUI_MODEL_COMPARISON_H

#include "engine/analysis/analysis.h"
#include "engine/compare/compare.h"
#include "engine/session/recording.h"

struct shown_comparison {
    const struct comparison *c;
    const char *names[2];               /* as they were given */
    const struct analysis *profiles[2]; /* NULL: the side has none; then */
    struct recording *sessions[2];      /* NULL as well: it has only numbers */
};

#endif
