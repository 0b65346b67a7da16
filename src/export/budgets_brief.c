/* The short answer about budgets, and lines for GitHub Actions. */
#include <stdlib.h>

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

void budgets_brief(struct brief *b, const struct budgets_document *doc)
{
    size_t failed = 0, warned = 0;
    for (size_t i = 0; i < doc->n; i++) {
        failed += is_failing(&doc->verdicts[i]);
        warned += !is_kept(&doc->verdicts[i]) && !is_failing(&doc->verdicts[i]);
    }
    brief_verdict(b, "%s: %zu of %zu budgets of %s failed, %zu warned",
                  doc->failed ? "failed" : "passed", failed, doc->n, doc->file->path, warned);
    add_budget_rows(b, doc, true);
    add_budget_rows(b, doc, false);
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
