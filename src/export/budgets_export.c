#include "export/budgets_export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/print.h"
#include "engine/value/document.h"
#include "engine/value/value.h"
#include "export/budgets_export_impl.h"
#include "export/openmetrics.h"

static const char *format_budget_amount(double v, uint8_t unit, bool ascii,
                                        char out[VALUE_TEXT_MAX])
{
    struct value value = value_ok(v, unit);
    if (unit == UNIT_SECONDS)
        return value_time(v * 1e9, ascii, out);
    if (unit == UNIT_COUNT) {
        snprintf(out, VALUE_TEXT_MAX, "%.0f", v);
        return out;
    }
    if (unit == UNIT_NONE) {
        snprintf(out, VALUE_TEXT_MAX, "%.2g", v);
        return out;
    }
    return value_format(&value, ascii, out);
}

/* Writes both values in the smallest unit, with just as many digits as show their difference. */
static void tell_limit_apart(const struct budget_verdict *v, char measured[VALUE_TEXT_MAX],
                             char limit[VALUE_TEXT_MAX])
{
    const bool seconds = v->unit == UNIT_SECONDS;
    const char *unit = v->unit == UNIT_COUNT ? "" : unit_name(v->unit);
    const double scale = seconds ? 1e3 : 1;
    for (int digits = 3; digits <= 17 && strcmp(measured, limit) == 0; digits++) {
        snprintf(measured, VALUE_TEXT_MAX, "%.*g", digits, scale * v->measured);
        snprintf(limit, VALUE_TEXT_MAX, "%.*g", digits, scale * v->limit);
    }
    const size_t n = strlen(measured), m = strlen(limit);
    snprintf(measured + n, VALUE_TEXT_MAX - n, "%s%s", *unit ? " " : "", seconds ? "ms" : unit);
    snprintf(limit + m, VALUE_TEXT_MAX - m, "%s%s", *unit ? " " : "", seconds ? "ms" : unit);
}

/* Writes how much more than the limit it is: "+5 %", "206 times". */
static void write_excess(FILE *out, double ratio)
{
    if (ratio < 10)
        fprintf(out, " (+%.*f %%)", ratio < 1.1 ? 1 : 0, 100 * (ratio - 1));
    else
        fprintf(out, " (%.0f times)", ratio);
}

void budget_write_measure(FILE *out, const struct budget_verdict *v, bool ascii)
{
    char measured[VALUE_TEXT_MAX], limit[VALUE_TEXT_MAX];
    const char *word = v->budget->kind ? "at most" : "";
    if (v->budget->rule)
        word = "alarm from";
    else if (v->too_little)
        word = "at least";
    format_budget_amount(v->measured, v->unit, ascii, measured);
    format_budget_amount(v->limit, v->unit, ascii, limit);
    if (strcmp(measured, limit) == 0 && v->measured != v->limit)
        tell_limit_apart(v, measured, limit);
    if (v->budget->expression)
        print_text(out, "%s", v->measured != 0 ? "holds" : "does not hold");
    else if (v->budget->rule && v->measured <= 0)
        print_text(out, "not seen");
    else if (strcmp(budget_name_of(v->budget->kind), "exit_status") == 0)
        print_text(out, "%s, expected %s", measured, limit);
    else
        print_text(out, "%s%s, %s %s", v->budget->rule ? "confidence " : "", measured, word, limit);
    if (!v->budget->rule && !v->budget->expression && v->limit > 0 && v->measured > v->limit &&
        v->state != BUDGET_KEPT && strcmp(budget_name_of(v->budget->kind), "exit_status") != 0)
        write_excess(out, v->measured / v->limit);
    if (*v->why)
        print_text(out, "; %s", v->why);
}

/* Writes "a; b" as two lines. */
static void write_verdict_parts(FILE *out, const char *text)
{
    while (*text) {
        const char *end = strstr(text, "; ");
        size_t n = end ? (size_t)(end - text) : strlen(text);
        fputs("  ", out);
        print_put_n(out, PRINT_TEXT, text, n);
        fputs("\n", out);
        text += n + (end ? 2 : 0);
    }
}

static void write_pattern_warning(FILE *out, const struct budget_verdict *v)
{
    print_text(out, "WARNING: %s detected (confidence: %.0f %%)\n", v->budget->rule->title,
               100 * v->measured);
    write_verdict_parts(out, v->where);
    print_text(out, "  Recommendation: %s\n", v->budget->rule->remedy);
}

static const char *const words[BUDGET_STATES] = {
    [BUDGET_KEPT] = "pass",   [BUDGET_VIOLATED] = "FAIL", [BUDGET_WARNED] = "warn",
    [BUDGET_UNKNOWN] = "n/a", [BUDGET_NOT_MEANT] = "-",   [BUDGET_DISABLED] = "-",
    [BUDGET_NO_GOLDEN] = "-",
};

static void write_verdict(FILE *out, const struct budget_verdict *v, bool ascii)
{
    print_text(out, "%-4s  %s: ", words[v->state], v->budget->name);
    if (v->state == BUDGET_DISABLED || v->state == BUDGET_NOT_MEANT)
        print_text(out, "%s", v->state == BUDGET_DISABLED ? "disabled" : "for other programs");
    else if (v->state == BUDGET_NO_GOLDEN)
        print_text(out, "%s", v->why);
    else if (v->state == BUDGET_UNKNOWN)
        print_text(out, "not measured: %s%s", v->why,
                   v->budget->warns ? "" : "; what was not measured does not pass");
    else
        budget_write_measure(out, v, ascii);
    fputs(v->unsure ? "; it may be chance\n" : "\n", out);
    if (v->unsure)
        print_text(out, "      where: %s\n", v->where);
    if (v->state != BUDGET_VIOLATED && v->state != BUDGET_WARNED)
        return;
    if (v->budget->rule) {
        write_pattern_warning(out, v);
        return;
    }
    if (*v->where)
        print_text(out, "      where: %s\n", v->where);
    if (v->help)
        print_text(out, "      help:  %s\n", v->help);
}

void budgets_write_text(FILE *out, const struct budgets_document *doc)
{
    static const enum budget_state order[] = {BUDGET_VIOLATED, BUDGET_UNKNOWN,   BUDGET_WARNED,
                                              BUDGET_KEPT,     BUDGET_NO_GOLDEN, BUDGET_NOT_MEANT,
                                              BUDGET_DISABLED};
    size_t judged = 0, violated = 0;
    for (size_t s = 0; s < sizeof order / sizeof *order; s++)
        for (size_t i = 0; i < doc->n; i++)
            if (doc->verdicts[i].state == order[s])
                write_verdict(out, &doc->verdicts[i], doc->ascii);
    for (size_t i = 0; i < doc->n; i++) {
        const struct budget_verdict *v = &doc->verdicts[i];
        judged += v->state <= BUDGET_UNKNOWN;
        violated +=
            v->state == BUDGET_VIOLATED || (v->state == BUDGET_UNKNOWN && !v->budget->warns);
    }
    for (size_t i = 0; i < doc->file->nnotes; i++)
        print_text(out, "note  %s: %s\n", doc->file->path, doc->file->notes[i]);
    print_text(out, "%zu of %zu budgets of %s are not kept\n", violated, judged, doc->file->path);
}

static cJSON *verdict_json(const struct budget_verdict *v)
{
    cJSON *o = cJSON_CreateObject();
    bool judged = v->state <= BUDGET_WARNED;
    json_add_text(o, "name", v->budget->name);
    json_add_text(o, "type", budget_name_of(v->budget->kind));
    json_add_text(o, "state", budget_state_name(v->state));
    cJSON_AddBoolToObject(o, "fails",
                          v->state == BUDGET_VIOLATED ||
                              (v->state == BUDGET_UNKNOWN && !v->budget->warns));
    if (v->budget->description)
        json_add_text(o, "description", v->budget->description);
    if (v->budget->line)
        json_add_u64(o, "line", (uint64_t)v->budget->line);
    if (v->budget->rule)
        json_add_text(o, "pattern", v->budget->rule->id);
    json_add_number(o, "measured", judged ? v->measured : NAN);
    json_add_number(o, "limit", judged ? v->limit : NAN);
    json_add_text(o, "unit", unit_name(v->unit));
    if (*v->why)
        json_add_text(o, "why", v->why);
    if (v->unsure)
        cJSON_AddBoolToObject(o, "unsure", true);
    if (judged && *v->where)
        json_add_text(o, "where", v->where);
    if (judged && v->state != BUDGET_KEPT && v->help)
        json_add_text(o, "help", v->help);
    return o;
}

void budgets_write_json(FILE *out, const struct budgets_document *doc)
{
    cJSON *o = document_begin("rooftop.assert/1"), *list = cJSON_CreateArray();
    const struct run_facts *f = doc->run->facts;
    json_add_text(o, "file", doc->file->path);
    cJSON_AddBoolToObject(o, "passed", !doc->failed);
    json_add_text(o, "program", doc->run->program);
    json_add_u64(o, "calls", f->calls);
    json_add_u64(o, "lost", f->lost);
    json_add_number(o, "wall_ms", doc->run->wall_ns ? (double)doc->run->wall_ns / 1e6 : NAN);
    for (size_t i = 0; i < doc->n; i++)
        cJSON_AddItemToArray(list, verdict_json(&doc->verdicts[i]));
    cJSON_AddItemToObject(o, "budgets", list);
    document_end(out, o);
}

/* --- OpenMetrics --- */

static void add_budget_samples(struct openmetrics *m, const struct budget_verdict *v,
                               const char *program)
{
    static const bool judged[BUDGET_STATES] = {
        [BUDGET_KEPT] = true, [BUDGET_VIOLATED] = true, [BUDGET_WARNED] = true};
    char line[16];
    const struct budget *b = v->budget;
    const struct value kept = value_ok(v->state == BUDGET_KEPT, UNIT_NONE),
                       measured = value_ok(v->measured, v->unit),
                       limit = value_ok(v->limit, v->unit);
    const char *const labels[] = {"program", program, "budget", b->name, "line", line, NULL};
    snprintf(line, sizeof line, "%d", b->line); /* names may be there twice */
    if (!judged[v->state])
        return;
    openmetrics_add(m, "check", "budget_kept", "1 where the run keeps to the budget", labels,
                    &kept);
    if (isfinite(v->measured))
        openmetrics_add(m, "check", "budget_measured", "what was measured for the budget", labels,
                        &measured);
    if (isfinite(v->limit))
        openmetrics_add(m, "check", "budget_limit", "the limit of the budget", labels, &limit);
}

void budgets_write_openmetrics(FILE *out, const struct budgets_document *doc)
{
    struct openmetrics *m = openmetrics_new();
    const char *const labels[] = {"program", doc->run->program, NULL};
    const struct value passed = value_ok(!doc->failed, UNIT_NONE);
    openmetrics_add(m, "check", "passed", "1 where the run keeps to all budgets", labels, &passed);
    for (size_t i = 0; i < doc->n; i++)
        add_budget_samples(m, &doc->verdicts[i], doc->run->program);
    openmetrics_write(out, m);
    openmetrics_free(m);
}
