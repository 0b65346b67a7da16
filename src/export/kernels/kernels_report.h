/* A readable summary of a profile: where the time went, the largest kernels with their bottlenecks,
 * and what the profile lacks. */
#pragma once

#include <stdio.h>

#include "engine/kernels/kernels.h"
#include "export/brief.h"

/* paths: the profile's files, for the heading. */
void kernels_report_text(FILE *out, const struct trace *t, const struct kernels *k,
                         const char *const *paths, size_t npaths, bool ascii);
/* Schema "rooftop.report/1". */
void kernels_report_json(FILE *out, const struct trace *t, const struct kernels *k,
                         const char *const *paths, size_t npaths);
/* Writes "what,value" lines with everything in the report except the kernels, which `rooftop
 * report kernels` writes. */
void kernels_report_csv(FILE *out, const struct trace *t, const struct kernels *k);
void kernels_report_svg(FILE *out, const struct kernels *k);
/* Fills the verdict and its evidence from the totals and from the ranks of a profile (NULL: they
 * are not asked for), and rows from n rows of the table, in the order of `rows` (NULL: that of the
 * table). */
void kernels_brief(struct brief *b, const struct kernels *k, const struct trace *ranks,
                   const struct kernel_table *table, const uint32_t *rows, uint32_t n, bool ascii);
