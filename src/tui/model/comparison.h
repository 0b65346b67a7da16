/* A comparison of two sides, for its view. */
#pragma once

#include "engine/analysis/analysis.h"
#include "engine/compare/compare.h"
#include "engine/session/recording.h"

struct shown_comparison {
    const struct comparison *c;
    const char *names[2];               /* the names of the sides as the user gave them */
    const struct analysis *profiles[2]; /* NULL: this side has no profile */
    struct recording *sessions[2];      /* NULL as well: this side has only numbers */
};
