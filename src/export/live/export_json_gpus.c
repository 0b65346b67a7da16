/* The GPUs of a snapshot: every field of gpus_table.c, under its name there, and the processes on
 * them with the fields of their list. */
#include "engine/live/gpu_fields.h"
#include "engine/value/document.h"
#include "engine/value/list_field_document.h"
#include "engine/value/record.h"
#include "export/live/export_json.h"

static cJSON *rows_json(const struct gpus *g, enum gpus_array a)
{
    size_t n;
    const char *rows = gpus_rows(g, a, &n);
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < n; i++) {
        const char *row = rows + i * gpus_tables[a].fields.size;
        cJSON *j = a == GPUS_PROCESSES ? list_fields_object(gpu_fields, row)
                                       : record_object(gpus_tables[a].fields, row);
        if (a == GPUS_GPU)
            cJSON_AddItemToObject(j, "now",
                                  record_object(gpus_tables[GPUS_NOW].fields, &g->now[i]));
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
