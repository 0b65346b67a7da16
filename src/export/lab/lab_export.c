#include "export/lab/lab_export.h"

#include <cjson/cJSON.h>
#include <math.h>

#include "base/print.h"
#include "engine/value/document.h"
#include "engine/value/record.h"
#include "engine/value/record_rows.h"
#include "engine/ports/mca.h"
#include "export/brief.h"
#include "export/lab/lab_table.h"

/* --- text --- */

static void print_machine(FILE *out, const struct lab_report *r)
{
    char clock[LAB_CELL];
    print_text(out, "core clock   %s, measured beside each run\n", lab_clock_text(r, clock));
    print_text(out, "compiled     %s\n",
               *r->target ? r->target : "n/a: not possible on this machine");
    for (size_t i = 0; i < r->ncandidates; i++)
        print_text(out, "             %.2f ops/cycle of balanced by %s, tried before\n",
                   r->candidates[i].ops_per_cycle, r->candidates[i].name);
    print_text(out, "counters     %s%s\n", *r->no_counters ? "n/a: " : "counted, one set at a time",
               r->no_counters);
    if (*r->no_counters)
        print_text(out, "cycles       time x core clock: the CPU's own count is not available\n");
    if (*r->no_macro_ops && !*r->no_counters)
        print_text(out, "macro-ops    n/a: %s\n", r->no_macro_ops);
    if (*r->no_topdown && !*r->no_counters)
        print_text(out, "top-down     n/a: %s\n", r->no_topdown);
    if (*r->no_l1 && !*r->no_counters)
        print_text(out, "L1           n/a: %s\n", r->no_l1);
}

static void print_table(FILE *out, const struct lab_report *r, enum lab_path path)
{
    char cell[LAB_CELL];
    print_text(out, "\n%-18s", lab_path_name(path));
    for (const struct lab_column *c = lab_columns; c->head; c++)
        print_text(out, " %*s", c->width, c->head);
    fputc('\n', out);
    for (size_t i = 0; i < r->n; i++) {
        if (r->rows[i].path != path)
            continue;
        print_text(out, "%-18s", r->rows[i].load->name);
        for (const struct lab_column *c = lab_columns; c->head; c++)
            print_text(out, " %*s", c->width, lab_cell(&r->rows[i], c, cell));
        fputc('\n', out);
    }
}

static double limit_ops(const struct lab_report *r)
{
    return lab_report_find(r, "balanced", LAB_COMPILED)->fill.v * r->limit.words / r->limit.cycles;
}

/* Prints the static prediction for the code that ran beside the measured number. */
static void print_limit(FILE *out, const struct lab_report *r)
{
    const struct lab_limit *m = &r->limit;
    if (*m->why)
        print_text(out, "  %-12s n/a: %s\n", "llvm-mca", m->why);
    else if (*m->tool)
        print_text(out,
                   "  %-12s %5.2f ops/cycle predicted for its loop of %.0f words by %s, core %s\n"
                   "  %-12s bound by %s\n  %-12s error: %s\n",
                   "llvm-mca", limit_ops(r), m->words, m->tool, m->core, "", m->bound, "",
                   mca_error);
}

static void print_balanced(FILE *out, const struct lab_report *r)
{
    char line[LAB_LINE];
    const struct lab_row *row = lab_report_find(r, "balanced", LAB_INTERPRETER);
    if (!row)
        return;
    print_text(out, "\nbalanced\n  %-12s %5.2f ops/cycle (slots filled: %.2f a word)\n", "model",
               row->model.v, row->fill.v);
    for (int path = 0; path < LAB_PATHS; path++) {
        row = lab_report_find(r, "balanced", (enum lab_path)path);
        if (row)
            print_text(out, "  %s\n", lab_gap_text(row, line));
        if (row)
            print_text(out, "  %s\n", lab_topdown_text(row, line));
        if (row && row->cost.validity == VALUE_OK)
            print_text(out, "  %-12s counting costs %.2f %% (%.2f to %.2f)\n", "", row->cost.v,
                       row->cost_low.v, row->cost_high.v);
    }
    print_limit(out, r);
}

void lab_export_text(FILE *out, const void *what)
{
    const struct lab_report *r = what;
    struct lab_gate_result gates[LAB_GATES];
    char line[LAB_LINE];
    if (!r->complete)
        print_text(out, "not complete: it ended after %zu of its runs\n", r->n);
    print_machine(out, r);
    for (int path = 0; path < LAB_PATHS; path++)
        if (lab_report_find(r, "balanced", (enum lab_path)path))
            print_table(out, r, (enum lab_path)path);
    print_balanced(out, r);
    lab_gates(r, gates);
    fputs("\ngates\n", out);
    for (int i = 0; i < LAB_GATES; i++)
        print_text(out, "  %s\n", lab_gate_text(&gates[i], line));
}

void lab_brief(struct brief *b, const struct lab_report *r)
{
    struct lab_gate_result gates[LAB_GATES];
    char line[LAB_LINE];
    int failed = 0, passed = 0;
    lab_gates(r, gates);
    for (int i = 0; i < LAB_GATES; i++) {
        failed += gates[i].verdict == LAB_FAIL;
        passed += gates[i].verdict == LAB_PASS;
    }
    brief_verdict(b, "%d of %d gates fail, %d pass", failed, LAB_GATES, passed);
    if (!r->complete)
        brief_evidence(b, "not complete: it ended after %zu of its runs", r->n);
    for (int path = 0; path < LAB_PATHS; path++) {
        const struct lab_row *row = lab_report_find(r, "balanced", (enum lab_path)path);
        if (row)
            brief_evidence(b, "%s", lab_gap_text(row, line));
    }
    if (*r->no_counters)
        brief_evidence(b, "nothing was counted: %s", r->no_counters);
    for (int i = 0; i < LAB_GATES; i++) {
        char value[VALUE_TEXT_MAX];
        brief_row(b, gates[i].name, "%s: %s; wanted: %s", lab_verdict_name(gates[i].verdict),
                  value_format(&gates[i].value, true, value), gates[i].target);
    }
}

/* --- documents --- */

static cJSON *make_lab_json_row(const struct lab_row *row)
{
    cJSON *j = cJSON_CreateObject();
    json_add_text(j, "workload", row->load->name);
    json_add_text(j, "path", lab_path_name(row->path));
    json_add_text(j, "cycles_from", row->calibrated ? "calibrated clock" : "counter");
    json_add_number(j, "clock_hz", row->number[LAB_CLOCK]);
    json_add_number(j, "pass_s", row->number[LAB_TIME]);
    json_add_number(j, "pass_median_s", row->number[LAB_MEDIAN]);
    for (const struct lab_column *c = lab_columns; c->head; c++)
        json_add_value(j, c->key, lab_value(row, c));
    static const char *const parts[] = {"retiring", "frontend", "bad_speculation", "backend"};
    cJSON *slots = cJSON_AddObjectToObject(j, "topdown_percent");
    for (int i = 0; i < LAB_TOPDOWN_PARTS; i++)
        json_add_value(slots, parts[i], &row->topdown[i]);
    json_add_value(j, "counter_cost_low_percent", &row->cost_low);
    json_add_value(j, "counter_cost_high_percent", &row->cost_high);
    return j;
}

static void add_limit(cJSON *doc, const struct lab_report *r)
{
    cJSON *j = cJSON_AddObjectToObject(doc, "predicted_loop");
    json_add_text(j, "why", *r->limit.why ? r->limit.why : NULL);
    if (!*r->limit.tool)
        return;
    json_add_text(j, "tool", r->limit.tool);
    json_add_text(j, "core", r->limit.core);
    json_add_text(j, "bound_by", r->limit.bound);
    json_add_text(j, "error", mca_error);
    json_add_number(j, "words", r->limit.words);
    json_add_number(j, "cycles", r->limit.cycles);
    json_add_number(j, "ops_per_cycle", limit_ops(r));
}

#define TYPE struct lab_candidate
static const struct fields candidate_record =
    RECORD_OF(ROW(CHARS, name), NAMED(DOUBLE, ops_per_cycle, "balanced_ops_per_cycle"));
#undef TYPE

void lab_export_json(FILE *out, const void *what)
{
    const struct lab_report *r = what;
    struct lab_gate_result gates[LAB_GATES];
    cJSON *doc = document_begin("rooftop.lab/1");
    cJSON_AddBoolToObject(doc, "complete", r->complete);
    json_add_text(doc, "compiled_for", r->target);
    record_add_rows(doc, "compile_candidates", candidate_record, r->candidates, r->ncandidates);
    json_add_text(doc, "counters_missing", r->no_counters);
    cJSON_AddNumberToObject(doc, "words", LAB_WORDS);
    cJSON *rows = cJSON_AddArrayToObject(doc, "runs");
    for (size_t i = 0; i < r->n; i++)
        cJSON_AddItemToArray(rows, make_lab_json_row(&r->rows[i]));
    add_limit(doc, r);
    cJSON *list = cJSON_AddArrayToObject(doc, "gates");
    lab_gates(r, gates);
    for (int i = 0; i < LAB_GATES; i++) {
        cJSON *j = cJSON_CreateObject();
        json_add_text(j, "gate", gates[i].name);
        json_add_text(j, "target", gates[i].target);
        json_add_text(j, "verdict", lab_verdict_name(gates[i].verdict));
        json_add_value(j, "value", &gates[i].value);
        cJSON_AddItemToArray(list, j);
    }
    document_end(out, doc);
}

void lab_export_csv(FILE *out, const void *what)
{
    const struct lab_report *r = what;
    char cell[LAB_CELL];
    fputs("workload,path,cycles_from", out);
    for (const struct lab_column *c = lab_columns; c->head; c++)
        print_csv(out, ",%s", c->key);
    fputc('\n', out);
    for (size_t i = 0; i < r->n; i++) {
        const struct lab_row *row = &r->rows[i];
        print_csv(out, "%s,%s,%s", row->load->name, lab_path_name(row->path),
                  row->calibrated ? "clock" : "counter");
        for (const struct lab_column *c = lab_columns; c->head; c++)
            print_csv(out, ",%s",
                      lab_value(row, c)->validity == VALUE_OK ? lab_cell(row, c, cell) : "");
        fputc('\n', out);
    }
}
