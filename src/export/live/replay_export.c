#include "export/live/replay_export.h"

#include "engine/value/document.h"
#include "engine/value/list_field_document.h"
#include "export/live/export_csv.h"

static cJSON *make_replay_json_row(const struct replay_row *r)
{
    const struct capture *c = r->capture;
    cJSON *o = cJSON_CreateObject();
    list_fields_json(o, replay_fields, r, 1, 9);
    if (c) {
        list_fields_json(o, replay_fields, r, 10, 12);
        json_add_three(o, "grid", c->grid);
        json_add_three(o, "block", c->block);
        list_fields_json(o, replay_fields, r, 13, UINT8_MAX);
    }
    cJSON *past = cJSON_AddArrayToObject(o, "results");
    for (size_t i = 0; i < r->past.n; i++)
        cJSON_AddItemToArray(past, list_fields_object(replay_past_fields, &r->past.rows[i]));
    return o;
}

cJSON *replay_list_json(const struct replay_list *l)
{
    cJSON *o = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(o, "captures");
    cJSON_AddBoolToObject(o, "emulated", l->host.emulated);
    json_add_text(o, "host_why", l->host.why);
    json_add_text(o, "note", l->note);
    for (size_t i = 0; i < l->n; i++)
        cJSON_AddItemToArray(list, make_replay_json_row(&l->rows[i]));
    return o;
}

void replay_list_csv(FILE *out, const struct replay_list *l, const char *time)
{
    char name[1024];
    for (size_t i = 0; i < l->n; i++) {
        const struct replay_row *r = &l->rows[i];
        const struct replay_past *p = r->past.n ? &r->past.rows[0] : NULL;
        struct value last = p ? replay_past_time(p, p->timing.average)
                              : value_missing("it was not replayed yet", UNIT_SECONDS);
        int n = snprintf(name, sizeof name, "%.300s: %.300s.", r->path, r->name);
        export_csv_fields(out, time, "replay", name, replay_fields, r);
        snprintf(name + n, sizeof name - (size_t)n, "last_average%s",
                 p && p->emulated ? "_emulated" : "");
        export_csv_row(out, time, "replay", name, &last);
    }
}
