/* A job of many ranks as documents; docs/JOBS.md. */
#pragma once

#include <stdio.h>

#include "engine/job/job.h"
#include "export/brief.h"

/* judged: who holds the others up, and why, is shown already, and is left out. */
void job_export_text(FILE *out, const struct job *j, bool judged, bool ascii);
void job_export_json(FILE *out, const struct job *j); /* schema "rooftop.job/1" */
void job_export_csv(FILE *out, const struct job *j);
void job_brief(struct brief *b, const struct job *j, bool judged, bool ascii);
