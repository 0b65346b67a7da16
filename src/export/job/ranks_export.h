/* The ranks of a job that recorded themselves (engine/job/job_folder.h) as documents; docs/JOBS.md.
 */
#pragma once

#include <stdio.h>

#include "engine/job/job_folder.h"
#include "engine/value/list_field.h"
#include "export/brief.h"

void ranks_export_text(FILE *out, const struct job_folder *f, bool ascii);
void ranks_export_json(FILE *out, const struct job_folder *f); /* schema "rooftop.ranks/1" */
void ranks_export_csv(FILE *out, const struct job_folder *f);
/* A number of a field of ranks (engine/job/rank_fields.h); NaN as "n/a". Returns out. */
const char *rank_number_text(const struct list_field *f, double v, bool ascii,
                             char out[VALUE_TEXT_MAX]);
void ranks_brief(struct brief *b, const struct job_folder *f, bool ascii);
