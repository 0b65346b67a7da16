/* Steps as documents; docs/PROFILES.md. */
#pragma once

#include <stdio.h>

#include "engine/analysis/steps.h"
#include "export/brief.h"

void steps_export_text(FILE *out, const struct steps *s, bool ascii);
/* Schema "rooftop.steps/1". t, from which s was made, may be NULL. */
void steps_export_json(FILE *out, const struct trace *t, const struct steps *s);
void steps_brief(struct brief *b, const struct steps *s, bool ascii);
void steps_export_csv(FILE *out, const struct steps *s);
/* How far the step is from the mean of all, in percent: "+34.1 %". Returns out. */
const char *step_distance(const struct steps *s, const struct profile_step *r, char out[32]);
