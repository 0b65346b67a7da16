#include "export/export.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/print.h"
#include "base/arena.h"
#include "base/utf8.h"

char *export_utf8(const char *text, size_t len)
{
    char *out = xcalloc(len + 1, 3); /* a bad byte grows to three */
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

void export_json_number(FILE *out, const char *key, double v)
{
    char n[32];
    print_json(out, ",\"%s\":%s", key, isfinite(v) ? export_number(v, n) : "null");
}

void export_csv_number(FILE *out, double v)
{
    char n[32];
    fputc(',', out);
    if (isfinite(v))
        fputs(export_number(v, n), out); /* a minus is one */
}

const char *export_number(double v, char out[32])
{
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

const char *export_time(uint64_t wall_ns, char out[40])
{
    time_t s = (time_t)(wall_ns / 1000000000u);
    struct tm tm;
    gmtime_r(&s, &tm);
    size_t n = strftime(out, 40, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out + n, 40 - n, ".%09uZ", (unsigned)(wall_ns % 1000000000u));
    return out;
}

const char *export_flag(unsigned bit)
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

const char *export_why(const struct value *v)
{
    if (v->why && *v->why)
        return v->why;
    return v->validity == VALUE_PENDING ? "needs a second sample" : "not measured";
}
