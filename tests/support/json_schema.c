#include "json_schema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check {
    const cJSON *root;
    char *why;
    size_t size;
};

static bool validate(struct check *c, const cJSON *schema, const cJSON *v, const char *at);

static bool wrong(struct check *c, const char *at, const char *rule)
{
    snprintf(c->why, c->size, "%s: %s", *at ? at : "/", rule);
    return false;
}

static bool has_type(const char *type, const cJSON *v)
{
    if (strcmp(type, "object") == 0)
        return cJSON_IsObject(v);
    if (strcmp(type, "array") == 0)
        return cJSON_IsArray(v);
    if (strcmp(type, "string") == 0)
        return cJSON_IsString(v);
    if (strcmp(type, "boolean") == 0)
        return cJSON_IsBool(v);
    if (strcmp(type, "null") == 0)
        return cJSON_IsNull(v);
    if (strcmp(type, "number") == 0)
        return cJSON_IsNumber(v);
    return strcmp(type, "integer") == 0 && cJSON_IsNumber(v) &&
           floor(v->valuedouble) == v->valuedouble;
}

static bool rule_type(struct check *c, const cJSON *rule, const cJSON *v, const char *at)
{
    const cJSON *one;
    if (cJSON_IsString(rule))
        return has_type(rule->valuestring, v) || wrong(c, at, rule->valuestring);
    cJSON_ArrayForEach(one, rule) if (has_type(one->valuestring, v)) return true;
    return wrong(c, at, "none of the types");
}

static bool rule_enum(struct check *c, const cJSON *rule, const cJSON *v, const char *at)
{
    const cJSON *one;
    cJSON_ArrayForEach(one, rule) if (cJSON_Compare(one, v, true)) return true;
    return wrong(c, at, "enum");
}

static bool rule_members(struct check *c, const cJSON *schema, const cJSON *v, const char *at)
{
    const cJSON *properties = cJSON_GetObjectItemCaseSensitive(schema, "properties");
    const cJSON *closed = cJSON_GetObjectItemCaseSensitive(schema, "additionalProperties");
    const cJSON *required = cJSON_GetObjectItemCaseSensitive(schema, "required"), *one;
    char path[512];
    cJSON_ArrayForEach(one, required)
    {
        snprintf(path, sizeof path, "%s/%s", at, one->valuestring);
        if (!cJSON_GetObjectItemCaseSensitive(v, one->valuestring))
            return wrong(c, path, "required");
    }
    cJSON_ArrayForEach(one, v)
    {
        snprintf(path, sizeof path, "%s/%s", at, one->string);
        const cJSON *sub = cJSON_GetObjectItemCaseSensitive(properties, one->string);
        if (!sub && cJSON_IsFalse(closed))
            return wrong(c, path, "not a known member");
        if (sub && !validate(c, sub, one, path))
            return false;
    }
    return true;
}

static bool rule_items(struct check *c, const cJSON *rule, const cJSON *v, const char *at)
{
    char path[512];
    int i = 0;
    const cJSON *one;
    cJSON_ArrayForEach(one, v)
    {
        snprintf(path, sizeof path, "%s/%d", at, i++);
        if (!validate(c, rule, one, path))
            return false;
    }
    return true;
}

static bool rule_one_of(struct check *c, const cJSON *rule, const cJSON *v, const char *at)
{
    const cJSON *one;
    char first[512] = "";
    int fits = 0;
    cJSON_ArrayForEach(one, rule)
    {
        if (validate(c, one, v, at))
            fits++;
        else if (strlen(c->why) > strlen(first)) /* of several complaints, the deepest says most */
            snprintf(first, sizeof first, "%s", c->why);
    }
    if (fits == 1)
        return true;
    return wrong(c, at, fits ? "oneOf: several fit" : first);
}

static bool rule_ref(struct check *c, const cJSON *rule, const cJSON *v, const char *at)
{
    const char *prefix = "#/$defs/";
    if (strncmp(rule->valuestring, prefix, strlen(prefix)) != 0)
        return wrong(c, at, "a $ref that is not understood");
    const cJSON *defs = cJSON_GetObjectItemCaseSensitive(c->root, "$defs");
    const cJSON *to = cJSON_GetObjectItemCaseSensitive(defs, rule->valuestring + strlen(prefix));
    return to ? validate(c, to, v, at) : wrong(c, at, "a $ref that leads nowhere");
}

static bool rule_limit(struct check *c, const cJSON *rule, const cJSON *v, const char *at)
{
    double limit = rule->valuedouble;
    bool ok = true;
    if (strcmp(rule->string, "minimum") == 0)
        ok = !cJSON_IsNumber(v) || v->valuedouble >= limit;
    else if (strcmp(rule->string, "maximum") == 0)
        ok = !cJSON_IsNumber(v) || v->valuedouble <= limit;
    else if (strcmp(rule->string, "minLength") == 0)
        ok = !cJSON_IsString(v) || (double)strlen(v->valuestring) >= limit;
    else
        ok = !cJSON_IsArray(v) || cJSON_GetArraySize(v) >= (int)limit;
    return ok || wrong(c, at, rule->string);
}

static bool rule_apply(struct check *c, const cJSON *schema, const cJSON *rule, const cJSON *v,
                       const char *at)
{
    static const char *const words[] = {"$schema",     "$defs",    "title",
                                        "description", "required", "additionalProperties"};
    static const char *const limits[] = {"minimum", "maximum", "minLength", "minItems"};
    const char *name = rule->string;
    if (strcmp(name, "type") == 0)
        return rule_type(c, rule, v, at);
    if (strcmp(name, "const") == 0)
        return cJSON_Compare(rule, v, true) || wrong(c, at, "const");
    if (strcmp(name, "enum") == 0)
        return rule_enum(c, rule, v, at);
    if (strcmp(name, "properties") == 0)
        return !cJSON_IsObject(v) || rule_members(c, schema, v, at);
    if (strcmp(name, "items") == 0)
        return !cJSON_IsArray(v) || rule_items(c, rule, v, at);
    if (strcmp(name, "oneOf") == 0)
        return rule_one_of(c, rule, v, at);
    if (strcmp(name, "$ref") == 0)
        return rule_ref(c, rule, v, at);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (strcmp(name, limits[i]) == 0)
            return rule_limit(c, rule, v, at);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i]) == 0)
            return true;
    return wrong(c, at, "a keyword of the schema that is not checked");
}

static bool validate(struct check *c, const cJSON *schema, const cJSON *v, const char *at)
{
    const cJSON *rule;
    cJSON_ArrayForEach(rule, schema) if (!rule_apply(c, schema, rule, v, at)) return false;
    return true;
}

bool json_schema_check(const cJSON *schema, const cJSON *doc, char *why, size_t size)
{
    struct check c = {.root = schema, .why = why, .size = size};
    *why = 0;
    return validate(&c, schema, doc, "");
}

cJSON *json_file(const char *path)
{
    FILE *f = fopen(path, "re");
    if (!f)
        return NULL;
    size_t cap = 1 << 20, n;
    char *text = malloc(cap);
    n = text ? fread(text, 1, cap - 1, f) : 0;
    fclose(f);
    cJSON *doc = text ? cJSON_ParseWithLength(text, n) : NULL;
    free(text);
    return doc;
}
