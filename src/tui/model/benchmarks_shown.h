/* What the history view shows: all series, and the two points that are compared. */
#pragma once

#include "engine/bench/history_pair.h"

struct benchmarks_shown {
    const struct history_list *list; /* NULL: not read yet */
    double share;     /* of the series that were read; negative: none are being read */
    char failed[512]; /* why they could not be read; "" */
    const struct history_pair *pair; /* the last that was read; NULL: none */
    char pair_failed[512];
};
