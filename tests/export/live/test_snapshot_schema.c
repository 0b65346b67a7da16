/*
 * docs/snapshot.schema.json has the members that the tables of records and lists have: a member
 * that is new in a table is described from it, one that is gone leaves. UPDATE_GOLDEN=1 writes the
 * file anew. Bounds, words and descriptions are added in the file by hand, and stay.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/bricks/program_fields.h"
#include "engine/functions/functions_fields.h"
#include "engine/live/gpu_fields.h"
#include "engine/live/gpus.h"
#include "engine/live/procs_fields.h"
#include "engine/live/snapshot_fields.h"
#include "engine/replay/replay_list.h"
#include "engine/syscalls/snapshot/syscalls_snapshot.h"
#include "engine/value/list_field.h"
#include "support/json_schema.h"
#include "support/test.h"

#define FILE_NAME "docs/snapshot.schema.json"
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
                snprintf(text + strlen(text), 64, "\n%*s", indent + 1, "");
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

enum kind { NUMBER, WHOLE, WORDS, TRUTH, VALUE, LIST };
struct member {
    const char *name;
    enum kind kind;
    bool null, optional;
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
    case VALUE:
        return cJSON_GetObjectItem(schema, "$ref");
    case LIST:
        return has_type(schema, "array");
    case TRUTH:
        return has_type(schema, "boolean");
    case WORDS:
        return has_type(schema, "string") || cJSON_GetObjectItem(schema, "enum");
    default:
        return (has_type(schema, "integer") || has_type(schema, "number")) &&
               (!m->null || has_type(schema, "null"));
    }
}

static cJSON *schema_of(const struct member *m)
{
    static const char *const kinds[] = {"number", "integer", "string", "boolean"};
    char out[128];
    if (m->kind == VALUE)
        return cJSON_Parse("{\"$ref\": \"#/$defs/value\"}");
    if (m->kind == LIST)
        return cJSON_Parse("{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/cpu_value\"}}");
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
        if (!m[i].optional && !is_in(required, m[i].name))
            cJSON_AddItemToArray(required, cJSON_CreateString(m[i].name));
    }
    for (cJSON *one = all->child, *next; one; one = next) {
        char word[64];
        bool known = false;
        next = one->next;
        snprintf(word, sizeof word, " %s ", one->string);
        for (size_t i = 0; i < n; i++)
            known |= strcmp(m[i].name, one->string) == 0;
        if (!known && !strstr(others, word)) {
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
        return VALUE;
    if (f->type == FIELD_PERCPU)
        return LIST;
    if (f->type == FIELD_BOOL || f->form == MEMBER_BOOL)
        return TRUTH;
    if (f->type == FIELD_TEXT || f->type == FIELD_MAYBE || f->type == FIELD_CHARS ||
        f->form == MEMBER_WORD || f->form == MEMBER_LETTER)
        return WORDS;
    return f->type == FIELD_DOUBLE ? NUMBER : WHOLE;
}

/* group: only the members of this object, "load" of "load.1"; NULL: of none. */
static void record(cJSON *object, struct fields f, const char *group, const char *from,
                   const char *others)
{
    struct member m[64];
    size_t n = 0, length = group ? strlen(group) : 0;
    bool begun = !from;
    for (size_t i = 0; i < f.n; i++) {
        const struct field *d = &f.field[i];
        begun |= from && d->name && strcmp(d->name, from) == 0;
        if (!begun || !d->name)
            continue;
        const char *dot = strchr(d->name, '.');
        if (group ? !dot || (size_t)(dot - d->name) != length || strncmp(d->name, group, length)
                  : dot != NULL)
            continue;
        bool null = d->type == FIELD_MAYBE ||
                    (d->form == MEMBER_KNOWN && d->type != FIELD_U64 && d->type != FIELD_VALUE);
        m[n++] =
            (struct member){dot ? dot + 1 : d->name, kind_of(d), null, d->type == FIELD_PERCPU};
    }
    describe(object, m, n, others);
}

static void list(cJSON *object, const struct list_field *fields, const char *others)
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
            m[i].kind = VALUE;
        else if (f->member == LIST_MEMBER_BOOL)
            m[i].kind = TRUTH;
        else
            m[i].kind = f->whole ? WHOLE : NUMBER;
    }
    describe(object, m, (size_t)n, others);
}

/* The object at "snapshot/host"; steps into the object of a list or of one that may be null. */
static cJSON *part(cJSON *schema, const char *path)
{
    char name[64];
    cJSON *at = cJSON_GetObjectItem(schema, "$defs");
    for (bool first = true; *path; first = false) {
        const size_t n = strcspn(path, "/");
        snprintf(name, sizeof name, "%.*s", (int)n, path);
        path += n + (path[n] == '/');
        at = cJSON_GetObjectItemCaseSensitive(first ? at : cJSON_GetObjectItem(at, "properties"),
                                              name);
        if (cJSON_GetObjectItem(at, "oneOf"))
            at = cJSON_GetArrayItem(cJSON_GetObjectItem(at, "oneOf"), 1);
        if (cJSON_GetObjectItem(at, "items"))
            at = cJSON_GetObjectItem(at, "items");
        if (!at)
            fail_msg("%s: no such part", name);
    }
    return at;
}

static void describe_gpus(cJSON *s)
{
    char path[64];
    record(part(s, "gpus/devices"), gpus_tables[GPUS_GPU].fields, NULL, NULL, " now ");
    record(part(s, "gpus/devices/now"), gpus_tables[GPUS_NOW].fields, NULL, NULL, "");
    for (int a = GPUS_POOLS; a < GPUS_ARRAYS; a++) {
        snprintf(path, sizeof path, "gpus/%s", gpus_tables[a].name);
        if (a == GPUS_PROCESSES)
            list(part(s, path), gpu_fields, "");
        else
            record(part(s, path), gpus_tables[a].fields, NULL, NULL, "");
    }
}

TEST(the_schema_has_the_members_of_the_tables)
{
    static const char *const groups[] = {"target", "load", "memory", "pressure", "cpu_account"};
    static char old[TEXT_MAX];
    char path[64];
    cJSON *s = json_file(FILE_NAME);
    assert_non_null(s);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        snprintf(path, sizeof path, "snapshot/%s", groups[i]);
        record(part(s, path), snapshot_record, groups[i], NULL, "");
    }
    record(part(s, "snapshot/host"), host_record, NULL, NULL, "");
    record(part(s, "cpu_times"), cpu_record, NULL, "busy", "");
    record(part(s, "cpu"), cpu_record, NULL, NULL, "");
    record(part(s, "snapshot/io"), io_record, NULL, NULL, "");
    record(part(s, "counter"), counter_record, NULL, NULL, " raw ");
    record(part(s, "counter/raw"), counter_record, "raw", NULL, "");
    record(part(s, "metric"), metric_record, NULL, NULL,
           " id label set formula group description reference parent ");
    record(part(s, "notice"), notice_record, NULL, NULL, "");
    record(part(s, "snapshot/cost/sources"), cost_record, NULL, NULL, "");
    record(part(s, "snapshot/bricks/programs"), program_record, NULL, NULL, "");
    describe_gpus(s);
    list(part(s, "process"), procs_fields, " depth ");
    list(part(s, "snapshot/threads"), threads_fields, "");
    list(part(s, "function"), functions_fields, "");
    for (int i = 0; i < SYSCALLS_LISTS; i++) {
        snprintf(path, sizeof path, "syscalls/%s", syscalls_lists[i].name);
        list(part(s, path), syscalls_lists[i].fields, "");
    }
    list(part(s, "replays/captures/results"), replay_past_fields, "");
    print_part(s, 0);
    put_text("\n");
    cJSON_Delete(s);

    FILE *f = fopen(FILE_NAME, "r");
    old[fread(old, 1, sizeof old - 1, f)] = '\0';
    fclose(f);
    if (strcmp(old, text) != 0 && getenv("UPDATE_GOLDEN")) {
        f = fopen(FILE_NAME, "w");
        fputs(text, f);
        fclose(f);
    } else if (strcmp(old, text) != 0) {
        size_t same = 0;
        while (old[same] && old[same] == text[same])
            same++;
        fail_msg(
            "%s differs from the tables: run with UPDATE_GOLDEN=1 and look at it; at \"%.60s\"",
            FILE_NAME, text + same);
    }
}

TEST_MAIN(NULL, NULL)
