#include "engine/value/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "engine/value/document.h"

enum { MEMBERS_MAX = 64, GROUP_MAX = 32 };

/* --- which members, in which order --- */

static size_t place_of_member(struct fields f, const struct field *m)
{
    return m->json ? m->json : (size_t)(m - f.field) + 1;
}

/* Collects the members of documents from one name to another. Returns how many. */
static size_t collect_members(struct fields f, const char *from, const char *until,
                              const struct field *out[MEMBERS_MAX])
{
    size_t n = 0, first = 0, last;
    for (size_t i = 0; i < f.n && n < MEMBERS_MAX; i++) {
        if (!f.field[i].name)
            continue;
        size_t at = n++;
        for (; at && place_of_member(f, out[at - 1]) > place_of_member(f, &f.field[i]); at--)
            out[at] = out[at - 1];
        out[at] = &f.field[i];
    }
    while (from && first < n && strcmp(out[first]->name, from) != 0)
        first++;
    for (last = first; until && last + 1 < n && strcmp(out[last]->name, until) != 0;)
        last++;
    n = until && last < n ? last + 1 : n;
    memmove(out, out + first, (n - first) * sizeof *out);
    return n - first;
}

/* Splits "load.1" into its group "load" and "1", which it returns; "": no group. */
static const char *split_member_name(const char *name, char group[GROUP_MAX])
{
    const char *dot = strchr(name, '.');
    const size_t n = dot ? (size_t)(dot - name) : 0;
    memcpy(group, name, n);
    group[n] = '\0';
    return dot ? dot + 1 : name;
}

/* The object of a member's group, made in `to` when its first member comes. */
static cJSON *open_group(cJSON *to, const char *group)
{
    cJSON *old = *group ? cJSON_GetObjectItemCaseSensitive(to, group) : to;
    return old ? old : cJSON_AddObjectToObject(to, group);
}

/* --- JSON --- */

static const void *place_in_row(const struct field *m, const void *row)
{
    return (const char *)row + m->offset;
}

static uint64_t read_whole_number_at(const void *at, size_t bytes)
{
    switch (bytes) {
    case 1:
        return *(const uint8_t *)at;
    case 2:
        return *(const uint16_t *)at;
    case 4:
        return *(const uint32_t *)at;
    default:
        return *(const uint64_t *)at;
    }
}

static uint64_t read_whole_member(const struct field *m, const void *row)
{
    return read_whole_number_at(place_in_row(m, row), m->size);
}

static double read_member_number(const struct field *m, const void *row)
{
    const void *at = place_in_row(m, row);
    switch (m->type) {
    case FIELD_BYTE:
    case FIELD_BOOL:
    case FIELD_U16:
    case FIELD_U32:
    case FIELD_U64:
        return (double)read_whole_member(m, row);
    case FIELD_INT:
        return *(const int32_t *)at;
    default:
        return *(const double *)at;
    }
}

/* NULL: there is none. */
static const char *read_member_text(const struct field *m, const void *row)
{
    const void *at = place_in_row(m, row);
    if (m->form == MEMBER_FIXED)
        return m->why;
    const char *text = m->type == FIELD_CHARS ? at : *(const char *const *)at;
    return m->form == MEMBER_KNOWN && text && !*text ? NULL : text;
}

/* false: it is null, or left out. */
static bool is_member_known(const struct field *m, const void *row)
{
    switch (m->type) {
    case FIELD_TEXT:
    case FIELD_MAYBE:
    case FIELD_CHARS:
        return read_member_text(m, row);
    case FIELD_TO:
        return *(const void *const *)place_in_row(m, row);
    case FIELD_U32:
    case FIELD_U64:
        if (m->form == MEMBER_KNOWN &&
            read_whole_member(m, row) == UINT64_MAX >> (64 - 8 * m->size))
            return false;
        break;
    case FIELD_DOUBLE:
        if (!isfinite(read_member_number(m, row)))
            return false;
        break;
    default:
        break;
    }
    return m->form != MEMBER_KNOWN || read_member_number(m, row) > m->none;
}

static void add_number_as_value(cJSON *to, const char *name, const struct field *m, double v)
{
    struct value x = value_ok(v, (enum unit)m->unit);
    if (m->form == MEMBER_SECONDS)
        x = value_ok(v / 1e9, UNIT_SECONDS);
    else if (m->why && v <= m->none)
        x = value_missing(m->why, (enum unit)m->unit);
    json_add_value(to, name, &x);
}

static void add_member_list(cJSON *to, const char *name, const struct field *m, const void *row)
{
    const double *v = place_in_row(m, row);
    cJSON *list = cJSON_AddArrayToObject(to, name);
    for (size_t i = 0; i < m->size / sizeof *v; i++)
        cJSON_AddItemToArray(list, isfinite(v[i]) ? cJSON_CreateNumber(v[i]) : cJSON_CreateNull());
}

/* Adds a whole number as the text that its form wants. */
static void add_number_as_text(cJSON *to, const char *name, const struct field *m, const void *row)
{
    char text[40];
    const uint64_t v = read_whole_member(m, row);
    if (m->form == MEMBER_UTC)
        utc_text(v, text);
    else
        snprintf(text, sizeof text, m->form == MEMBER_HASH ? "%016" PRIx64 : "0x%" PRIx64, v);
    cJSON_AddStringToObject(to, name, text);
}

/* The word of a number; the last word if it is too large. */
static const char *find_word(const struct field *m, double number)
{
    size_t i = 0;
    while (m->words[i + 1] && (double)i < number)
        i++;
    return m->words[i];
}

static void add_member_number(cJSON *to, const char *name, const struct field *m, const void *row)
{
    const double v = read_member_number(m, row);
    const char letter[2] = {(char)v, '\0'};
    switch ((enum member_form)m->form) {
    case MEMBER_VALUE:
    case MEMBER_SECONDS:
        add_number_as_value(to, name, m, v);
        break;
    case MEMBER_BOOL:
        cJSON_AddBoolToObject(to, name, v != 0);
        break;
    case MEMBER_LETTER:
        json_add_text(to, name, v != 0 ? letter : NULL);
        break;
    case MEMBER_WORD:
        cJSON_AddStringToObject(to, name, find_word(m, v));
        break;
    case MEMBER_COUNT:
        cJSON_AddNumberToObject(to, name, v > 0 ? v : 0);
        break;
    case MEMBER_HASH:
    case MEMBER_HEX:
    case MEMBER_UTC:
        add_number_as_text(to, name, m, row);
        break;
    case MEMBER_LIST:
        add_member_list(to, name, m, row);
        break;
    default:
        if (!is_member_known(m, row))
            cJSON_AddNullToObject(to, name);
        else if (m->type == FIELD_BOOL)
            cJSON_AddBoolToObject(to, name, v != 0);
        else if (m->type == FIELD_U64)
            json_add_u64(to, name, read_whole_member(m, row));
        else
            json_add_number(to, name, v);
    }
}

/* Adds one structure or several. */
static void add_member_record(cJSON *to, const char *name, const struct field *m, const void *row)
{
    const void *at = place_in_row(m, row);
    const bool counted = m->type == FIELD_ROWS || m->type == FIELD_ARRAY;
    const bool here = m->type == FIELD_STRUCT || m->type == FIELD_ARRAY;
    const void *rows = here ? at : *(const void *const *)at;
    const size_t n = counted ? read_whole_number_at((const char *)row + m->count, m->size)
                             : m->size / m->record->size;
    if (counted || m->form == MEMBER_LIST)
        record_add_rows(to, name, *m->record, rows, n);
    else if (m->form == MEMBER_PART)
        record_add(to, *m->record, rows, NULL, NULL);
    else
        cJSON_AddItemToObject(to, name,
                              rows ? record_object(*m->record, rows) : cJSON_CreateNull());
}

static void add_record_member(cJSON *to, const char *name, const struct field *m, const void *row)
{
    if (m->add) {
        m->add(to, name, row);
        return;
    }
    if (m->left_out && !is_member_known(m, row))
        return;
    switch (m->type) {
    case FIELD_STRUCT:
    case FIELD_TO:
    case FIELD_ROWS:
    case FIELD_ARRAY:
        add_member_record(to, name, m, row);
        break;
    case FIELD_TEXT:
    case FIELD_MAYBE:
    case FIELD_CHARS:
        json_add_text(to, name, read_member_text(m, row));
        break;
    case FIELD_VALUE:
        json_add_value(to, name, place_in_row(m, row));
        break;
    case FIELD_PERCPU:
    case FIELD_DEF:
        break; /* more than this row tells; the caller adds it */
    default:
        add_member_number(to, name, m, row);
    }
}

void record_add(cJSON *to, struct fields f, const void *row, const char *from, const char *until)
{
    const struct field *all[MEMBERS_MAX];
    char group[GROUP_MAX];
    const size_t n = collect_members(f, from, until, all);
    for (size_t i = 0; i < n; i++) {
        const char *name = split_member_name(all[i]->name, group);
        add_record_member(open_group(to, group), name, all[i], row);
    }
}

cJSON *record_object(struct fields f, const void *row)
{
    cJSON *j = cJSON_CreateObject();
    record_add(j, f, row, NULL, NULL);
    return j;
}

void record_add_rows(cJSON *to, const char *key, struct fields f, const void *rows, size_t n)
{
    cJSON *list = cJSON_AddArrayToObject(to, key);
    for (size_t i = 0; i < n; i++)
        cJSON_AddItemToArray(list, record_object(f, (const char *)rows + i * f.size));
}

char *record_document(const char *schema, struct fields f, const void *row)
{
    cJSON *doc = document_begin(schema);
    record_add(doc, f, row, NULL, NULL);
    char *text = json_document(doc, true);
    cJSON_Delete(doc);
    return text;
}

void record_write(FILE *out, const char *schema, struct fields f, const void *row)
{
    cJSON *doc = document_begin(schema);
    record_add(doc, f, row, NULL, NULL);
    document_end(out, doc);
}

/* --- values, for CSV --- */

void record_values(struct fields f, const void *row, const char *from, const char *until,
                   void (*visit)(void *ctx, const char *group, const char *name,
                                 const struct value *v),
                   void *ctx)
{
    const struct field *all[MEMBERS_MAX];
    char group[GROUP_MAX];
    const size_t n = collect_members(f, from, until, all);
    for (size_t i = 0; i < n; i++) {
        const char *name = split_member_name(all[i]->name, group);
        if (all[i]->type == FIELD_VALUE)
            visit(ctx, *group ? group : NULL, name, place_in_row(all[i], row));
    }
}

/* --- reading --- */

static double read_real_number(struct json *j, const char *what)
{
    if (json_type(j) == '0')
        return json_double(j, what);
    json_skip(j);
    return NAN;
}

static void read_number_list(struct json *j, const char *what, double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        v[i] = NAN;
    if (json_array(j))
        for (size_t i = 0; json_item(j); i++) {
            const double x = read_real_number(j, what);
            if (i < n)
                v[i] = x;
        }
}

static void read_member_word(struct json *j, const struct field *m, void *at)
{
    char word[64];
    int i = 0;
    json_copy(j, m->name, word, sizeof word);
    while (m->words[i] && strcmp(m->words[i], word) != 0)
        i++;
    if (m->type == FIELD_BOOL)
        *(bool *)at = i == 1;
    else
        memcpy(at, &i, sizeof i);
}

static void read_whole_number(struct json *j, const struct field *m, void *at)
{
    char digits[24];
    if (m->type == FIELD_U32)
        *(uint32_t *)at = json_u32(j, m->name);
    else if (m->form != MEMBER_HASH)
        *(uint64_t *)at = json_u64(j, m->name);
    else {
        json_copy(j, m->name, digits, sizeof digits);
        *(uint64_t *)at = strtoull(digits, NULL, 16);
    }
}

bool record_read(struct json *j, const char *key, struct fields f, void *row)
{
    const struct field *m = f.field;
    while (m < f.field + f.n && !(m->name && strcmp(m->name, key) == 0))
        m++;
    if (m == f.field + f.n)
        return false;
    void *at = (char *)row + m->offset;
    if (m->form == MEMBER_WORD)
        read_member_word(j, m, at);
    else if (m->type == FIELD_CHARS)
        json_copy(j, key, at, m->size);
    else if (m->form == MEMBER_LIST)
        read_number_list(j, key, at, m->size / sizeof(double));
    else if (m->type == FIELD_DOUBLE)
        *(double *)at = read_real_number(j, key);
    else
        read_whole_number(j, m, at);
    return true;
}

static void put_whole_number(void *at, size_t bytes, double v)
{
    const uint64_t n = v >= 0 && v < 0x1p53 && v == floor(v) ? (uint64_t)v : 0;
    if (bytes == sizeof(uint32_t))
        *(uint32_t *)at = n <= UINT32_MAX ? (uint32_t)n : 0;
    else
        *(uint64_t *)at = n;
}

void record_take(const cJSON *from, struct fields f, void *row)
{
    for (const struct field *m = f.field; m < f.field + f.n; m++) {
        void *at = (char *)row + m->offset;
        if (m->type == FIELD_CHARS)
            print_line(at, m->size, "%s", json_get_text(from, m->name));
        else if (m->type == FIELD_BOOL)
            *(bool *)at = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(from, m->name));
        else if (m->type == FIELD_DOUBLE)
            *(double *)at = json_get_number(from, m->name);
        else if (m->type == FIELD_U32 || m->type == FIELD_U64)
            put_whole_number(at, m->size, json_get_number(from, m->name));
    }
}
