/* A comparison as JSON and CSV, for programs. */
#include <math.h>

#include "base/print.h"
#include "cli/compare.h"
#include "cli/options/version.h"
#include "engine/value/document.h"

static bool tested(const struct compare_row *r)
{
    return r->d.low <= r->d.high;
}

static bool both(const struct compare_row *r)
{
    return r->runs[0] && r->runs[1];
}

static cJSON *side_json(const char *given, const struct compare_side *s)
{
    cJSON *j = cJSON_CreateObject();
    json_add_text(j, "file", given);
    json_add_text(j, "command", s->command);
    json_add_text(j, "hostname", s->hostname);
    cJSON_AddNumberToObject(j, "runs", (double)s->runs);
    json_add_number(j, "others", s->others);
    json_add_number(j, "others_mean", s->load);
    return j;
}

static cJSON *stats_json(const struct compare_row *r, int side)
{
    const struct stats *s = side ? &r->b : &r->a;
    cJSON *j = cJSON_CreateObject();
    cJSON_AddNumberToObject(j, "runs", (double)r->runs[side]);
    if (r->runs[side] == 0)
        return j;
    json_add_number(j, "mean", s->mean);
    json_add_number(j, "sd", s->n > 1 ? s->sd : NAN);
    json_add_number(j, "min", s->min);
    json_add_number(j, "median", s->median);
    json_add_number(j, "max", s->max);
    if (r->runs[side] == 1 && s->n > 1) {
        cJSON_AddNumberToObject(j, "samples", (double)s->n);
        json_add_number(j, "effective_samples", s->effective);
    }
    if (!isnan(r->total[side])) {
        cJSON_AddNumberToObject(j, "calls", r->calls[side]);
        json_add_number(j, "total", r->total[side]);
    }
    return j;
}

static cJSON *row_json(const struct compare_row *r)
{
    cJSON *j = cJSON_CreateObject();
    json_add_text(j, "id", r->id);
    json_add_text(j, "label", r->label);
    cJSON_AddStringToObject(j, "group", run_group_name(r->group));
    cJSON_AddStringToObject(j, "unit", unit_name(r->unit));
    cJSON_AddItemToObject(j, "a", stats_json(r, 0));
    cJSON_AddItemToObject(j, "b", stats_json(r, 1));
    json_add_number(j, "change_percent", both(r) ? r->change : NAN);
    json_add_number(j, "low", tested(r) ? r->d.low : NAN);
    json_add_number(j, "high", tested(r) ? r->d.high : NAN);
    json_add_number(j, "p_adjusted", tested(r) ? r->d.p : NAN);
    json_add_text(j, "spread_from", tested(r) ? compare_basis_name(r->basis) : NULL);
    if (tested(r) && r->basis == COMPARE_BY_ASSUMED)
        json_add_number(j, "assumed_sd", r->assumed);
    cJSON_AddStringToObject(j, "verdict", compare_verdict_name(r->verdict));
    return j;
}

void compare_json(FILE *out, const struct comparison *k, const char *a, const char *b)
{
    cJSON *doc = cJSON_CreateObject();
    cJSON_AddStringToObject(doc, "schema", "rooftop.compare/2");
    cJSON_AddStringToObject(doc, "version", ROOFTOP_VERSION);
    cJSON_AddNumberToObject(doc, "false_discovery_rate", compare_alpha);
    cJSON_AddItemToObject(doc, "a", side_json(a, &k->side[0]));
    cJSON_AddItemToObject(doc, "b", side_json(b, &k->side[1]));
    cJSON_AddBoolToObject(doc, "in_turns", k->turns);
    cJSON *answer = cJSON_AddObjectToObject(doc, "answer");
    cJSON_AddStringToObject(answer, "is", compare_answer_name(k->answer));
    json_add_text(answer, "by", k->by ? k->by->id : NULL);
    json_add_number(answer, "change_percent", k->by ? k->by->change : NAN);
    json_add_number(answer, "margin_percent", k->by ? compare_margin(k->by) : NAN);
    cJSON *list = cJSON_AddArrayToObject(doc, "numbers");
    for (size_t i = 0; i < k->n; i++)
        cJSON_AddItemToArray(list, row_json(&k->rows[i]));
    json_write(out, doc, true);
    fputc('\n', out);
    cJSON_Delete(doc);
}

void compare_csv(FILE *out, const struct comparison *k)
{
    fputs("group,id,label,unit,runs_a,runs_b,calls_a,calls_b,total_a,total_b,mean_a,mean_b,sd_a,"
          "sd_b,change_percent,low,high,p_adjusted,spread_from,verdict\r\n",
          out);
    for (size_t i = 0; i < k->n; i++) {
        const struct compare_row *r = &k->rows[i];
        bool calls[2] = {!isnan(r->total[0]), !isnan(r->total[1])};
        const double numbers[] = {(double)r->runs[0],
                                  (double)r->runs[1],
                                  calls[0] ? r->calls[0] : NAN,
                                  calls[1] ? r->calls[1] : NAN,
                                  r->total[0],
                                  r->total[1],
                                  r->runs[0] ? r->a.mean : NAN,
                                  r->runs[1] ? r->b.mean : NAN,
                                  r->a.n > 1 ? r->a.sd : NAN,
                                  r->b.n > 1 ? r->b.sd : NAN,
                                  both(r) ? r->change : NAN,
                                  tested(r) ? r->d.low : NAN,
                                  tested(r) ? r->d.high : NAN,
                                  tested(r) ? r->d.p : NAN};
        print_csv(out, "%s,", run_group_name(r->group));
        print_csv_quoted(out, r->id);
        fputc(',', out);
        print_csv_quoted(out, r->label);
        print_csv(out, ",%s", unit_name(r->unit));
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
            csv_write_number(out, numbers[n]);
        print_csv(out, ",%s,%s\r\n", tested(r) ? compare_basis_name(r->basis) : "",
                  compare_verdict_name(r->verdict));
    }
}
