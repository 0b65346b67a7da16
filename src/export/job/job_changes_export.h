/* Two runs of a job, rank by rank, as documents. */
#pragma once

#include <stdio.h>

#include "engine/job/job_changes.h"
#include "export/brief.h"

struct job_changes_shown {
    const struct job_changes *changes;
    const char *before, *after; /* the folders, as they were named */
    bool ascii;
};
void job_changes_text(FILE *out, const struct job_changes_shown *s);
void job_changes_json(FILE *out, const struct job_changes_shown *s); /* "rooftop.job_changes/1" */
void job_changes_csv(FILE *out, const struct job_changes_shown *s);
void job_changes_brief(struct brief *b, const struct job_changes_shown *s);
