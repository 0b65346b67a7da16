#include "export/bench/history_pair_export.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "engine/value/document.h"
#include "export/bench/history_export.h"

enum { DAY = 10, MINUTE_AT = 11, MINUTE = 5 };

/* "2026-11-23 13:00" */
static const char *minute_of(const struct history_point *p, char out[24])
{
    char utc[40];
    utc_text(p->time_ns, utc);
    snprintf(out, 24, "%.*s %.*s", DAY, utc, MINUTE, utc + MINUTE_AT);
    return out;
}

const char *history_pair_word(const struct history_series *s, enum ratio_verdict v)
{
    switch (v) {
    case VERDICT_SLOWER:
        return s->more_is_good ? "better" : "worse";
    case VERDICT_FASTER:
        return s->more_is_good ? "worse" : "better";
    default:
        return verdict_name(v);
    }
}

static double percent_of_factor(double factor)
{
    return 100 * (factor - 1);
}

/* Says the verdict that follows from the samples. */
static void say_verdict(const struct history_two *two, char out[HISTORY_PAIR_LINE])
{
    const struct history_pair *p = two->pair;
    if (!p) {
        print_line(out, HISTORY_PAIR_LINE, "%s", *two->why ? two->why : "reading the samples");
        return;
    }
    if (p->n[0] == 0 || p->n[1] == 0) {
        print_line(out, HISTORY_PAIR_LINE, "%s", "n/a: samples of one of both were not stored");
        return;
    }
    const struct history_point *a = &two->s->points[two->first], *b = &two->s->points[two->second];
    char before[96], after[96], unlike[HISTORY_PAIR_LINE - 48];
    if (!history_comparable(a, b)) {
        bench_ends_text(&a->ends, before);
        bench_ends_text(&b->ends, after);
        print_line(out, HISTORY_PAIR_LINE,
                   "no verdict: before %s, after %s: a run that fails may have done less",
                   *before ? before : "no run failed", *after ? after : "no run failed");
        return;
    }
    if (two->hosts[0] && *history_unlike(a, b, unlike, sizeof unlike)) {
        print_line(out, HISTORY_PAIR_LINE, "no verdict, the machines are not alike: %s", unlike);
        return;
    }
    if (isfinite(p->factor.high) && p->factor.low > 0)
        print_line(out, HISTORY_PAIR_LINE,
                   "%s: %+.2f %%, between %+.2f and %+.2f %% (%.0f %%), %zu and %zu samples",
                   history_pair_word(two->s, p->verdict), percent_of_factor(p->factor.estimate),
                   percent_of_factor(p->factor.low), percent_of_factor(p->factor.high),
                   100 * HISTORY_PAIR_CONFIDENCE, p->n[0], p->n[1]);
    else
        print_line(out, HISTORY_PAIR_LINE, "%s: %zu and %zu samples are too few to say",
                   verdict_name(VERDICT_NOT_DECIDED), p->n[0], p->n[1]);
}

/* Says how much consecutive runs differ anyway. */
static void say_scatter(const struct history_two *two, double factor, char out[HISTORY_PAIR_LINE])
{
    size_t larger;
    double middle = history_steps(two->s, factor, &larger);
    if (two->hosts[0]) {
        print_line(out, HISTORY_PAIR_LINE, "%s",
                   "how much runs differ anyway: see each host's series");
        return;
    }
    print_line(out, HISTORY_PAIR_LINE,
               "%zu of %zu steps from run to run %s as large; the median step is %.2f %%", larger,
               two->s->n - 1, larger == 1 ? "is" : "are", 100 * middle);
}

static void say_conditions(const struct history_two *two, char out[HISTORY_PAIR_LINE])
{
    char reason[HISTORY_PAIR_LINE - 32];
    const struct history_point *a = &two->s->points[two->first], *b = &two->s->points[two->second];
    history_difference(a, b, reason, sizeof reason);
    print_line(out, HISTORY_PAIR_LINE, "%s%s", *reason ? "what differs: " : "",
               *reason ? reason : "nothing that is known differs: commit, kernel, CPU, governor");
}

/* Describes one point. */
static void say_point(const struct history_two *two, bool ascii, char out[HISTORY_PAIR_LINE])
{
    const struct history_point *p = &two->s->points[two->second];
    const struct bench_conditions *at = &p->conditions;
    char value[48];
    print_line(out, HISTORY_PAIR_LINE, "%s, %zu sample%s by %s%s%.10s%s%s%s%s",
               history_value(two->s, p->value, ascii, value), p->n, p->n == 1 ? "" : "s", p->tool,
               *at->commit ? "; commit " : "", at->commit, *at->kernel ? "; Linux " : "",
               at->kernel, *at->governor ? "; governor " : "", at->governor);
}

static void say_load(const struct history_two *two, char out[HISTORY_PAIR_LINE])
{
    const struct history_point *a = &two->s->points[two->first], *b = &two->s->points[two->second];
    char before[32] = "unknown", after[32] = "unknown";
    if (isfinite(a->load))
        snprintf(before, sizeof before, "%.2f", a->load);
    if (isfinite(b->load))
        snprintf(after, sizeof after, "%.2f", b->load);
    print_line(out, HISTORY_PAIR_LINE, "load of the machine: %s and %s", before, after);
}

/* Says how the counters differ, in per cent: "instructions +12.1 %, minor_faults +0.0 %". */
static void say_counters(const struct history_two *two, char out[HISTORY_PAIR_LINE])
{
    const struct history_point *a = &two->s->points[two->first], *b = &two->s->points[two->second];
    size_t used = (size_t)snprintf(out, HISTORY_PAIR_LINE, "counted:"), none = used;
    for (int c = 0; c < BENCH_COUNTERS && used < HISTORY_PAIR_LINE; c++)
        if (a->counters[c] > 0 && isfinite(b->counters[c]))
            used += (size_t)snprintf(out + used, HISTORY_PAIR_LINE - used, "%s %s %+.1f %%",
                                     used > none ? "," : "", bench_counter_names[c],
                                     percent_of_factor(b->counters[c] / a->counters[c]));
    if (used == none)
        snprintf(out, HISTORY_PAIR_LINE, "counted: nothing in both runs");
}

int history_pair_lines(const struct history_two *two, bool ascii,
                       char lines[HISTORY_PAIR_LINES][HISTORY_PAIR_LINE])
{
    const struct history_point *b = &two->s->points[two->second];
    char before[48], after[48], now[24], then[24];
    bool pair = two->first < two->s->n && two->first != two->second;
    print_line(lines[0], HISTORY_PAIR_LINE, "run %zu (%s)", two->second + 1, minute_of(b, now));
    say_point(two, ascii, lines[1]);
    if (!pair)
        return 2;
    const struct history_point *a = &two->s->points[two->first];
    double factor = b->value / a->value;
    const char *unmarked = two->chosen ? "" : ", before it";
    if (two->hosts[0])
        print_line(lines[0], HISTORY_PAIR_LINE,
                   "the last run on %.80s (%s) compared with the last on %.80s (%s)", two->hosts[1],
                   now, two->hosts[0], minute_of(a, then));
    else
        print_line(lines[0], HISTORY_PAIR_LINE, "run %zu (%s) compared with run %zu (%s)%s",
                   two->second + 1, now, two->first + 1, minute_of(a, then),
                   two->marked ? ", marked" : unmarked);
    print_line(lines[1], HISTORY_PAIR_LINE, "%s to %s (%+.2f %%), %s of the runs",
               history_value(two->s, a->value, ascii, before),
               history_value(two->s, b->value, ascii, after), percent_of_factor(factor),
               strcmp(two->s->unit, "ratio") == 0 ? "estimates" : "medians");
    say_verdict(two, lines[2]);
    say_scatter(two, factor, lines[3]);
    say_conditions(two, lines[4]);
    say_load(two, lines[5]);
    say_counters(two, lines[6]);
    return HISTORY_PAIR_LINES;
}

void history_pair_write_text(FILE *out, const struct history_two *two, bool ascii)
{
    char lines[HISTORY_PAIR_LINES][HISTORY_PAIR_LINE];
    int n = history_pair_lines(two, ascii, lines);
    print_text(out, "%s%s%s\n", two->s->name, *two->s->host ? " on " : "", two->s->host);
    for (int i = 0; i < n; i++)
        print_text(out, "  %s\n", lines[i]);
}

void history_pair_brief(struct brief *b, const struct history_two *two, bool ascii)
{
    char lines[HISTORY_PAIR_LINES][HISTORY_PAIR_LINE];
    const int n = history_pair_lines(two, ascii, lines);
    brief_verdict(b, "%s", lines[n > 2 ? 2 : 0]);
    brief_evidence(b, "%.120s%s%.60s", two->s->name, *two->s->host ? " on " : "", two->s->host);
    for (int i = 0; i < n; i++)
        if (i != 2)
            brief_evidence(b, "%s", lines[i]);
    for (int c = 0; c < BENCH_COUNTERS && n > 2; c++) {
        const double before = two->s->points[two->first].counters[c],
                     after = two->s->points[two->second].counters[c];
        if (before > 0 && isfinite(after))
            brief_row(b, bench_counter_names[c], "%.4g, then %.4g (%+.1f %%)", before, after,
                      percent_of_factor(after / before));
    }
}

/* --- JSON --- */

static cJSON *run_object(const struct history_two *two, size_t at, int side)
{
    const struct history_point *p = &two->s->points[at];
    char utc[40];
    cJSON *o = cJSON_CreateObject();
    json_add_number(o, "run", (double)at + 1);
    json_add_text(o, "time", utc_text(p->time_ns, utc));
    json_add_number(o, "value", p->value);
    json_add_number(o, "samples", (double)two->pair->n[side]);
    json_add_text(o, "commit", p->conditions.commit);
    json_add_text(o, "branch", p->conditions.branch);
    json_add_number(o, "load", p->load);
    json_add_number(o, "failed", p->ends.runs ? (double)p->ends.failed : NAN);
    cJSON *counters = cJSON_AddObjectToObject(o, "counters");
    for (int c = 0; c < BENCH_COUNTERS; c++)
        json_add_number(counters, bench_counter_names[c], p->counters[c]);
    return o;
}

void history_pair_write_json(FILE *out, const struct history_two *two)
{
    const struct history_pair *p = two->pair;
    const struct history_series *s = two->s;
    const struct history_point *a = &s->points[two->first], *b = &s->points[two->second];
    bool both = p->n[0] && p->n[1];
    char reason[HISTORY_PAIR_LINE];
    size_t larger;
    double middle = history_steps(s, b->value / a->value, &larger);
    const bool one_series = !two->hosts[0];
    cJSON *doc = document_begin("rooftop.history-compare/1"), *ratio, *steps;
    json_add_text(doc, "name", s->name);
    json_add_text(doc, "host", s->host);
    json_add_text(doc, "second_host", one_series ? s->host : two->hosts[1]);
    json_add_text(doc, "unit", s->unit);
    cJSON_AddBoolToObject(doc, "more_is_good", s->more_is_good);
    cJSON_AddItemToObject(doc, "first", run_object(two, two->first, 0));
    cJSON_AddItemToObject(doc, "second", run_object(two, two->second, 1));
    both = both && history_comparable(a, b) &&
           (one_series || !*history_unlike(a, b, reason, sizeof reason));
    json_add_text(doc, "verdict", both ? history_pair_word(s, p->verdict) : "");
    ratio = cJSON_AddObjectToObject(doc, "ratio");
    json_add_number(ratio, "estimate", both ? p->factor.estimate : NAN);
    json_add_number(ratio, "low", both ? p->factor.low : NAN);
    json_add_number(ratio, "high", both ? p->factor.high : NAN);
    json_add_number(ratio, "confidence", HISTORY_PAIR_CONFIDENCE);
    steps = cJSON_AddObjectToObject(doc, "steps");
    json_add_number(steps, "as_large", one_series ? (double)larger : 0);
    json_add_number(steps, "of", one_series ? (double)s->n - 1 : 0);
    json_add_number(steps, "median", one_series ? middle : NAN);
    json_add_text(doc, "differs", history_difference(a, b, reason, sizeof reason));
    document_end(out, doc);
}
