#include "engine/value/document.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/print.h"
#include "base/utf8.h"

char *text_utf8(const char *text, size_t len)
{
    char *out = xcalloc(len + 1, 3); /* one bad byte becomes three */
    size_t o = 0;
    for (size_t i = 0; i < len;) {
        size_t n = utf8_sequence(text + i, len - i);
        if (n == 0) {
            memcpy(out + o, UTF8_REPLACEMENT, 3);
            o += 3;
            i++;
            continue;
        }
        memcpy(out + o, text + i, n);
        o += n;
        i += n;
    }
    out[o] = 0;
    return out;
}

void json_write_number(FILE *out, const char *key, double v)
{
    char n[32];
    print_json(out, ",\"%s\":%s", key, isfinite(v) ? number_text(v, n) : "null");
}

void csv_write_number(FILE *out, double v)
{
    char n[32];
    fputc(',', out);
    if (isfinite(v))
        fputs(number_text(v, n), out); /* not quoted: a leading minus belongs to the number */
}

const char *whole_text(uint64_t v, char out[32])
{
    char *at = out + 31;
    *at = '\0';
    do
        *--at = (char)('0' + v % 10);
    while (v /= 10);
    return at;
}

const char *number_text(double v, char out[32])
{
    /* A whole number of up to 15 digits, which most are: the same text at less cost. */
    if (v >= 0 && v < 1e15 && v == trunc(v) && !signbit(v))
        return whole_text((uint64_t)v, out);
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, 32, "%.*g", digits, v);
        if (strtod(out, NULL) == v)
            break;
    }
    for (char *p = out; *p; p++)
        if (*p == ',') /* a locale's decimal comma */
            *p = '.';
    return out;
}

const char *utc_text(uint64_t wall_ns, char out[40])
{
    time_t s = (time_t)(wall_ns / 1000000000u);
    struct tm tm;
    gmtime_r(&s, &tm);
    size_t n = strftime(out, 40, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out + n, 40 - n, ".%09uZ", (unsigned)(wall_ns % 1000000000u));
    return out;
}

const char *utc_brief(uint64_t wall_ns, char out[40])
{
    size_t n = strlen(utc_text(wall_ns, out)) - 1; /* without its Z */
    while (out[n - 1] == '0' && wall_ns % 1000000000u)
        n--;
    if (wall_ns % 1000000000u == 0)
        n = strcspn(out, ".");
    memcpy(out + n, "Z", sizeof "Z");
    return out;
}

/* Name of one flag bit of enum value_flag: "scaled", "low_confidence", "modelled", "cross_group".
 */
static const char *value_flag_name(unsigned bit)
{
    switch (bit) {
    case VALUE_SCALED:
        return "scaled";
    case VALUE_LOW_CONFIDENCE:
        return "low_confidence";
    case VALUE_MODELLED:
        return "modelled";
    case VALUE_CROSS_GROUP:
        return "cross_group";
    default:
        return NULL;
    }
}

const char *value_why(const struct value *v)
{
    if (v->why && *v->why)
        return v->why;
    return v->validity == VALUE_PENDING ? "needs a second sample" : "not measured";
}

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

cJSON *document_begin(const char *schema)
{
    cJSON *doc = cJSON_CreateObject();
    cJSON_AddStringToObject(doc, "schema", schema);
    return doc;
}

void document_end(FILE *out, cJSON *doc)
{
    json_write(out, doc, true);
    fputc('\n', out);
    cJSON_Delete(doc);
}

void json_add_text(cJSON *to, const char *key, const char *text)
{
    if (!text) {
        cJSON_AddNullToObject(to, key);
        return;
    }
    char *clean = text_utf8(text, strlen(text));
    cJSON_AddStringToObject(to, key, clean);
    free(clean);
}

/* As raw digits, because a double would round counts near 2^64. */
void json_add_u64(cJSON *to, const char *key, uint64_t v)
{
    char buf[24];
    snprintf(buf, sizeof buf, "%" PRIu64, v);
    cJSON_AddRawToObject(to, key, buf);
}

void json_add_number(cJSON *to, const char *key, double v)
{
    char buf[32];
    cJSON_AddRawToObject(to, key, isfinite(v) ? number_text(v, buf) : "null");
}

void json_add_doubles(cJSON *to, const char *key, const double *v, size_t n)
{
    cJSON_AddItemToObject(to, key, v ? cJSON_CreateDoubleArray(v, (int)n) : cJSON_CreateArray());
}

void json_add_three(cJSON *to, const char *key, const uint32_t *v)
{
    if (v)
        json_add_doubles(to, key, (const double[]){v[0], v[1], v[2]}, 3);
    else
        cJSON_AddNullToObject(to, key);
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
        json_add_text(j, "why", value_why(v));
    if (ok && v->running < 1)
        json_add_number(j, "running", (double)v->running);
    if (ok && v->flags) { /* nothing is scaled that is not there */
        cJSON *flags = cJSON_AddArrayToObject(j, "flags");
        for (unsigned bit = 1; bit <= VALUE_CROSS_GROUP; bit <<= 1)
            if (v->flags & bit)
                cJSON_AddItemToArray(flags, cJSON_CreateString(value_flag_name(bit)));
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

const char *json_get_text(const cJSON *from, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(from, key));
    return text ? text : "";
}

double json_get_number(const cJSON *from, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(from, key);
    return cJSON_IsNumber(v) ? v->valuedouble : NAN;
}
