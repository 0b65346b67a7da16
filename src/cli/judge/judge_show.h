/* What the pairs say so far, on the progress line of a terminal, and where a signal ends it. */
#pragma once

#include "cli/run/progress_note.h"
#include "engine/judge/judge.h"

struct judge_shown {
    struct progress_note note;
    struct judge_progress last; /* pairs 0: none was told */
};

/* For judge_plan.on_progress; shown: a struct judge_shown. */
void judge_show(void *shown, const struct judge_progress *p);
/* Tells on standard error what was known when a signal ended it. */
void judge_show_interrupted(const struct judge_shown *s);
