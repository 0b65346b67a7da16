#include "export/left_out_json.h"

#include "engine/trace/left_out.h"
#include "engine/value/document.h"

static cJSON *left_out_json(const struct trace *t)
{
    cJSON *all = cJSON_CreateObject(), *list;
    json_add_u64(all, "records", t->dropped);
    list = cJSON_AddArrayToObject(all, "causes");
    for (int i = 0; i < LEFT_OUT_CAUSES; i++) {
        const char *cause;
        uint64_t n = trace_left_out_of(t, (enum left_out)i, &cause);
        if (n == 0)
            continue;
        cJSON *row = cJSON_CreateObject();
        json_add_text(row, "cause", cause);
        json_add_u64(row, "records", n);
        cJSON_AddItemToArray(list, row);
    }
    return all;
}

void left_out_json_add(cJSON *to, const struct trace *t)
{
    if (t)
        cJSON_AddItemToObject(to, "left_out", left_out_json(t));
}

void left_out_json_write(FILE *out, const struct trace *t)
{
    if (!t)
        return;
    cJSON *all = left_out_json(t);
    fputs(",\"left_out\":", out);
    json_write(out, all, false);
    cJSON_Delete(all);
}
