#include "cli/judge/judge_show.h"

#include <math.h>
#include <stdio.h>

#include "cli/run/progress_note.h"

void judge_show(void *note, const struct judge_progress *p)
{
    char line[200], range[64] = "";
    if (isfinite(p->factor.low) && isfinite(p->factor.high))
        snprintf(range, sizeof range, " (%.3f to %.3f)", p->factor.low, p->factor.high);
    snprintf(line, sizeof line, "%s: %zu pairs, %.3f of the baseline's %s%s",
             p->confirms ? "confirming" : "judging", p->pairs, p->factor.estimate,
             p->modelled ? "cost" : "time", range);
    progress_note_show(note, line);
}
