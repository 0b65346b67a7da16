#include "export/fleet/fleet_export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/print.h"
#include "base/text.h"
#include "engine/fleet/fleet_fields.h"
#include "engine/value/document.h"
#include "engine/value/list_field_document.h"

enum { NAME_LEAST = 12, NAME_MOST = 40, CELL = 10, STATE_CELLS = 10 };

/* The numbers of the rows, the worst first. The caller frees it. */
static uint32_t *order_fleet(const struct fleet_picture *p)
{
    uint32_t *at = xcalloc(p->nrows + 1, sizeof *at);
    list_order(&fleet_rows, p, p->nrows, (struct list_wish){.query = NULL}, at, NULL);
    return at;
}

/* --- text --- */

static int measure_fleet_names(const struct fleet_picture *p)
{
    int cells = NAME_LEAST;
    for (size_t i = 0; i < p->nrows; i++) {
        const int w = text_width(p->rows[i].name);
        cells = w > cells ? w : cells;
    }
    return cells < NAME_MOST ? cells : NAME_MOST;
}

static void print_fleet_number(FILE *out, double v, enum unit unit, bool ascii)
{
    char text[VALUE_TEXT_MAX];
    value_text(v, unit, ascii, text);
    print_text(out, " %*s", CELL, isfinite(v) ? text : "-");
}

static void print_fleet_head(FILE *out, const struct fleet_picture *p, int cells)
{
    print_text(out, "%-*s %-*s", cells, "HOST", STATE_CELLS, "STATE");
    for (int m = 0; m < FLEET_METRICS; m++)
        if (fleet_metric_known(p, (enum fleet_metric)m))
            print_text(out, " %*s", CELL, fleet_metrics[m].head);
    print_text(out, "\n");
}

static void print_fleet_row(FILE *out, const struct fleet_picture *p, const struct fleet_row *r,
                            int cells, bool ascii)
{
    char words[FLEET_WORDS];
    print_text(out, "%-*.*s %-*s", cells, cells, r->name, STATE_CELLS, fleet_state_name(r->state));
    for (int m = 0; m < FLEET_METRICS; m++)
        if (fleet_metric_known(p, (enum fleet_metric)m))
            print_fleet_number(out, r->v[m], fleet_metrics[m].unit, ascii);
    fleet_row_words(p, r, ascii, words);
    print_text(out, "%s%s\n", words[0] ? "  " : "", words);
}

static void print_fleet_median(FILE *out, const struct fleet_picture *p, int cells, bool ascii)
{
    print_text(out, "%-*s %-*s", cells, "median", STATE_CELLS, "");
    for (int m = 0; m < FLEET_METRICS; m++)
        if (fleet_metric_known(p, (enum fleet_metric)m))
            print_fleet_number(out, p->middle[m].median, fleet_metrics[m].unit, ascii);
    print_text(out, "\n");
}

void fleet_export_text(FILE *out, const struct fleet_picture *p, bool ascii)
{
    char words[FLEET_WORDS];
    uint32_t *at = order_fleet(p);
    const int cells = measure_fleet_names(p);
    print_text(out, "%s\n", fleet_words(p, words));
    print_fleet_head(out, p, cells);
    for (size_t i = 0; i < p->nrows; i++)
        print_fleet_row(out, p, &p->rows[at[i]], cells, ascii);
    print_fleet_median(out, p, cells, ascii);
    free(at);
}

/* --- JSON --- */

static cJSON *describe_fleet_metric(const struct fleet_picture *p, int m)
{
    const struct fleet_middle *at = &p->middle[m];
    cJSON *j = cJSON_CreateObject();
    json_add_text(j, "id", fleet_metrics[m].id);
    json_add_text(j, "unit", unit_name(fleet_metrics[m].unit));
    json_add_u64(j, "hosts", at->n);
    json_add_number(j, "median", at->median);
    json_add_number(j, "mad", at->mad);
    json_add_number(j, "scale", at->scale);
    json_add_number(j, "limit", at->limit);
    json_add_u64(j, "outliers", at->outliers);
    cJSON_AddBoolToObject(j, "groups", at->groups);
    return j;
}

static void add_outliers(cJSON *list, const struct fleet_picture *p, const struct fleet_row *r)
{
    for (int m = 0; m < FLEET_METRICS; m++) {
        if (!(r->outlier >> m & 1))
            continue;
        cJSON *j = cJSON_CreateObject();
        json_add_text(j, "host", r->name);
        json_add_text(j, "metric", fleet_metrics[m].id);
        json_add_number(j, "value", r->v[m]);
        json_add_text(j, "unit", unit_name(fleet_metrics[m].unit));
        json_add_number(j, "median", p->middle[m].median);
        json_add_number(j, "distance", r->distance[m]);
        cJSON_AddItemToArray(list, j);
    }
}

void fleet_export_json(FILE *out, const struct fleet_picture *p, bool line)
{
    char utc[40];
    uint32_t *at = order_fleet(p);
    cJSON *doc = document_begin(FLEET_EXPORT_SCHEMA);
    json_add_text(doc, "time", utc_text(p->wall_ns, utc));
    cJSON *states = cJSON_AddObjectToObject(doc, "states");
    for (int s = 0; s < FLEET_STATES; s++)
        json_add_u64(states, fleet_state_name((enum fleet_state)s), p->states[s]);
    cJSON *outliers = cJSON_AddArrayToObject(doc, "outliers");
    for (size_t i = 0; i < p->nrows; i++)
        add_outliers(outliers, p, &p->rows[at[i]]);
    cJSON *metrics = cJSON_AddArrayToObject(doc, "metrics");
    for (int m = 0; m < FLEET_METRICS; m++)
        cJSON_AddItemToArray(metrics, describe_fleet_metric(p, m));
    cJSON *hosts = cJSON_AddArrayToObject(doc, "hosts");
    for (size_t i = 0; i < p->nrows; i++)
        cJSON_AddItemToArray(hosts, list_fields_object(fleet_fields, &p->rows[at[i]]));
    free(at);
    if (!line) {
        document_end(out, doc);
        return;
    }
    json_write(out, doc, false);
    fputc('\n', out);
    cJSON_Delete(doc);
}

/* --- CSV --- */

void fleet_export_csv(FILE *out, const struct fleet_picture *p, bool head)
{
    const struct list_field *fields[FIELDS_MAX];
    char utc[40];
    const int n = list_fields(fleet_fields, FIELD_CSV, fields);
    uint32_t *at = order_fleet(p);
    if (head) {
        print_csv(out, "time,");
        list_fields_csv_head(out, fields, n);
        print_csv(out, "\r\n");
    }
    for (size_t i = 0; i < p->nrows; i++) {
        print_csv(out, "%s,", utc_text(p->wall_ns, utc));
        list_fields_csv_row(out, fields, n, &p->rows[at[i]]);
        print_csv(out, "\r\n");
    }
    free(at);
}

/* --- the short answer --- */

void fleet_brief(struct brief *b, const struct fleet_picture *p)
{
    char words[FLEET_WORDS], cpu[VALUE_TEXT_MAX], memory[VALUE_TEXT_MAX];
    uint32_t *at = order_fleet(p);
    brief_verdict(b, "%s", fleet_words(p, words));
    if (p->middle[FLEET_cpu].n >= FLEET_JUDGED_LEAST)
        brief_evidence(b, "medians: CPUs %s busy, memory %s used",
                       value_text(p->middle[FLEET_cpu].median, UNIT_PERCENT, true, cpu),
                       value_text(p->middle[FLEET_memory].median, UNIT_PERCENT, true, memory));
    else
        brief_evidence(b, "fewer than %d hosts are live: none is judged by the others",
                       FLEET_JUDGED_LEAST);
    for (size_t i = 0; i < p->nrows; i++) {
        const struct fleet_row *r = &p->rows[at[i]];
        fleet_row_words(p, r, true, words);
        if (words[0])
            brief_row(b, r->name, "%s: %s", fleet_state_name(r->state), words);
        else
            brief_row(b, r->name, "%s: CPUs %s busy, memory %s used", fleet_state_name(r->state),
                      value_text(r->v[FLEET_cpu], UNIT_PERCENT, true, cpu),
                      value_text(r->v[FLEET_memory], UNIT_PERCENT, true, memory));
    }
    free(at);
}
