#include "engine/judge_gpu/gpu_progress.h"

#include <string.h>

#include "engine/value/document.h"
#include "engine/value/record.h"
#include "engine/value/record_rows.h"

static const char kind[] = "pairs";

#define TYPE struct judge_progress
static const struct fields progress_record =
    RECORD_OF(ROW(U64, pairs), ROW(BOOL, confirms), ROW(BOOL, modelled),
              NAMED(DOUBLE, factor.estimate, "estimate"), NAMED(DOUBLE, factor.low, "low"),
              NAMED(DOUBLE, factor.high, "high"));
#undef TYPE

cJSON *gpu_progress_event(const struct judge_progress *p)
{
    cJSON *j = cJSON_CreateObject();
    cJSON_AddStringToObject(j, "event", kind);
    record_add(j, progress_record, p, NULL, NULL);
    return j;
}

bool gpu_progress_take(struct judge_progress *out, const cJSON *event)
{
    const double pairs = json_get_number(event, "pairs");
    if (strcmp(json_get_text(event, "event"), kind) != 0 || !(pairs >= 0 && pairs < 0x1p53))
        return false;
    record_take(event, progress_record, out);
    return true;
}
