/* The short answer about budgets, and lines for GitHub Actions. */
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "export/budgets_export.h"
#include "export/budgets_export_impl.h"
#include "export/github.h"

static bool is_kept(const struct budget_verdict *v)
{
    return v->state != BUDGET_VIOLATED && v->state != BUDGET_WARNED && v->state != BUDGET_UNKNOWN;
}

static bool is_failing(const struct budget_verdict *v)
{
    return !v->budget->warns && (v->state == BUDGET_VIOLATED || v->state == BUDGET_UNKNOWN);
}

/* What was measured, against which limit; why, where nothing was. The caller frees it. */
static char *describe_measure(const struct budget_verdict *v, bool ascii)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f)
        abort();
    if (v->state == BUDGET_UNKNOWN)
        print_text(f, "not measured: %s", v->why);
    else
        budget_write_measure(f, v, ascii);
    fclose(f);
    return text;
}

static void add_budget_rows(struct brief *b, const struct budgets_document *doc, bool failing)
{
    for (size_t i = 0; i < doc->n; i++) {
        const struct budget_verdict *v = &doc->verdicts[i];
        if (is_kept(v) || is_failing(v) != failing)
            continue;
        char *text = describe_measure(v, doc->ascii);
        brief_row(b, v->budget->name, "%s: %s", failing ? "FAIL" : "warn", text);
        if (failing && v->help)
            brief_evidence(b, "%s: %s", v->budget->name, v->help);
        free(text);
    }
}

/* The used share of the limit; of a minimum, the limit's share of what was measured. Negative:
 * there is none, as of an expression that holds. */
static double share_of_limit(const struct budget_verdict *v)
{
    const double of = v->too_little ? v->measured : v->limit;
    const bool exact =
        v->budget->kind && strcmp(budget_name_of(v->budget->kind), "exit_status") == 0;
    if (v->budget->expression || exact || !(of > 0))
        return -1;
    return (v->too_little ? v->limit : v->measured) / of;
}

/* Adds the budgets that are kept, the nearest to its limit first. */
static void add_kept_rows(struct brief *b, const struct budgets_document *doc)
{
    struct brief_top top = {0};
    for (size_t i = 0; i < doc->n; i++)
        if (doc->verdicts[i].state == BUDGET_KEPT)
            brief_top_add(&top, i, share_of_limit(&doc->verdicts[i]));
    for (size_t i = 0; i < top.n; i++) {
        const struct budget_verdict *v = &doc->verdicts[top.index[i]];
        char *text = describe_measure(v, doc->ascii), share[32] = "";
        if (top.weight[i] >= 0)
            snprintf(share, sizeof share,
                     v->too_little ? " (limit: %.3g %% of it)" : " (%.3g %% used)",
                     100 * top.weight[i]);
        brief_row(b, v->budget->name, "pass: %s%s%s", text, share,
                  v->unsure ? "; above it perhaps by chance" : "");
        free(text);
    }
    b->left_out += top.left_out;
}

void budgets_brief(struct brief *b, const struct budgets_document *doc)
{
    size_t failed = 0, warned = 0, judged = 0;
    for (size_t i = 0; i < doc->n; i++) {
        judged += doc->verdicts[i].state <= BUDGET_UNKNOWN;
        failed += is_failing(&doc->verdicts[i]);
        warned += !is_kept(&doc->verdicts[i]) && !is_failing(&doc->verdicts[i]);
    }
    brief_verdict(b, "%s: %zu of %zu budgets of %s failed, %zu warned",
                  doc->failed ? "failed" : "passed", failed, judged, doc->file->path, warned);
    if (doc->n > judged)
        brief_evidence(b, "%zu not judged: disabled, or not for this run", doc->n - judged);
    add_budget_rows(b, doc, true);
    add_budget_rows(b, doc, false);
    if (!doc->failed)
        add_kept_rows(b, doc);
}

void budgets_annotate(FILE *out, const struct budgets_document *doc)
{
    for (size_t i = 0; i < doc->n; i++) {
        const struct budget_verdict *v = &doc->verdicts[i];
        if (is_kept(v))
            continue;
        char *text = describe_measure(v, true);
        github_annotate(out, is_failing(v) ? "error" : "warning", doc->file->path, v->budget->line,
                        v->budget->name, text);
        free(text);
    }
}
