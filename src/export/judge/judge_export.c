#include "export/judge/judge_export.h"

#include <cjson/cJSON.h>
#include <math.h>

#include "base/print.h"
#include "engine/value/document.h"
#include "export/interval_json.h"

enum { CELL = 64 };

/* --- text --- */

/* "0.9134, between 0.9011 and 0.9251" */
static const char *interval_text(const struct interval *i, char out[CELL])
{
    if (isinf(i->low) || isinf(i->high))
        snprintf(out, CELL, "%.4f; no interval from so few pairs: a longer --for", i->estimate);
    else
        snprintf(out, CELL, "%.4f, between %.4f and %.4f", i->estimate, i->low, i->high);
    return out;
}

static void print_judge_interval(FILE *out, const char *what, const struct interval *i)
{
    char text[CELL];
    if (!isnan(i->estimate))
        print_text(out, "  %-22s %s\n", what, interval_text(i, text));
}

static const char *why_not_counted(const struct judge_result *r)
{
    return *r->not_counted ? r->not_counted : "no pair was completed";
}

static void print_instructions(FILE *out, const struct judge_verdict_of *v)
{
    const double *n = v->result->instructions;
    const struct judge_need *need = &v->plan->need;
    if (isnan(n[0]) || isnan(n[1]))
        print_text(out, "instructions were not counted: %s\n", why_not_counted(v->result));
    else if (need->instructions > 0)
        print_text(out, "a call takes %.6g and %.6g instructions; at least %.6g: %s\n", n[0], n[1],
                   need->instructions, need->why);
    else
        print_text(out, "a call takes %.6g and %.6g instructions; no least number is known: %s\n",
                   n[0], n[1], need->why);
}

static void print_judge_times(FILE *out, const struct judge_verdict_of *v)
{
    const struct judge_result *r = v->result;
    char one[VALUE_TEXT_MAX], other[VALUE_TEXT_MAX];
    if (r->pairs == 0)
        return;
    print_text(out, "%s of the candidate by that of the baseline (%.4g %%)\n",
               v->plan->harness || v->plan->cpu_time ? "CPU time" : "elapsed time",
               100 * v->plan->confidence);
    print_judge_interval(out, v->plan->harness ? "data in the caches" : "all runs", &r->warm);
    print_judge_interval(out, "data not in the caches", &r->cold);
    print_judge_interval(out, "confirmed by", &r->confirmed);
    if (!v->plan->harness) {
        print_text(out, "a run: %s and %s%s\n%zu pairs of runs, each with its check\n",
                   value_time(r->baseline_ns, true, one), value_time(r->candidate_ns, true, other),
                   v->plan->cpu_time ? " of CPU time" : "", r->pairs + r->confirming_pairs);
        return;
    }
    if (v->plan->floor.ns > 0)
        print_text(out, "a call takes %s at least: %s\n", value_time(v->plan->floor.ns, true, one),
                   v->plan->floor.why);
    else if (*v->plan->floor.why)
        print_text(out, "no least time of a call is known: %s\n", v->plan->floor.why);
    print_text(out, "a call, its way in and out included: %s and %s\n",
               value_time(r->baseline_ns, true, one), value_time(r->candidate_ns, true, other));
    print_instructions(out, v);
    print_text(out, "%zu pairs of fresh processes, %zu timed calls, each answer compared\n",
               r->pairs + r->confirming_pairs, r->calls);
    print_text(out, "CPU time: %s of timed calls; %s of the judge and of processes around them\n",
               value_time(r->cost.timed_ns, true, one),
               value_time(r->cost.judge_ns + r->cost.sandboxes_ns - r->cost.timed_ns, true, other));
}

void judge_export_text(FILE *out, const void *what)
{
    const struct judge_verdict_of *v = what;
    const struct judge_result *r = v->result;
    print_text(out, "baseline   %s\ncandidate  %s\n", v->baseline, v->candidate);
    if (r->verdict == JUDGE_REFUSED)
        print_text(out, "refused: %s: %s\n  this guard stops: %s\n",
                   judge_guard_name(r->refusal.guard), r->refusal.evidence,
                   judge_guard_stops(r->refusal.guard));
    else if (r->verdict == JUDGE_NOT_DECIDED && !isnan(r->confirmed.estimate))
        print_text(out, "not decided: the second series of pairs does not confirm the first\n");
    else if (r->verdict == JUDGE_NOT_DECIDED)
        print_text(out, "not decided; more time (--for) would help%s\n",
                   v->plan->harness || v->plan->cpu_time
                       ? ""
                       : ", and on a busy machine --cpu-time, if the program does not wait");
    else if (r->verdict == JUDGE_FASTER)
        print_text(out, "faster: the baseline takes %.4f times as long\n",
                   1 / r->confirmed.estimate);
    else
        print_text(out, "%s%s\n", judge_verdict_name(r->verdict),
                   r->identical ? ": both are the same code; nothing was called" : "");
    if (r->checks && v->plan->harness)
        print_text(out, "%u call%s checked on inputs of several kinds", r->checks,
                   r->checks == 1 ? "" : "s");
    if (r->checks && v->plan->harness && r->verdict != JUDGE_REFUSED)
        print_text(out, "; outputs differ by %.3g at most", r->worst);
    if (r->checks && v->plan->harness)
        fputc('\n', out);
    if (*r->left_out)
        print_text(out, "left out, as the baseline does not take it: %s\n", r->left_out);
    if (*r->sources)
        print_text(out, "sources not looked at: %s\n", r->sources);
    print_judge_times(out, v);
}

/* --- the short answer --- */

static void brief_judge_interval(struct brief *b, const char *what, const struct interval *i)
{
    char text[CELL];
    if (!isnan(i->estimate))
        brief_row(b, what, "candidate / baseline %s", interval_text(i, text));
}

void judge_brief(struct brief *b, const struct judge_verdict_of *v)
{
    const struct judge_result *r = v->result;
    char before[VALUE_TEXT_MAX], after[VALUE_TEXT_MAX];
    if (r->verdict == JUDGE_REFUSED)
        brief_verdict(b, "refused by the guard %s: %s", judge_guard_name(r->refusal.guard),
                      r->refusal.evidence);
    else if (r->verdict == JUDGE_FASTER)
        brief_verdict(b, "faster: the baseline takes %.4f times as long",
                      1 / r->confirmed.estimate);
    else
        brief_verdict(b, "%s%s", judge_verdict_name(r->verdict),
                      r->identical ? ": both are the same code" : "");
    if (r->verdict == JUDGE_REFUSED)
        brief_evidence(b, "this guard stops: %s", judge_guard_stops(r->refusal.guard));
    if (r->verdict == JUDGE_NOT_DECIDED)
        brief_evidence(b, "more time would help: --for %g", 4 * v->plan->for_s);
    if (r->pairs)
        brief_evidence(b, "%zu pairs, each answer compared; %s and %s in the median",
                       r->pairs + r->confirming_pairs, value_time(r->baseline_ns, true, before),
                       value_time(r->candidate_ns, true, after));
    if (*r->left_out)
        brief_evidence(b, "left out, as the baseline does not take it: %s", r->left_out);
    if (*r->sources)
        brief_evidence(b, "sources not looked at: %s", r->sources);
    brief_judge_interval(b, v->plan->harness ? "data in the caches" : "all runs", &r->warm);
    brief_judge_interval(b, "data not in the caches", &r->cold);
    brief_judge_interval(b, "confirmed by", &r->confirmed);
}

/* --- JSON --- */

/* Adds the instructions; null if they were not counted: instructions_not_counted says why. */
static void add_instructions(cJSON *doc, const struct judge_verdict_of *v)
{
    const double *n = v->result->instructions;
    const bool counted = !isnan(n[0]) && !isnan(n[1]);
    cJSON *j = counted ? cJSON_AddObjectToObject(doc, "instructions")
                       : cJSON_AddNullToObject(doc, "instructions");
    if (counted) {
        json_add_number(j, "baseline", n[0]);
        json_add_number(j, "candidate", n[1]);
    }
    json_add_text(doc, "instructions_not_counted", counted ? "" : why_not_counted(v->result));
    json_add_number(doc, "instructions_least",
                    v->plan->need.instructions > 0 ? v->plan->need.instructions : NAN);
    json_add_text(doc, "instructions_why", v->plan->need.why);
}

void judge_export_json(FILE *out, const void *what)
{
    const struct judge_verdict_of *v = what;
    const struct judge_result *r = v->result;
    cJSON *doc = document_begin("rooftop.judge/1");
    json_add_text(doc, "baseline", v->baseline);
    json_add_text(doc, "candidate", v->candidate);
    json_add_text(doc, "verdict", judge_verdict_name(r->verdict));
    json_add_text(doc, "guard",
                  r->verdict == JUDGE_REFUSED ? judge_guard_name(r->refusal.guard) : "");
    json_add_text(doc, "evidence", r->verdict == JUDGE_REFUSED ? r->refusal.evidence : "");
    cJSON_AddBoolToObject(doc, "identical", r->identical);
    json_add_text(doc, "sources_not_looked_at", r->sources);
    if (v->plan->harness)
        json_add_text(doc, "inputs_left_out", r->left_out);
    if (!v->plan->harness)
        json_add_text(doc, "compared", v->plan->cpu_time ? "cpu_time" : "elapsed_time");
    json_add_number(doc, "confidence", v->plan->confidence);
    json_add_number(doc, "margin", v->plan->margin);
    json_add_interval(doc, "warm", &r->warm);
    json_add_interval(doc, "cold", &r->cold);
    json_add_interval(doc, "confirmed", &r->confirmed);
    json_add_number(doc, "baseline_ns", r->baseline_ns);
    json_add_number(doc, "candidate_ns", r->candidate_ns);
    json_add_number(doc, "floor_ns", v->plan->floor.ns > 0 ? v->plan->floor.ns : NAN);
    json_add_text(doc, "floor_why", v->plan->floor.why);
    if (v->plan->harness)
        add_instructions(doc, v);
    json_add_number(doc, "largest_difference", r->worst);
    cJSON_AddNumberToObject(doc, "checked_calls", r->checks);
    cJSON_AddNumberToObject(doc, "timed_calls", (double)r->calls);
    cJSON_AddNumberToObject(doc, "pairs", (double)r->pairs);
    cJSON_AddNumberToObject(doc, "confirming_pairs", (double)r->confirming_pairs);
    if (r->cost.timed_ns > 0) {
        cJSON *cost = cJSON_AddObjectToObject(doc, "cpu_time");
        json_add_number(cost, "judge_ns", r->cost.judge_ns);
        json_add_number(cost, "processes_ns", r->cost.sandboxes_ns);
        json_add_number(cost, "timed_ns", r->cost.timed_ns);
    }
    document_end(out, doc);
}
