/* A readable summary of a profile: where the time went, the largest kernels with their bottlenecks,
 * and what the profile lacks. */
#pragma once

#include <stdio.h>

#include "engine/kernels/kernels.h"

/* paths: the profile's files, for the heading. */
void kernels_report_text(FILE *out, const struct trace *t, const struct kernels *k,
                         const char *const *paths, size_t npaths, bool ascii);
/* Schema "rooftop.report/1". */
void kernels_report_json(FILE *out, const struct trace *t, const struct kernels *k,
                         const char *const *paths, size_t npaths);
/* Writes "what,value" lines with everything in the report except the kernels, which `rooftop
 * kernels` writes. */
void kernels_report_csv(FILE *out, const struct trace *t, const struct kernels *k);
void kernels_report_svg(FILE *out, const struct kernels *k);
