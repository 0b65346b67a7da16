/* What the lab view shows: the report of the run that measures now, or of the last one. */
#pragma once

#include "engine/lab/lab.h"

struct lab_shown {
    const struct lab_report *report; /* NULL: nothing was measured */
    bool running;
    char failed[256]; /* why the last run measured not all; "" where it did */
};
