/* A comparison as JSON and CSV, for programs. */
#include <math.h>

#include "base/print.h"
#include "cli/compare/compare.h"
#include "cli/options/version.h"
#include "engine/compare/compare_fields.h"
#include "engine/value/document.h"
#include "engine/value/list_field_document.h"
#include "export/github.h"
#include "export/openmetrics.h"

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

static cJSON *make_compare_row_json(const struct compare_row *r)
{
    cJSON *j = cJSON_CreateObject();
    list_fields_json(j, compare_fields, r, 1, COMPARE_BEFORE_SIDES);
    cJSON_AddItemToObject(j, "a", stats_json(r, 0));
    cJSON_AddItemToObject(j, "b", stats_json(r, 1));
    list_fields_json(j, compare_fields, r, COMPARE_BEFORE_SIDES + 1, UINT8_MAX);
    return j;
}

void compare_json(FILE *out, const struct comparison *k, const char *a, const char *b)
{
    cJSON *doc = document_begin("rooftop.compare/2");
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
    cJSON *work = cJSON_AddObjectToObject(doc, "work");
    json_add_text(work, "by", k->work.by);
    json_add_number(work, "ratio", k->work.ratio);
    cJSON_AddBoolToObject(work, "differs", k->work.differs);
    cJSON_AddBoolToObject(work, "a_stopped", k->work.stopped[0]);
    cJSON_AddBoolToObject(work, "b_stopped", k->work.stopped[1]);
    cJSON_AddBoolToObject(work, "ends_differ", k->work.ends_differ);
    cJSON *list = cJSON_AddArrayToObject(doc, "numbers");
    for (size_t i = 0; i < k->n; i++)
        cJSON_AddItemToArray(list, make_compare_row_json(&k->rows[i]));
    document_end(out, doc);
}

void compare_csv(FILE *out, const struct comparison *k)
{
    list_fields_csv(out, compare_fields, "\r\n", k->rows, k->n, sizeof *k->rows);
}

static void add_compare_samples(struct openmetrics *m, const struct compare_row *r)
{
    const char *const labels[] = {"group", run_group_name(r->group), "number", r->id, NULL};
    const struct value before = value_ok(r->a.mean, r->unit), after = value_ok(r->b.mean, r->unit),
                       change = value_ok(r->change, UNIT_PERCENT),
                       differs = value_ok(r->verdict != COMPARE_SAME, UNIT_NONE);
    if (r->runs[0])
        openmetrics_add(m, "compare", "before", "mean of side A", labels, &before);
    if (r->runs[1])
        openmetrics_add(m, "compare", "after", "mean of side B", labels, &after);
    if (r->verdict != COMPARE_SAME && r->verdict != COMPARE_LESS && r->verdict != COMPARE_MORE)
        return;
    openmetrics_add(m, "compare", "differs", "1 where the sides differ beyond chance", labels,
                    &differs);
    if (isfinite(r->change))
        openmetrics_add(m, "compare", "change", "from A to B, as a share of A", labels, &change);
}

void compare_openmetrics(FILE *out, const struct comparison *k)
{
    struct openmetrics *m = openmetrics_new();
    const struct value slower = value_ok(k->answer == ANSWER_SLOWER, UNIT_NONE),
                       faster = value_ok(k->answer == ANSWER_FASTER, UNIT_NONE);
    if (k->answer != ANSWER_NONE) {
        openmetrics_add(m, "compare", "slower", "1 where B is slower beyond chance", NULL, &slower);
        openmetrics_add(m, "compare", "faster", "1 where B is faster beyond chance", NULL, &faster);
    }
    for (size_t i = 0; i < k->n; i++)
        add_compare_samples(m, &k->rows[i]);
    openmetrics_write(out, m);
    openmetrics_free(m);
}

static void add_compare_row(struct brief *b, const struct comparison *k,
                            const struct compare_row *r, bool ascii)
{
    enum { CELLS = 60 };
    char name[512], interval[48];
    compare_interval_text(r, interval, sizeof interval);
    brief_row(b, compare_label(k, r, CELLS, ascii, name, sizeof name), "%+.1f %% %s: %s", r->change,
              interval, compare_verdict_name(r->verdict));
}

void compare_brief(struct brief *b, const struct comparison *k, bool ascii)
{
    char text[BRIEF_TEXT];
    compare_answer_text(k, text, sizeof text);
    brief_verdict(b, "%s", text);
    if (k->side[0].runs == 1 && k->side[1].runs == 1)
        brief_evidence(b, "one run of A, one of B");
    else
        brief_evidence(b, "%zu run%s of A, %zu of B", k->side[0].runs,
                       k->side[0].runs == 1 ? "" : "s", k->side[1].runs);
    if (compare_work_text(k, text, sizeof text))
        brief_evidence(b, "%s", text);
    if (compare_uneven_text(k, BRIEF_TEXT / 2, text, sizeof text))
        brief_evidence(b, "%s", text);
    for (size_t i = 0; i < k->n; i++)
        if (k->rows[i].verdict == COMPARE_LESS || k->rows[i].verdict == COMPARE_MORE)
            add_compare_row(b, k, &k->rows[i], ascii);
}

void compare_annotate(FILE *out, const struct comparison *k, bool fails)
{
    char text[BRIEF_TEXT];
    const char *level = k->answer == ANSWER_SLOWER ? "warning" : "notice";
    compare_answer_text(k, text, sizeof text);
    github_annotate(out, fails ? "error" : level, NULL, 0, "rooftop compare", text);
}
