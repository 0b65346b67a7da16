#include "engine/judge_gpu/gpu_progress.h"

#include <math.h>
#include <string.h>

#include "engine/value/document.h"

static const char kind[] = "pairs";

cJSON *gpu_progress_event(const struct judge_progress *p)
{
    cJSON *j = cJSON_CreateObject();
    cJSON_AddStringToObject(j, "event", kind);
    json_add_u64(j, "pairs", p->pairs);
    cJSON_AddBoolToObject(j, "confirms", p->confirms);
    cJSON_AddBoolToObject(j, "modelled", p->modelled);
    json_add_number(j, "estimate", p->factor.estimate);
    json_add_number(j, "low", p->factor.low);
    json_add_number(j, "high", p->factor.high);
    return j;
}

static bool is_true(const cJSON *event, const char *key)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(event, key));
}

bool gpu_progress_take(struct judge_progress *out, const cJSON *event)
{
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, "event"));
    const double pairs = json_get_number(event, "pairs");
    if (!name || strcmp(name, kind) != 0 || !(pairs >= 0 && pairs < 0x1p53))
        return false;
    *out = (struct judge_progress){.factor = {.estimate = json_get_number(event, "estimate"),
                                              .low = json_get_number(event, "low"),
                                              .high = json_get_number(event, "high")},
                                   .pairs = (size_t)pairs,
                                   .confirms = is_true(event, "confirms"),
                                   .modelled = is_true(event, "modelled")};
    return true;
}
