#include "engine/lab/lab.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "vtpu/compile.h"

/* The seed's criteria (R23 Wave 5, "Validation Criteria"; bands of its perf_validation). */
static const double ops_least = 2.5, l1_least = 90, mispredict_most = 2, deviation_pass = 10,
                    deviation_warn = 25;

/* docs/VALIDATION.md, "Where 2.5 was seen", has the templates and the way of measuring. */
const struct lab_reached lab_reached[] = {
    {"Zen 5", "2026-11-24", 2.89},
    {"Zen 4", "2026-11-23", 2.78},
    {"Intel 6/207", "2026-11-28", 2.51},
    {NULL, NULL, 0},
};

static const char no_clock[] = "no clock could be calibrated on this kind of CPU";
static const char not_here[] = "the CPU counts no event for it, or it was refused";
static const char no_elements[] = "the stream touches no memory";
static const char no_ops[] = "the stream has no op";

const char *lab_path_name(enum lab_path path)
{
    return path == LAB_COMPILED ? "compiled" : "interpreter";
}

const char *lab_topdown_name(enum lab_topdown_part part)
{
    static const char *const names[] = {"retiring", "frontend", "bad speculation", "backend"};
    return names[part];
}

const char *lab_verdict_name(enum lab_verdict v)
{
    static const char *const names[] = {"n/a", "PASS", "WARN", "FAIL"};
    return names[v];
}

void lab_report_open(struct lab_report *r)
{
    memset(r, 0, sizeof *r);
}

double lab_quantile(double *list, size_t n, double share)
{
    if (n == 0)
        return NAN;
    qsort(list, n, sizeof *list, order_doubles);
    return list[(size_t)(share * (double)(n - 1))];
}

size_t lab_fastest(double *times, size_t n, size_t rounds, double *fast)
{
    size_t best = 0;
    for (size_t k = 0; k < n; k++) {
        fast[k] = lab_quantile(times + k * rounds, rounds, 0.1);
        best = fast[k] < fast[best] ? k : best;
    }
    return best;
}

static struct value make_ratio_value(double a, double b, double factor, enum unit unit,
                                     const char *why)
{
    if (isnan(a) || isnan(b) || !(b > 0))
        return value_missing(why, unit);
    return value_ok(factor * a / b, unit);
}

static struct value make_percent_value(double v, const char *why)
{
    return isnan(v) ? value_missing(why, UNIT_PERCENT) : value_ok(100 * v, UNIT_PERCENT);
}

/* Why a number was not counted: counting failed as a whole, or for these events. */
static const char *why_not(const struct lab_report *r, const char *own)
{
    if (*r->no_counters)
        return r->no_counters;
    return *own ? own : not_here;
}

static size_t count_elements(const struct siw *words, size_t n)
{
    size_t elements = 0;
    for (size_t i = 0; i < n; i++) {
        uint8_t code = words[i].slot[VTPU_PIPE_S].code;
        elements += code == VTPU_SGATHER || code == VTPU_SSCATTR;
    }
    return elements;
}

static void compute_topdown(const struct lab_report *r, struct lab_row *row)
{
    for (int i = 0; i < LAB_TOPDOWN_PARTS; i++)
        row->topdown[i] = isnan(row->slots[i])
                              ? value_missing(why_not(r, r->no_topdown), UNIT_PERCENT)
                              : value_ok(row->slots[i], UNIT_PERCENT);
}

static void compute_values(struct lab_report *r, struct lab_row *row)
{
    static struct siw words[LAB_WORDS];
    const double *m = row->number;
    const char *uncounted = why_not(r, "");
    vtpu_stream(row->load, words, LAB_WORDS, 0);
    vtpu_predict(words, LAB_WORDS, &row->predicted);
    double ops = row->predicted.fill * LAB_WORDS;
    row->calibrated = isnan(m[LAB_CYCLES]);
    double cycles = row->calibrated ? m[LAB_TIME] * m[LAB_CLOCK] : m[LAB_CYCLES];
    row->fill = value_ok(row->predicted.fill, UNIT_NONE);
    row->model = value_ok(row->predicted.ops_per_cycle, UNIT_PER_CYCLE);
    row->model.flags = VALUE_MODELLED;
    row->ops_per_cycle = make_ratio_value(ops, cycles, 1, UNIT_PER_CYCLE, no_clock);
    row->cycles_per_word = make_ratio_value(cycles, LAB_WORDS, 1, UNIT_NONE, no_clock);
    size_t elements = count_elements(words, LAB_WORDS);
    row->cycles_per_element =
        make_ratio_value(cycles, (double)elements, 1, UNIT_NONE, elements ? no_clock : no_elements);
    row->ipc = make_ratio_value(m[LAB_INSTRUCTIONS], m[LAB_CYCLES], 1, UNIT_PER_CYCLE, uncounted);
    row->macro_ops = make_ratio_value(m[LAB_MACRO_OPS], m[LAB_CYCLES], 1, UNIT_PER_CYCLE,
                                      why_not(r, r->no_macro_ops));
    row->l1_hit = make_ratio_value(m[LAB_L1_ACCESSES] - m[LAB_L1_MISSES], m[LAB_L1_ACCESSES], 100,
                                   UNIT_PERCENT, why_not(r, r->no_l1));
    row->mispredict =
        make_ratio_value(m[LAB_MISPREDICTS], m[LAB_BRANCHES], 100, UNIT_PERCENT, uncounted);
    row->deviation = value_missing(ops > 0 ? no_clock : no_ops, UNIT_PERCENT);
    if (row->ops_per_cycle.validity == VALUE_OK && row->model.v > 0)
        row->deviation =
            value_ok(100 * fabs(row->ops_per_cycle.v / row->model.v - 1), UNIT_PERCENT);
    compute_topdown(r, row);
    row->cost = make_percent_value(m[LAB_COST], uncounted);
    row->cost_low = make_percent_value(m[LAB_COST_LOW], uncounted);
    row->cost_high = make_percent_value(m[LAB_COST_HIGH], uncounted);
}

/* Reads n numbers, "-" is NaN, and nothing behind them. */
static bool take_numbers(const char *text, double *out, int n)
{
    for (int i = 0; i < n; i++) {
        char *end = NULL;
        text += strspn(text, " ");
        bool missing = text[0] == '-' && (text[1] == ' ' || text[1] == '\0');
        out[i] = missing ? NAN : strtod(text, &end);
        if (!missing && (end == text || !isfinite(out[i])))
            return false;
        text = missing ? text + 1 : end;
    }
    return text[strspn(text, " ")] == '\0';
}

/* "run WORKLOAD PATH NUMBER...": a number that was not measured is "-". */
static bool take_run(struct lab_report *r, const char *text)
{
    struct lab_row row = {0};
    char name[32], path[16];
    int used = 0;
    if (r->n == LAB_ROWS_MAX || sscanf(text, "%31s %15s%n", name, path, &used) != 2)
        return false;
    row.load = vtpu_workload_find(name);
    row.path = strcmp(path, lab_path_name(LAB_COMPILED)) == 0 ? LAB_COMPILED : LAB_INTERPRETER;
    if (!row.load || strcmp(path, lab_path_name(row.path)) != 0)
        return false;
    if (!take_numbers(text + used, row.number, LAB_NUMBERS))
        return false;
    for (int i = 0; i < LAB_TOPDOWN_PARTS; i++)
        row.slots[i] = NAN; /* a line of its own tells them */
    compute_values(r, &row);
    r->rows[r->n++] = row;
    return true;
}

/* "topdown WORKLOAD PATH PERCENT...": about the run in the line before. */
static bool take_topdown(struct lab_report *r, const char *text)
{
    struct lab_row *row = r->n ? &r->rows[r->n - 1] : NULL;
    char name[32], path[16];
    double slots[LAB_TOPDOWN_PARTS];
    int used = 0;
    if (!row || sscanf(text, "%31s %15s%n", name, path, &used) != 2 ||
        strcmp(name, row->load->name) != 0 || strcmp(path, lab_path_name(row->path)) != 0 ||
        !take_numbers(text + used, slots, LAB_TOPDOWN_PARTS))
        return false;
    memcpy(row->slots, slots, sizeof slots);
    compute_topdown(r, row);
    return true;
}

/* "candidate OPS NAME" */
static bool take_candidate(struct lab_report *r, const char *text)
{
    char *name = NULL;
    const double ops = strtod(text, &name);
    if (r->ncandidates == LAB_CANDIDATES || name == text || *name != ' ' || !isfinite(ops))
        return false;
    struct lab_candidate *c = &r->candidates[r->ncandidates++];
    c->ops_per_cycle = ops;
    snprintf(c->name, sizeof c->name, "%s", name + 1);
    return true;
}

bool lab_report_line(struct lab_report *r, const char *line)
{
    static const char *const keys[] = {"target ", "counters ", "macro-ops ", "l1 ", "slots "};
    char *const texts[] = {r->target, r->no_counters, r->no_macro_ops, r->no_l1, r->no_topdown};
    const size_t sizes[] = {sizeof r->target, LAB_WHY, LAB_WHY, LAB_WHY, LAB_WHY};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strncmp(line, keys[i], strlen(keys[i])) == 0) {
            snprintf(texts[i], sizes[i], "%s", line + strlen(keys[i]));
            return true;
        }
    if (strcmp(line, "complete") == 0) {
        r->complete = true;
        return true;
    }
    if (strncmp(line, "candidate ", 10) == 0)
        return take_candidate(r, line + 10);
    return strncmp(line, "run ", 4) == 0
               ? take_run(r, line + 4)
               : strncmp(line, "topdown ", 8) == 0 && take_topdown(r, line + 8);
}

void lab_report_copy(struct lab_report *to, const struct lab_report *from)
{
    *to = *from;
    for (size_t i = 0; i < to->n; i++)
        compute_values(to, &to->rows[i]);
}

const struct lab_row *lab_report_find(const struct lab_report *r, const char *load,
                                      enum lab_path path)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->rows[i].path == path && strcmp(r->rows[i].load->name, load) == 0)
            return &r->rows[i];
    return NULL;
}

static enum lab_verdict judge_lab_value(const struct value *v, bool pass, bool warn)
{
    if (v->validity != VALUE_OK)
        return LAB_NA;
    if (pass)
        return LAB_PASS;
    return warn ? LAB_WARN : LAB_FAIL;
}

/* "at least 2.5 (reached: Zen 5 2.89, Zen 4 2.78)" */
static void write_ops_target(char out[LAB_TARGET])
{
    size_t n = (size_t)snprintf(out, LAB_TARGET, "at least %g (reached:", ops_least);
    for (const struct lab_reached *m = lab_reached; m->machine && n < LAB_TARGET; m++)
        n += (size_t)snprintf(out + n, LAB_TARGET - n, "%s %s %.2f", m == lab_reached ? "" : ",",
                              m->machine, m->ops_per_cycle);
    if (n < LAB_TARGET)
        snprintf(out + n, LAB_TARGET - n, ")");
}

void lab_gates(const struct lab_report *r, struct lab_gate_result out[LAB_GATES])
{
    const struct lab_row *row = lab_report_find(r, "balanced", LAB_COMPILED);
    struct value none = value_missing("the balanced stream was not measured", UNIT_NONE);
    if (!row)
        row = lab_report_find(r, "balanced", LAB_INTERPRETER);
    struct value ops = row ? row->ops_per_cycle : none;
    struct value l1 = row ? row->l1_hit : none;
    struct value miss = row ? row->mispredict : none;
    struct value far = row ? row->deviation : none;
    out[LAB_GATE_OPS] =
        (struct lab_gate_result){.name = "balanced ops/cycle",
                                 .value = ops,
                                 .verdict = judge_lab_value(&ops, ops.v >= ops_least, false)};
    out[LAB_GATE_L1] =
        (struct lab_gate_result){.name = "L1 hit rate",
                                 .value = l1,
                                 .verdict = judge_lab_value(&l1, l1.v > l1_least, false)};
    out[LAB_GATE_MISPREDICT] = (struct lab_gate_result){
        .name = "branch mispredict",
        .value = miss,
        .verdict = judge_lab_value(&miss, miss.v < mispredict_most, false)};
    out[LAB_GATE_DEVIATION] = (struct lab_gate_result){
        .name = "deviation from model",
        .value = far,
        .verdict = judge_lab_value(&far, far.v <= deviation_pass, far.v <= deviation_warn)};
    write_ops_target(out[LAB_GATE_OPS].target);
    snprintf(out[LAB_GATE_L1].target, LAB_TARGET, "over %g %%", l1_least);
    snprintf(out[LAB_GATE_MISPREDICT].target, LAB_TARGET, "under %g %%", mispredict_most);
    snprintf(out[LAB_GATE_DEVIATION].target, LAB_TARGET, "%g %%, warns to %g %%", deviation_pass,
             deviation_warn);
}

bool lab_fails(const struct lab_report *r)
{
    struct lab_gate_result gates[LAB_GATES];
    bool fails = false;
    lab_gates(r, gates);
    for (int i = 0; i < LAB_GATES; i++)
        fails |= gates[i].verdict == LAB_FAIL;
    return fails;
}

int lab_check_templates(const char *name, struct error *err)
{
    for (int t = 0; name && t < VTPU_TARGETS; t++)
        if (strcmp(name, vtpu_target_name((enum vtpu_target)t)) == 0)
            return vtpu_target_runs((enum vtpu_target)t)
                       ? 0
                       : error_set(err, ERROR_UNSUPPORTED, ENOTSUP, NULL, "--templates",
                                   "this processor does not run code for %s", name);
    return !name ? 0
                 : error_set(err, ERROR_USAGE, EINVAL, "rooftop lab validate --help", "--templates",
                             "no templates are named %.60s", name);
}
