/* Parses the documents of a capture. Their size is limited before parsing, and each value is
 * checked; errors name its place. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/capture/capture_impl.h"
#include "engine/value/document.h"

enum { DEEPEST = 16, VALUES_MAX = 4 << 20 };

const uint64_t json_most = (UINT64_C(1) << 53) - 1;

/* --- the text --- */

static int refuse_text_at(const struct json_doc *d, const char *text, size_t at, const char *what)
{
    unsigned line = 1, column = 1;
    char place[48];
    for (size_t i = 0; i < at; i++) {
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n';
    }
    snprintf(place, sizeof place, "line %u:%u", line, column);
    return capture_refuse(d->o, d->err, d->file, place, "%s", what);
}

/* Returns the index after the string whose opening quote is at i. */
static size_t past_text(const char *text, size_t n, size_t i)
{
    for (i++; i < n && text[i] != '"'; i++)
        i += text[i] == '\\';
    return i + 1;
}

static size_t past_space(const char *text, size_t n, size_t i)
{
    while (i < n && isspace((unsigned char)text[i]))
        i++;
    return i;
}

/* Limits nesting depth and number of values before parsing: the parser's use of stack and heap
 * grows with them. */
static int check_json_bounds(struct json_doc *d, char *text, size_t n, bool mend)
{
    size_t depth = 0, values = 0, next;
    for (size_t i = 0; i < n; i = next) {
        next = i + 1;
        if (text[i] == '"')
            next = past_text(text, n, i);
        else if (text[i] == '[' || text[i] == '{')
            depth++;
        else if ((text[i] == ']' || text[i] == '}') && depth > 0)
            depth--;
        if (depth > DEEPEST)
            return refuse_text_at(d, text, i, "nested too deeply");
        if (text[i] != ',')
            continue;
        if (++values > VALUES_MAX)
            return refuse_text_at(d, text, i, "too many values");
        size_t after = past_space(text, n, next);
        if (mend && after < n && (text[after] == ']' || text[after] == '}')) {
            text[i] = ' ';
            d->mended = true;
        }
    }
    return 0;
}

int json_doc_parse(struct json_doc *d, const char *text, size_t n, bool mend)
{
    const char *end = NULL;
    char *own = arena_strndup(&d->o->memory, text, n);
    if (strlen(own) != n)
        return refuse_text_at(d, text, strlen(own), "a zero byte");
    int rc = check_json_bounds(d, own, n, mend);
    if (rc)
        return rc;
    d->root = cJSON_ParseWithLengthOpts(own, n + 1, &end, false);
    size_t at = end ? (size_t)(end - own) : 0;
    if (!d->root)
        return refuse_text_at(d, own, at < n ? at : n,
                              at < n ? "not JSON" : "the JSON ends too early");
    if (past_space(own, n, at) < n)
        return refuse_text_at(d, own, past_space(own, n, at), "more after the end of the JSON");
    if (!cJSON_IsObject(d->root))
        return refuse_text_at(d, own, 0, "not a JSON object");
    return 0;
}

void json_doc_free(struct json_doc *d)
{
    cJSON_Delete(d->root);
    d->root = NULL;
}

/* --- its values --- */

int json_doc_refuse(const struct json_doc *d, const char *where, const char *key, const char *what)
{
    char place[160];
    snprintf(place, sizeof place, "%s%s%s", where, *where && *key ? "." : "", key);
    return capture_refuse(d->o, d->err, d->file, place, "%s", what);
}

static int find_member(const struct json_doc *d, const cJSON *in, const char *where,
                       const char *key, enum json_need need, const cJSON **out)
{
    *out = cJSON_GetObjectItemCaseSensitive(in, key);
    if (*out && cJSON_IsNull(*out))
        *out = NULL;
    return !*out && need == JSON_MUST ? json_doc_refuse(d, where, key, "is missing") : 0;
}

int json_whole(const struct json_doc *d, const cJSON *in, const char *where, const char *key,
               enum json_need need, uint64_t most, uint64_t *out)
{
    const cJSON *v;
    char what[80];
    int rc = find_member(d, in, where, key, need, &v);
    if (rc || !v)
        return rc;
    double x = v->valuedouble;
    if (!cJSON_IsNumber(v) || !(x >= 0) || x > (double)most || floor(x) != x) {
        snprintf(what, sizeof what, "not a whole number from 0 to %llu", (unsigned long long)most);
        return json_doc_refuse(d, where, key, what);
    }
    *out = (uint64_t)x;
    return 0;
}

int json_whole32(const struct json_doc *d, const cJSON *in, const char *where, const char *key,
                 enum json_need need, uint32_t *out)
{
    uint64_t v = *out;
    int rc = json_whole(d, in, where, key, need, UINT32_MAX, &v);
    *out = (uint32_t)v;
    return rc;
}

int json_truth(const struct json_doc *d, const cJSON *in, const char *where, const char *key,
               bool *out)
{
    const cJSON *v;
    int rc = find_member(d, in, where, key, JSON_MAY, &v);
    if (rc || !v)
        return rc;
    if (!cJSON_IsBool(v))
        return json_doc_refuse(d, where, key, "neither true nor false");
    *out = cJSON_IsTrue(v);
    return 0;
}

int doc_text(const struct json_doc *d, const cJSON *in, const char *where, const char *key,
             enum json_need need, const char **out)
{
    const cJSON *v;
    int rc = find_member(d, in, where, key, need, &v);
    if (rc || !v)
        return rc;
    if (!cJSON_IsString(v))
        return json_doc_refuse(d, where, key, "not a string");
    char *clean = text_utf8(v->valuestring, strlen(v->valuestring));
    *out = arena_strdup(&d->o->memory, clean);
    free(clean);
    return 0;
}

int json_sum(const struct json_doc *d, const cJSON *in, const char *where, const char *key,
             enum json_need need, uint64_t *out, bool *has)
{
    const char *text = NULL;
    int rc = doc_text(d, in, where, key, need, &text);
    if (rc || !text)
        return rc;
    if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
        return json_doc_refuse(d, where, key, "not 16 hexadecimal digits");
    *out = strtoull(text, NULL, 16);
    *has = true;
    return 0;
}
