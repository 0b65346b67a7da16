#include "cli/judge/judge_show.h"

#include <math.h>
#include <stdio.h>

#include "cli/options/exit.h"

enum { SHOWN_LINE = 200 };

static void format_judge_progress(const struct judge_progress *p, const char *doing,
                                  char out[SHOWN_LINE])
{
    char range[64] = "";
    if (isfinite(p->factor.low) && isfinite(p->factor.high))
        snprintf(range, sizeof range, " (%.3f to %.3f)", p->factor.low, p->factor.high);
    snprintf(out, SHOWN_LINE, "%s: %zu pairs, %.3f of the baseline's %s%s", doing, p->pairs,
             p->factor.estimate, p->modelled ? "cost" : "time", range);
}

void judge_show(void *shown, const struct judge_progress *p)
{
    struct judge_shown *s = shown;
    char line[SHOWN_LINE];
    s->last = *p;
    format_judge_progress(p, p->confirms ? "confirming" : "judging", line);
    progress_note_show(&s->note, line);
}

void judge_show_interrupted(const struct judge_shown *s)
{
    char line[SHOWN_LINE];
    if (s->last.pairs == 0)
        exit_note("interrupted before any pair was measured; nothing is decided");
    if (s->last.pairs == 0)
        return;
    format_judge_progress(&s->last,
                          s->last.confirms ? "interrupted while the verdict was confirmed"
                                           : "interrupted, nothing is decided",
                          line);
    exit_note(line);
}
