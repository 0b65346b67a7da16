/* What the pairs say so far, on the progress line of a terminal (cli/run/progress_note.h). */
#pragma once

#include "engine/judge/judge.h"

/* For judge_plan.on_progress; note: a struct progress_note. */
void judge_show(void *note, const struct judge_progress *p);
