/* A verdict as documents, for output_made. */
#pragma once

#include <stdio.h>

#include "engine/judge/judge.h"
#include "export/brief.h"

struct judge_verdict_of {
    const struct judge_plan *plan;
    const struct judge_result *result;
    const char *baseline, *candidate; /* their paths as the user gave them */
};

void judge_brief(struct brief *b, const struct judge_verdict_of *v);
/* `what` is a struct judge_verdict_of. */
void judge_export_text(FILE *out, const void *what);
void judge_export_json(FILE *out, const void *what);
