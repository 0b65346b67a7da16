/* What the lab view shows: the report of the run that measures now, or of the last one. */
#ifndef ROOFTOP_TUI_MODEL_LAB_SHOWN_H
#define ROOFTOP_TUI_MODEL_LAB_SHOWN_H

#include "engine/lab/lab.h"

struct lab_shown {
    const struct lab_report *report; /* NULL: nothing was measured */
    bool running;
    char failed[256]; /* why the last run measured not all; "" where it did */
};

#endif
