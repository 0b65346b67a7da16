/* What a run of the optimiser did, as documents for output_made. */
#pragma once

#include <stdio.h>

#include "engine/optimize/optimize.h"

struct optimize_outcome_of {
    const struct optimize_plan *plan;
    const struct optimize_result *result;
    const char *backup; /* of the source that was replaced; NULL: it was not */
};

/* `what` is a struct optimize_outcome_of. */
void optimize_export_text(FILE *out, const void *what);
void optimize_export_json(FILE *out, const void *what);
/* One line about a record, as it is told while the run goes on. */
void optimize_export_record(FILE *out, const struct optimize_record *r);
/* One line about what is done now. */
void optimize_export_progress(char *out, size_t size, const struct optimize_progress *p);
