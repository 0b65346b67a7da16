#include "export/optimize/optimize_export.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>

#include "base/print.h"
#include "engine/value/document.h"
#include "engine/value/record.h"
#include "export/interval_json.h"

/* --- text --- */

void optimize_export_record(FILE *out, const struct optimize_record *r)
{
    const struct interval *i = optimize_record_factor(r);
    if (r->step == OPTIMIZE_CANDIDATE)
        print_text(out, "%4u  %-10s %s", r->number, r->proposer, optimize_outcome_name(r->outcome));
    else if (r->step == OPTIMIZE_BASELINE)
        print_text(out, "   0  the source against itself: %s", optimize_outcome_name(r->outcome));
    else
        print_text(out, "%4u  built anew, against the source: %s", r->number,
                   optimize_outcome_name(r->outcome));
    if (isfinite(i->estimate) && isfinite(i->low) && isfinite(i->high))
        print_text(out, ": %.4f of its %s, between %.4f and %.4f", i->estimate,
                   r->modelled ? "modelled cost" : "time", i->low, i->high);
    if (r->base != r->against)
        print_text(out, ": made from %s%.0u", r->base ? "candidate " : "the source", r->base);
    if (*r->guard || *r->evidence)
        print_text(out, ": %s%s%s", r->guard, *r->guard && *r->evidence ? ": " : "", r->evidence);
    if (*r->note)
        print_text(out, " (%s)", r->note);
    fputc('\n', out);
}

void optimize_export_progress(char *out, size_t size, const struct optimize_progress *p)
{
    const struct interval *i = &p->factor;
    char who[PROPOSAL_WORD + 64] = "the source", pairs[160] = "";
    if (p->number)
        print_line(who, sizeof who, "candidate %u of %u%s%s", p->number, p->iterations,
                   *p->proposer ? ", " : "", p->proposer);
    if (p->pairs && isfinite(i->estimate) && isfinite(i->low) && isfinite(i->high))
        print_line(pairs, sizeof pairs, ": %" PRIu64 " pairs, %.4f between %.4f and %.4f%s",
                   p->pairs, i->estimate, i->low, i->high, p->modelled ? ", by a model" : "");
    else if (p->pairs)
        print_line(pairs, sizeof pairs, ": %" PRIu64 " pair%s", p->pairs, p->pairs == 1 ? "" : "s");
    print_line(out, size, "%s: %s%s", who, optimize_stage_text(p->stage), pairs);
}

static bool is_last_change_modelled(const struct optimize_result *r)
{
    return r->log.n && r->log.list[r->log.n - 1].modelled;
}

static void print_gain(FILE *out, const struct optimize_outcome_of *o)
{
    const struct optimize_result *r = o->result;
    char path[OPTIMIZE_PATH];
    if (!r->winner) {
        print_text(out, "no gain\n");
        return;
    }
    optimize_path(path, o->plan->folder, r->winner, o->plan->source);
    print_text(out,
               is_last_change_modelled(r)
                   ? "gain by a model: the source costs %.4f times what candidate %u does\n"
                   : "gain: the source takes %.4f times as long as candidate %u\n",
               r->factor, r->winner);
    print_text(out, "  %s\n", path);
    if (o->backup)
        print_text(out, "  it stands in the place of the source now; what was there: %s\n",
                   o->backup);
}

void optimize_export_text(FILE *out, const void *what)
{
    const struct optimize_outcome_of *o = what;
    const struct optimize_result *r = o->result;
    print_text(out, "source     %s\n", o->plan->source);
    if (*o->plan->target->function)
        print_text(out, "function   %s\n", o->plan->target->function);
    print_text(out, "target     %s\nlog        %s/log.jsonl\n", o->plan->target->name,
               o->plan->folder);
    for (size_t i = 0; i < r->log.n; i++)
        optimize_export_record(out, &r->log.list[i]);
    print_text(out, "ended: %s: %s%s%s\n", optimize_stop_name(r->stop), optimize_stop_text(r->stop),
               *r->why ? ": " : "", r->why);
    print_gain(out, o);
}

/* --- the short answer --- */

/* The candidates that took the least time come first, then those that were tried last. */
static double weigh_record(const struct optimize_record *r, size_t at)
{
    const struct interval *i = optimize_record_factor(r);
    return isfinite(i->estimate) ? 1e9 / i->estimate : (double)at;
}

static void brief_record(struct brief *b, const struct optimize_record *r)
{
    const struct interval *i = optimize_record_factor(r);
    char what[PROPOSAL_WORD + 64], times[96] = "";
    if (r->step == OPTIMIZE_CANDIDATE)
        print_line(what, sizeof what, "candidate %u, %s", r->number, r->proposer);
    else if (r->step == OPTIMIZE_BASELINE)
        print_line(what, sizeof what, "the source against itself");
    else
        print_line(what, sizeof what, "candidate %u, built anew", r->number);
    if (isfinite(i->estimate) && isfinite(i->low) && isfinite(i->high))
        snprintf(times, sizeof times, ", %.4f of the time, between %.4f and %.4f", i->estimate,
                 i->low, i->high);
    brief_row(b, what, "%s%s%s%s", optimize_outcome_name(r->outcome), times,
              *r->guard ? "; guard " : "", r->guard);
}

void optimize_brief(struct brief *b, const struct optimize_outcome_of *o)
{
    const struct optimize_result *r = o->result;
    struct brief_top top = {.n = 0};
    char path[OPTIMIZE_PATH];
    if (r->winner)
        brief_verdict(b, "gain%s: the source takes %.4f times as long as candidate %u",
                      is_last_change_modelled(r) ? " by a model" : "", r->factor, r->winner);
    else
        brief_verdict(b, "no gain");
    brief_evidence(b, "ended: %s%s%s", optimize_stop_text(r->stop), *r->why ? ": " : "", r->why);
    if (r->winner) {
        optimize_path(path, o->plan->folder, r->winner, o->plan->source);
        brief_evidence(b, "%s%s", path, o->backup ? ", in the place of the source now" : "");
        brief_next(b, "diff -u", (const char *[]){o->backup ? o->backup : o->plan->source, path},
                   2);
    }
    for (size_t i = 0; i < r->log.n; i++)
        brief_top_add(&top, i, weigh_record(&r->log.list[i], i));
    for (size_t i = 0; i < top.n; i++)
        brief_record(b, &r->log.list[top.index[i]]);
    b->left_out += top.left_out;
}

/* --- JSON --- */

static void add_record(cJSON *to, const struct optimize_record *r)
{
    cJSON *j = cJSON_CreateObject();
    json_add_text(j, "step", optimize_step_name(r->step));
    record_add(j, optimize_candidate_record, r, "number", "evidence");
    json_add_interval(j, "warm", &r->warm);
    json_add_interval(j, "cold", &r->cold);
    json_add_interval(j, "confirmed", &r->confirmed);
    record_add(j, optimize_candidate_record, r, "baseline_ns", "pairs");
    cJSON_AddBoolToObject(j, "modelled", r->modelled);
    cJSON_AddItemToArray(to, j);
}

void optimize_export_json(FILE *out, const void *what)
{
    const struct optimize_outcome_of *o = what;
    const struct optimize_result *r = o->result;
    cJSON *doc = document_begin("rooftop.optimization/1");
    json_add_text(doc, "source", o->plan->source);
    json_add_text(doc, "function", o->plan->target->function);
    json_add_text(doc, "folder", o->plan->folder);
    json_add_text(doc, "reason", optimize_stop_name(r->stop));
    json_add_text(doc, "why", r->why);
    cJSON_AddNumberToObject(doc, "winner", r->winner);
    json_add_number(doc, "factor", r->factor);
    cJSON_AddBoolToObject(doc, "modelled", is_last_change_modelled(r));
    json_add_text(doc, "backup", o->backup);
    cJSON *list = cJSON_AddArrayToObject(doc, "records");
    for (size_t i = 0; i < r->log.n; i++)
        add_record(list, &r->log.list[i]);
    document_end(out, doc);
}
