/* The ranks of a job that recorded themselves (engine/job/job_folder.h) as documents; docs/JOBS.md.
 */
#pragma once

#include <stdio.h>

#include "engine/job/job_folder.h"
#include "export/brief.h"

void ranks_export_text(FILE *out, const struct job_folder *f, bool ascii);
void ranks_export_json(FILE *out, const struct job_folder *f); /* schema "rooftop.ranks/1" */
void ranks_export_csv(FILE *out, const struct job_folder *f);
void ranks_brief(struct brief *b, const struct job_folder *f, bool ascii);
