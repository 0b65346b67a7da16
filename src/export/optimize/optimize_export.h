/* What a run of the optimiser did, as documents for output_made. */
#pragma once

#include <stdio.h>

#include "engine/optimize/optimize.h"
#include "export/brief.h"

struct optimize_outcome_of {
    const struct optimize_plan *plan;
    const struct optimize_result *result;
    const char *backup; /* backup of the source; NULL if it was not replaced */
};

void optimize_brief(struct brief *b, const struct optimize_outcome_of *o);
/* `what` is a struct optimize_outcome_of. */
void optimize_export_text(FILE *out, const void *what);
void optimize_export_json(FILE *out, const void *what);
/* Writes a line about a record while the run goes on. */
void optimize_export_record(FILE *out, const struct optimize_record *r);
/* Writes a line about the current step. */
void optimize_export_progress(char *out, size_t size, const struct optimize_progress *p);
