#include "export/interval_json.h"

#include "engine/value/document.h"

void json_add_interval(cJSON *to, const char *key, const struct interval *i)
{
    cJSON *j = cJSON_AddObjectToObject(to, key);
    json_add_number(j, "estimate", i->estimate);
    json_add_number(j, "low", i->low);
    json_add_number(j, "high", i->high);
}
