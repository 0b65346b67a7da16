#include "export/live/replay_export.h"

#include <string.h>

#include "engine/value/document.h"
#include "engine/value/list_field_document.h"
#include "export/live/export_csv.h"

static void add_triple(cJSON *to, const char *key, const uint32_t v[3])
{
    cJSON *list = cJSON_AddArrayToObject(to, key);
    for (int i = 0; i < 3; i++)
        cJSON_AddItemToArray(list, cJSON_CreateNumber(v[i]));
}

static struct value microseconds(const struct replay_timing *t, double v)
{
    return t->known ? value_ok(v / 1e6, UNIT_SECONDS)
                    : value_missing("it has no times", UNIT_SECONDS);
}

static cJSON *json_past(const struct replay_past *p)
{
    char time[40];
    cJSON *o = cJSON_CreateObject();
    struct value average = microseconds(&p->timing, p->timing.average),
                 min = microseconds(&p->timing, p->timing.min),
                 max = microseconds(&p->timing, p->timing.max);
    cJSON_AddStringToObject(o, "time", utc_text(p->time_ns, time));
    json_add_text(o, "job", replay_job_name(p->job));
    json_add_text(o, "code", p->code);
    json_add_text(o, "hsaco", p->hsaco);
    json_add_text(o, "mode", p->mode);
    json_add_text(o, "agent", p->agent);
    cJSON_AddBoolToObject(o, "emulated", p->emulated);
    json_add_u64(o, "iterations", p->timing.iterations);
    json_add_value(o, "average", &average);
    json_add_value(o, "min", &min);
    json_add_value(o, "max", &max);
    if (p->verify == REPLAY_NOT_COMPARED)
        cJSON_AddNullToObject(o, "equal");
    else
        cJSON_AddBoolToObject(o, "equal", p->verify != REPLAY_DIFFERENT);
    if (p->verify == REPLAY_NOT_COMPARED || p->verify == REPLAY_DIFFERENT)
        cJSON_AddNullToObject(o, "exact");
    else
        cJSON_AddBoolToObject(o, "exact", p->verify == REPLAY_EQUAL);
    return o;
}

static cJSON *json_row(const struct replay_row *r)
{
    const struct capture *c = r->capture;
    cJSON *o = cJSON_CreateObject();
    list_fields_json(o, replay_fields, r, 1, 9);
    if (c) {
        list_fields_json(o, replay_fields, r, 10, 12);
        add_triple(o, "grid", c->grid);
        add_triple(o, "block", c->block);
        list_fields_json(o, replay_fields, r, 13, UINT8_MAX);
    }
    cJSON *past = cJSON_AddArrayToObject(o, "results");
    for (size_t i = 0; i < r->past.n; i++)
        cJSON_AddItemToArray(past, json_past(&r->past.rows[i]));
    return o;
}

cJSON *replay_list_json(const struct replay_list *l)
{
    cJSON *o = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(o, "captures");
    cJSON_AddBoolToObject(o, "emulated", l->host.emulated);
    json_add_text(o, "host_why", l->host.why);
    json_add_text(o, "note", l->note);
    for (size_t i = 0; i < l->n; i++)
        cJSON_AddItemToArray(list, json_row(&l->rows[i]));
    return o;
}

void replay_list_csv(FILE *out, const struct replay_list *l, const char *time)
{
    char name[1024];
    for (size_t i = 0; i < l->n; i++) {
        const struct replay_row *r = &l->rows[i];
        const struct replay_timing *t = r->past.n ? &r->past.rows[0].timing : NULL;
        bool emulated = r->past.n && r->past.rows[0].emulated;
        struct value last = t ? microseconds(t, t->average)
                              : value_missing("it was not replayed yet", UNIT_SECONDS);
        int n = snprintf(name, sizeof name, "%.300s: %.300s.", r->path, r->name);
        export_csv_fields(out, time, "replay", name, replay_fields, r);
        snprintf(name + n, sizeof name - (size_t)n, "last_average%s", emulated ? "_emulated" : "");
        export_csv_row(out, time, "replay", name, &last);
    }
}
