#include "export/export_json_value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "export/export.h"

char *json_document(const cJSON *doc, bool indented)
{
    /* raw: what comes out goes through print_json_document */
    return print_json_document(indented ? cJSON_Print(doc) : cJSON_PrintUnformatted(doc));
}

void json_write(FILE *out, const cJSON *doc, bool indented)
{
    char *text = json_document(doc, indented);
    if (text)
        fputs(text, out); /* raw: a document */
    free(text);
}

void json_add_text(cJSON *to, const char *key, const char *text)
{
    if (!text) {
        cJSON_AddNullToObject(to, key);
        return;
    }
    char *clean = export_utf8(text, strlen(text));
    cJSON_AddStringToObject(to, key, clean);
    free(clean);
}

/* Exact, where a double would round: counts reach 2^64. */
void json_add_u64(cJSON *to, const char *key, uint64_t v)
{
    char buf[24];
    snprintf(buf, sizeof buf, "%" PRIu64, v);
    cJSON_AddRawToObject(to, key, buf);
}

void json_add_number(cJSON *to, const char *key, double v)
{
    char buf[32];
    cJSON_AddRawToObject(to, key, isfinite(v) ? export_number(v, buf) : "null");
}

cJSON *json_value(const struct value *v)
{
    cJSON *j = cJSON_CreateObject();
    bool ok = v->validity == VALUE_OK;
    if (ok)
        json_add_number(j, "value", v->v);
    else
        cJSON_AddNullToObject(j, "value");
    cJSON_AddStringToObject(j, "unit", unit_name((enum unit)v->unit));
    cJSON_AddBoolToObject(j, "valid", ok);
    if (!ok)
        json_add_text(j, "why", export_why(v));
    if (ok && v->running < 1)
        json_add_number(j, "running", (double)v->running);
    if (ok && v->flags) { /* nothing is scaled that is not there */
        cJSON *flags = cJSON_AddArrayToObject(j, "flags");
        for (unsigned bit = 1; bit <= VALUE_CROSS_GROUP; bit <<= 1)
            if (v->flags & bit)
                cJSON_AddItemToArray(flags, cJSON_CreateString(export_flag(bit)));
    }
    return j;
}

void json_add_value(cJSON *to, const char *key, const struct value *v)
{
    cJSON_AddItemToObject(to, key, json_value(v));
}

void json_add_ok(cJSON *to, const char *key, double v, enum unit unit)
{
    struct value x = value_ok(v, unit);
    json_add_value(to, key, &x);
}
