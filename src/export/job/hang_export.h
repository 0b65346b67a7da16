/* Why a job hangs, as documents; docs/JOBS.md. */
#pragma once

#include <stdio.h>

#include "engine/job/hang.h"
#include "export/brief.h"

void hang_export_text(FILE *out, const struct hang *h, bool ascii);
void hang_export_json(FILE *out, const struct hang *h); /* schema "rooftop.hang/1" */
void hang_export_csv(FILE *out, const struct hang *h);
void hang_brief(struct brief *b, const struct hang *h, bool ascii);
