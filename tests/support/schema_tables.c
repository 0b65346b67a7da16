#include "support/schema_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

enum { WIDTH = 118, TEXT_MAX = 1 << 20 };

/* --- the file's form: what fits on a line stands on one --- */

static char text[TEXT_MAX];

static void put_text(const char *more)
{
    strcat(text + strlen(text), more);
}

/* As cJSON prints it, with a space after commas and colons. */
static char *print_on_a_line(const cJSON *j)
{
    char *plain = cJSON_PrintUnformatted(j), *out = calloc(2 * strlen(plain) + 1, 1), *to = out;
    int quoted = 0;
    for (const char *p = plain; *p; p++) {
        *to++ = *p;
        quoted ^= *p == '"' && (p == plain || p[-1] != '\\');
        if (!quoted && (*p == ',' || *p == ':'))
            *to++ = ' ';
    }
    free(plain);
    return out;
}

static void print_names(const cJSON *list, int indent)
{
    int x = WIDTH + 1;
    for (const cJSON *item = list->child; item; item = item->next) {
        char *name = print_on_a_line(item), word[128];
        snprintf(word, sizeof word, "%s%s", name, item->next ? "," : "");
        if (x + (int)strlen(word) + 1 > WIDTH) {
            snprintf(text + strlen(text), 64, "\n%*s%s", indent, "", word);
            x = indent + (int)strlen(word);
        } else {
            put_text(" ");
            put_text(word);
            x += 1 + (int)strlen(word);
        }
        free(name);
    }
}

/* What is neither object nor array stands behind what is neither, or behind the brace, if it fits.
 */
static void print_gap(const cJSON *in, const cJSON *item, int indent)
{
    const char *last = strrchr(text, '\n'), *key = item->string ? item->string : "";
    char *line = print_on_a_line(item);
    const size_t x = strlen(last ? last : text) + strlen(key) + strlen(line);
    if (cJSON_IsArray(in) || item->child || (item->prev->next && item->prev->child) ||
        x + 6 > WIDTH)
        snprintf(text + strlen(text), 64, "\n%*s", indent, "");
    else if (item != in->child)
        put_text(" ");
    free(line);
}

static void print_part(const cJSON *j, int indent)
{
    char *line = print_on_a_line(j);
    if ((int)strlen(line) + indent <= WIDTH || !j->child) {
        put_text(line);
    } else {
        put_text(cJSON_IsArray(j) ? "[" : "{");
        if (cJSON_IsString(j->child) && cJSON_IsArray(j))
            print_names(j, indent + 1);
        else
            for (const cJSON *item = j->child; item; item = item->next) {
                print_gap(j, item, indent + 1);
                if (cJSON_IsObject(j))
                    snprintf(text + strlen(text), 128, "\"%s\": ", item->string);
                print_part(item, indent + 1);
                put_text(item->next ? "," : "");
            }
        put_text(cJSON_IsArray(j) ? "]" : "}");
    }
    free(line);
}

/* --- what a table says of a member --- */

enum kind { NUMBER, WHOLE, WORDS, TRUTH, VALUES, ARRAY_OF, PER_CPU, OBJECT };
struct member {
    const char *name;
    enum kind kind;
    bool null, optional, added;
    const struct fields *record; /* of the object that it is, or of its items; NULL */
};

static bool has_type(const cJSON *schema, const char *wanted)
{
    const cJSON *type = cJSON_GetObjectItem(schema, "type"), *one;
    if (cJSON_IsString(type))
        return strcmp(type->valuestring, wanted) == 0;
    cJSON_ArrayForEach(one, type) if (strcmp(one->valuestring, wanted) == 0) return true;
    return false;
}

static bool fits(const cJSON *schema, const struct member *m)
{
    switch (m->kind) {
    case VALUES:
        return cJSON_GetObjectItem(schema, "$ref");
    case PER_CPU:
    case ARRAY_OF:
        return has_type(schema, "array");
    case OBJECT:
        return has_type(schema, "object") || cJSON_GetObjectItem(schema, "$ref") ||
               cJSON_GetObjectItem(schema, "oneOf");
    case TRUTH:
        return has_type(schema, "boolean");
    case WORDS:
        return has_type(schema, "string") || cJSON_GetObjectItem(schema, "enum") ||
               cJSON_GetObjectItem(schema, "const") || cJSON_GetObjectItem(schema, "$ref");
    default:
        return (has_type(schema, "integer") || has_type(schema, "number")) &&
               (!m->null || has_type(schema, "null"));
    }
}

static cJSON *schema_of(const struct member *m)
{
    static const char *const kinds[] = {"number", "integer", "string", "boolean"};
    static const char object[] = "\"additionalProperties\":false,\"required\":[],\"properties\":{}";
    char out[160];
    if (m->kind == VALUES)
        return cJSON_Parse("{\"$ref\": \"#/$defs/value\"}");
    if (m->kind == PER_CPU)
        return cJSON_Parse("{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/cpu_value\"}}");
    if (m->kind == ARRAY_OF)
        snprintf(out, sizeof out, "{\"type\":\"array\",\"items\":{\"type\":\"object\",%s}}",
                 object);
    else if (m->kind == OBJECT)
        snprintf(out, sizeof out, "{\"type\":[\"object\"%s],%s}", m->null ? ",\"null\"" : "",
                 object);
    else
        snprintf(out, sizeof out, m->null ? "{\"type\":[\"%s\",\"null\"]}" : "{\"type\":\"%s\"}",
                 kinds[m->kind]);
    return cJSON_Parse(out);
}

static bool is_in(const cJSON *list, const char *name)
{
    const cJSON *one;
    cJSON_ArrayForEach(one, list) if (strcmp(one->valuestring, name) == 0) return true;
    return false;
}

/* Makes the members of an object those of the table; `others` are added elsewhere. */
static void describe(cJSON *object, const struct member *m, size_t n, const char *others)
{
    cJSON *all = cJSON_GetObjectItem(object, "properties"),
          *required = cJSON_GetObjectItem(object, "required");
    assert_non_null(all);
    for (size_t i = 0; i < n; i++) {
        cJSON *old = cJSON_GetObjectItemCaseSensitive(all, m[i].name);
        if (!old)
            cJSON_AddItemToObject(all, m[i].name, schema_of(&m[i]));
        else if (!fits(old, &m[i]))
            cJSON_ReplaceItemInObjectCaseSensitive(all, m[i].name, schema_of(&m[i]));
        if (others && !m[i].optional && !is_in(required, m[i].name))
            cJSON_AddItemToArray(required, cJSON_CreateString(m[i].name));
    }
    for (cJSON *one = all->child, *next; one; one = next) {
        char word[64];
        bool known = false;
        next = one->next;
        snprintf(word, sizeof word, " %s ", one->string);
        for (size_t i = 0; i < n; i++)
            known |= strcmp(m[i].name, one->string) == 0;
        if (!known && others && !strstr(others, word)) {
            for (int i = cJSON_GetArraySize(required) - 1; i >= 0; i--)
                if (strcmp(cJSON_GetArrayItem(required, i)->valuestring, one->string) == 0)
                    cJSON_DeleteItemFromArray(required, i);
            cJSON_Delete(cJSON_DetachItemViaPointer(all, one));
        }
    }
}

/* --- records --- */

static enum kind kind_of(const struct field *f)
{
    if (f->type == FIELD_VALUE || f->form == MEMBER_VALUE || f->form == MEMBER_SECONDS)
        return VALUES;
    if (f->type == FIELD_PERCPU)
        return PER_CPU;
    if (f->type == FIELD_STRUCT || f->type == FIELD_TO)
        return f->form == MEMBER_LIST ? ARRAY_OF : OBJECT;
    if (f->type == FIELD_ROWS || f->type == FIELD_ARRAY || f->type == FIELD_NUMBERS ||
        f->form == MEMBER_LIST)
        return ARRAY_OF;
    if (f->type == FIELD_BOOL ? f->form != MEMBER_WORD : f->form == MEMBER_BOOL)
        return TRUTH;
    if (f->type == FIELD_TEXT || f->type == FIELD_MAYBE || f->type == FIELD_CHARS ||
        f->form == MEMBER_WORD || f->form == MEMBER_LETTER || f->form == MEMBER_HASH ||
        f->form == MEMBER_HEX || f->form == MEMBER_UTC)
        return WORDS;
    return f->type == FIELD_DOUBLE ? NUMBER : WHOLE;
}

/* Collects the members of this group from one name on; those of parts are the record's own. */
static size_t collect(struct member *m, size_t n, struct fields f, const char *group,
                      const char *from)
{
    const size_t length = group ? strlen(group) : 0;
    bool begun = !from;
    for (size_t i = 0; i < f.n; i++) {
        const struct field *d = &f.field[i];
        begun |= from && d->name && strcmp(d->name, from) == 0;
        if (!begun || !d->name)
            continue;
        if (d->form == MEMBER_PART) {
            n = collect(m, n, *d->record, NULL, NULL);
            continue;
        }
        const char *dot = strchr(d->name, '.');
        if (group ? !dot || (size_t)(dot - d->name) != length || strncmp(d->name, group, length)
                  : dot != NULL)
            continue;
        bool null = d->type == FIELD_MAYBE || d->type == FIELD_TO ||
                    (d->form == MEMBER_KNOWN && d->type != FIELD_U64 && d->type != FIELD_VALUE);
        m[n++] = (struct member){.name = dot ? dot + 1 : d->name,
                                 .kind = kind_of(d),
                                 .null = null && !d->left_out,
                                 .optional = d->type == FIELD_PERCPU || d->left_out,
                                 .added = d->add != NULL,
                                 .record = d->form == MEMBER_WORD ? NULL : d->record};
    }
    return n;
}

/* The object that a member is, or that its items are. */
static cJSON *object_of(cJSON *schema, cJSON *at)
{
    const cJSON *ref;
    if (cJSON_GetObjectItem(at, "oneOf"))
        at = cJSON_GetArrayItem(cJSON_GetObjectItem(at, "oneOf"), 1);
    if (cJSON_GetObjectItem(at, "items"))
        at = cJSON_GetObjectItem(at, "items");
    if ((ref = cJSON_GetObjectItem(at, "$ref")))
        at = cJSON_GetObjectItem(cJSON_GetObjectItem(schema, "$defs"),
                                 ref->valuestring + strlen("#/$defs/"));
    return at;
}

/* The object at "snapshot/host"; steps into the object of a list or of one that may be null. */
static cJSON *schema_part(cJSON *schema, const char *path)
{
    char name[64];
    cJSON *at = cJSON_GetObjectItem(schema, "$defs");
    for (bool first = true; *path; first = false) {
        const size_t n = strcspn(path, "/");
        snprintf(name, sizeof name, "%.*s", (int)n, path);
        path += n + (path[n] == '/');
        at = cJSON_GetObjectItemCaseSensitive(first ? at : cJSON_GetObjectItem(at, "properties"),
                                              name);
        at = object_of(schema, at);
        if (!at)
            fail_msg("%s: no such part", name);
    }
    return at;
}

void schema_record(cJSON *schema, const char *path, struct fields f, const char *group,
                   const char *from, const char *others)
{
    struct member m[64];
    cJSON *object = schema_part(schema, path);
    const size_t n = collect(m, 0, f, group, from);
    describe(object, m, n, others);
    for (size_t i = 0; i < n; i++) {
        char below[256];
        snprintf(below, sizeof below, "%s/%s", path, m[i].name);
        if (m[i].record)
            schema_record(schema, below, *m[i].record, NULL, NULL,
                          others && !m[i].added ? "" : NULL);
    }
}

void schema_list(cJSON *schema, const char *path, const struct list_field *fields,
                 const char *others)
{
    const struct list_field *all[FIELDS_MAX];
    struct member m[FIELDS_MAX];
    const int n = list_fields(fields, FIELD_JSON, all);
    for (int i = 0; i < n; i++) {
        const struct list_field *f = all[i];
        m[i] = (struct member){.name = f->json.name ? f->json.name : f->name,
                               .null = f->member == LIST_MEMBER_KNOWN,
                               .optional = f->member == LIST_MEMBER_OPTIONAL};
        if (f->text)
            m[i].kind = WORDS;
        else if (f->value || f->member == LIST_MEMBER_VALUE)
            m[i].kind = VALUES;
        else if (f->member == LIST_MEMBER_BOOL)
            m[i].kind = TRUTH;
        else
            m[i].kind = f->whole ? WHOLE : NUMBER;
    }
    describe(schema_part(schema, path), m, (size_t)n, others);
}

void schema_compare(cJSON *s, const char *file)
{
    static char old[TEXT_MAX];
    *text = '\0';
    print_part(s, 0);
    put_text("\n");
    cJSON_Delete(s);

    FILE *f = fopen(file, "r");
    old[fread(old, 1, sizeof old - 1, f)] = '\0';
    fclose(f);
    if (strcmp(old, text) != 0 && getenv("UPDATE_GOLDEN")) {
        f = fopen(file, "w");
        fputs(text, f);
        fclose(f);
    } else if (strcmp(old, text) != 0) {
        size_t same = 0;
        while (old[same] && old[same] == text[same])
            same++;
        fail_msg(
            "%s differs from the tables: run with UPDATE_GOLDEN=1 and look at it; at \"%.60s\"",
            file, text + same);
    }
}
