#include "export/lab/ports_export.h"

#include <math.h>

#include <string.h>

#include <cjson/cJSON.h>

#include "base/print.h"
#include "engine/live/metric.h"
#include "engine/ports/ports.h"
#include "engine/value/document.h"
#include "export/brief.h"

enum { EVENTS_TEXT = 512 };

/* "OPS_TYPE…:FP_DISPATCH r4ab, …". */
static const char *events_text(const struct ports_row *row, char out[EVENTS_TEXT])
{
    size_t used = 0;
    *out = '\0';
    for (size_t i = 0; i < row->nevents && used < EVENTS_TEXT; i++) {
        const struct ports_event *e = &row->events[i];
        used += (size_t)print_line(out + used, EVENTS_TEXT - used, "%s%s%s%s", i ? ", " : "",
                                   e->name, *e->code ? " " : "", e->code);
    }
    return out;
}

static const char *cpu_name_of(const struct ports_report *r)
{
    return r->snap->host && *r->snap->host->cpu_model ? r->snap->host->cpu_model : "this CPU";
}

/* --- text --- */

static void write_port_row(FILE *out, const struct ports_report *r, const struct ports_row *row)
{
    char number[VALUE_TEXT_MAX], events[EVENTS_TEXT];
    const struct value *v = &row->metric->value;
    print_text(out, "%-5s %-16s %12s", row->pipes, row->label, value_format(v, true, number));
    if (v->validity == VALUE_OK)
        print_text(out, " %6.0f %%", 100 * (double)v->running);
    else
        print_text(out, " %8s", "");
    print_text(out, "  %s\n", row->metric->def->what);
    print_text(out, "%6sevent  %s\n", "", events_text(row, events));
    print_text(out, "%6ssource %s\n", "", row->metric->def->reference);
    if (v->validity != VALUE_OK && !r->why)
        print_text(out, "%6sn/a: %s\n", "", value_why(v));
}

void ports_export_text(FILE *out, const void *what)
{
    const struct ports_report *r = what;
    print_text(out, "pipes and ports of %s, of %s, over %.2f s\n", cpu_name_of(r),
               r->snap->target ? r->snap->target : "this host", r->snap->interval_s);
    print_text(out, "%s\n", r->note);
    print_text(out, "D: arithmetic and vectors; S: loads and stores; C: branches and control.\n");
    if (r->why)
        print_text(out, "n/a: %s\n", r->why);
    if (r->n)
        print_text(out, "\n%-5s %-16s %12s %8s  %s\n", "PIPE", "WHAT", "VALUE", "COUNTED",
                   "WHAT IT TELLS");
    for (size_t i = 0; i < r->n; i++)
        write_port_row(out, r, &r->rows[i]);
}

void ports_brief(struct brief *b, const struct ports_report *r)
{
    char number[VALUE_TEXT_MAX];
    if (r->counted)
        brief_verdict(b, "%zu of %zu numbers about pipes and ports were counted", r->counted, r->n);
    else
        brief_verdict(b, "nothing was counted: %s", r->why ? r->why : r->note);
    brief_evidence(b, "%s, of %.60s, over %.2f s", cpu_name_of(r),
                   r->snap->target ? r->snap->target : "this host", r->snap->interval_s);
    if (r->counted)
        brief_evidence(b, "%s", r->note);
    for (size_t i = 0; i < r->n; i++) {
        const struct value *v = &r->rows[i].metric->value;
        if (v->validity == VALUE_OK)
            brief_row(b, r->rows[i].label, "%s; pipes %s; %s", value_format(v, true, number),
                      r->rows[i].pipes, r->rows[i].metric->def->what);
    }
}

/* --- documents --- */

static cJSON *json_port_row(const struct ports_row *row)
{
    cJSON *j = cJSON_CreateObject();
    json_add_text(j, "pipes", row->pipes);
    json_add_text(j, "id", row->metric->def->id);
    json_add_text(j, "label", row->label);
    json_add_value(j, "value", &row->metric->value);
    json_add_text(j, "formula", row->metric->def->formula);
    cJSON *events = cJSON_AddArrayToObject(j, "events");
    for (size_t i = 0; i < row->nevents; i++) {
        cJSON *e = cJSON_CreateObject();
        json_add_text(e, "name", row->events[i].name);
        json_add_text(e, "code", *row->events[i].code ? row->events[i].code : NULL);
        cJSON_AddItemToArray(events, e);
    }
    json_add_text(j, "what", row->metric->def->what);
    json_add_text(j, "source", row->metric->def->reference);
    return j;
}

cJSON *ports_export_object(const struct ports_report *r)
{
    cJSON *doc = document_begin("rooftop.ports/1");
    json_add_text(doc, "cpu", cpu_name_of(r));
    json_add_text(doc, "cpu_key", r->snap->host ? r->snap->host->pmu_arch : "");
    json_add_text(doc, "target", r->snap->target);
    json_add_number(doc, "interval_s", r->snap->interval_s);
    json_add_text(doc, "note", r->note);
    json_add_text(doc, "missing", r->why);
    cJSON *rows = cJSON_AddArrayToObject(doc, "pipes");
    for (size_t i = 0; i < r->n; i++)
        cJSON_AddItemToArray(rows, json_port_row(&r->rows[i]));
    return doc;
}

void ports_export_json(FILE *out, const void *what)
{
    cJSON *doc = ports_export_object(what);
    document_end(out, doc);
}

void ports_export_csv(FILE *out, const void *what)
{
    const struct ports_report *r = what;
    char events[EVENTS_TEXT];
    fputs("pipes,id,label,value,unit,counted,why,events,source\n", out);
    for (size_t i = 0; i < r->n; i++) {
        const struct ports_row *row = &r->rows[i];
        const struct value *v = &row->metric->value;
        bool ok = v->validity == VALUE_OK;
        print_csv(out, "%s,%s,%s", row->pipes, row->metric->def->id, row->label);
        csv_write_number(out, ok ? v->v : (double)NAN);
        print_csv(out, ",%s", unit_name((enum unit)v->unit));
        csv_write_number(out, ok ? (double)v->running : (double)NAN);
        print_csv(out, ",%s,%s,%s\n", ok ? "" : value_why(v), events_text(row, events),
                  row->metric->def->reference);
    }
}
