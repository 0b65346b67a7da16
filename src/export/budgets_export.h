/* Verdicts on budgets and anti-patterns as documents. */
#pragma once

#include <stdio.h>

#include "engine/budgets/budgets.h"
#include "export/brief.h"

struct budgets_document {
    const struct budget_file *file;
    const struct budget_verdict *verdicts;
    size_t n;
    const struct budget_run *run;
    bool failed, ascii;
};

/* Writes what each budget demanded, what was measured, where, and what to do; violations first. */
void budgets_write_text(FILE *out, const struct budgets_document *doc);
/* docs/BUDGETS.md: rooftop.assert/1. */
void budgets_write_json(FILE *out, const struct budgets_document *doc);
/* Whether the run passed, and of each budget whether it was kept, what was measured and its limit.
 * A budget that could not be measured has no numbers: docs/PROMETHEUS.md. */
void budgets_write_openmetrics(FILE *out, const struct budgets_document *doc);
/* Fills the verdict, and a row for each budget that was not kept; where all were, rows for those
 * that came nearest to their limit. */
void budgets_brief(struct brief *b, const struct budgets_document *doc);
/* Writes a line for GitHub Actions for each budget that was not kept, with its place in the file.
 */
void budgets_annotate(FILE *out, const struct budgets_document *doc);
