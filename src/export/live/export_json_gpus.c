/* The GPUs of a snapshot: every field of gpus_table.c, under its name there, and the processes on
 * them with the fields of their list. */
#include <string.h>

#include "engine/live/gpu_fields.h"
#include "engine/value/document.h"
#include "engine/value/list_field_document.h"
#include "export/live/export_json.h"

static void add_gpu_field(cJSON *to, const char *name, const struct field *f, const char *row)
{
    const char *at = row + f->offset;
    if (f->type == FIELD_VALUE) {
        json_add_value(to, name, (const struct value *)(const void *)at);
    } else if (f->type == FIELD_TEXT) {
        const char *text = *(const char *const *)(const void *)at;
        json_add_text(to, name, text[0] ? text : NULL);
    } else if (f->type == FIELD_INT) {
        int v = *(const int *)(const void *)at;
        if (v < 0)
            cJSON_AddNullToObject(to, name);
        else
            cJSON_AddNumberToObject(to, name, v);
    } else if (f->type == FIELD_U64) {
        json_add_u64(to, name, *(const uint64_t *)(const void *)at);
    }
}

static cJSON *make_gpu_json_row(enum gpus_array a, const char *row)
{
    const struct gpus_table *t = &gpus_tables[a];
    cJSON *j = cJSON_CreateObject();
    for (size_t i = 0; i < t->fields.n; i++)
        if (a != GPUS_SOURCES || strcmp(t->names[i], "state") != 0)
            add_gpu_field(j, t->names[i], &t->fields.field[i], row);
    return j;
}

static cJSON *rows_json(const struct gpus *g, enum gpus_array a)
{
    static const char *const states[] = {"absent", "waiting", "broken", "ok"};
    size_t n;
    const char *rows = gpus_rows(g, a, &n);
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < n; i++) {
        const char *row = rows + i * gpus_tables[a].fields.size;
        cJSON *j =
            a == GPUS_PROCESSES ? list_fields_object(gpu_fields, row) : make_gpu_json_row(a, row);
        if (a == GPUS_GPU)
            cJSON_AddItemToObject(j, "now", make_gpu_json_row(GPUS_NOW, (const char *)&g->now[i]));
        if (a == GPUS_SOURCES)
            cJSON_AddStringToObject(j, "state", states[g->sources[i].state & 3]);
        cJSON_AddItemToArray(list, j);
    }
    return list;
}

cJSON *json_gpus(const struct gpus *g)
{
    if (!g)
        return cJSON_CreateNull();
    cJSON *j = cJSON_CreateObject();
    cJSON_AddBoolToObject(j, "emulated", g->emulated);
    json_add_text(j, "runtime", g->runtime[0] ? g->runtime : NULL);
    cJSON_AddItemToObject(j, "devices", rows_json(g, GPUS_GPU));
    for (int a = GPUS_POOLS; a < GPUS_ARRAYS; a++)
        cJSON_AddItemToObject(j, gpus_tables[a].name, rows_json(g, (enum gpus_array)a));
    return j;
}
