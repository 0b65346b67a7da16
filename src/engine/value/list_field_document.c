#include "engine/value/list_field_document.h"

#include <math.h>
#include <stdbool.h>

#include "base/print.h"
#include "engine/value/document.h"

static const char *name_in(const struct list_field *f, const struct list_field_place *place)
{
    return place->name ? place->name : f->name;
}

const char *list_field_csv_name(const struct list_field *f)
{
    return name_in(f, &f->csv);
}

void list_fields_csv_head(FILE *out, const struct list_field *const *fields, int n)
{
    for (int i = 0; i < n; i++) {
        if (i)
            fputc(',', out);
        print_csv(out, "%s", list_field_csv_name(fields[i]));
    }
}

/* NULL: it is not known. */
static const char *digits_of(const struct list_field *f, const void *row, char out[32])
{
    if (f->whole) {
        const uint64_t v = f->whole(row);
        return v == UINT64_MAX ? NULL : whole_text(v, out);
    }
    const double v = list_field_raw(f, row);
    return isfinite(v) ? number_text(v, out) : NULL;
}

static void write_csv_digits(FILE *out, const struct list_field *f, const void *row)
{
    char buf[32];
    const char *text = digits_of(f, row, buf);
    if (text)
        fputs(text, out); /* raw: a number */
}

static void csv_text(FILE *out, const struct list_field *f, const void *row)
{
    char buf[FIELD_TEXT_MAX];
    const char *text = f->text(row, buf);
    if (f->quoted)
        print_csv_quoted(out, text ? text : "");
    else if (text)
        print_put(out, PRINT_CSV, text);
}

void list_fields_csv_row(FILE *out, const struct list_field *const *fields, int n, const void *row)
{
    for (int i = 0; i < n; i++) {
        if (i)
            putc_unlocked(',', out);
        if (fields[i]->text)
            csv_text(out, fields[i], row);
        else
            write_csv_digits(out, fields[i], row);
    }
}

void list_fields_csv(FILE *out, const struct list_field *fields, const char *end, const void *rows,
                     size_t n, size_t size)
{
    const struct list_field *columns[FIELDS_MAX];
    const int ncolumns = list_fields(fields, FIELD_CSV, columns);
    list_fields_csv_head(out, columns, ncolumns);
    fputs(end, out); /* raw: the end of a line */
    for (size_t i = 0; i < n; i++) {
        list_fields_csv_row(out, columns, ncolumns, (const char *)rows + i * size);
        fputs(end, out); /* raw: the same */
    }
}

/* --- JSON --- */

/* A text as JSON has it: NULL is null, or no member. */
static const char *text_of_list_member(const struct list_field *f, const void *row,
                                       char buf[FIELD_TEXT_MAX])
{
    const char *text = f->text(row, buf);
    return f->member == LIST_MEMBER_KNOWN && text && !*text ? NULL : text;
}

static bool is_member_left_out(const struct list_field *f, const void *row)
{
    char buf[FIELD_TEXT_MAX];
    if (f->member != LIST_MEMBER_OPTIONAL)
        return false;
    if (f->text)
        return !f->text(row, buf);
    return f->whole ? f->whole(row) == UINT64_MAX : isnan(list_field_raw(f, row));
}

static double read_known_number(const struct list_field *f, const void *row)
{
    double v = list_field_raw(f, row);
    return f->member == LIST_MEMBER_KNOWN && v < 0 ? NAN : v;
}

static void add_member(cJSON *to, const struct list_field *f, const char *name, const void *row)
{
    char buf[FIELD_TEXT_MAX];
    if (f->text) {
        json_add_text(to, name, text_of_list_member(f, row, buf));
    } else if (f->value || f->member == LIST_MEMBER_VALUE) {
        struct value value = list_field_value(f, row);
        json_add_value(to, name, &value);
    } else if (f->member == LIST_MEMBER_BOOL && !isnan(list_field_raw(f, row))) {
        cJSON_AddBoolToObject(to, name, list_field_raw(f, row) != 0);
    } else if (f->whole && f->whole(row) != UINT64_MAX) {
        json_add_u64(to, name, f->whole(row));
    } else {
        json_add_number(to, name, read_known_number(f, row));
    }
}

static void write_member(FILE *out, const struct list_field *f, const void *row)
{
    char buf[FIELD_TEXT_MAX];
    const char *text = f->text ? text_of_list_member(f, row, buf) : NULL;
    if (text) {
        print_json_quoted(out, text);
        return;
    }
    if (f->member == LIST_MEMBER_BOOL && !isnan(list_field_raw(f, row)))
        text = list_field_raw(f, row) != 0 ? "true" : "false";
    else if (f->member != LIST_MEMBER_KNOWN || list_field_raw(f, row) >= 0)
        text = digits_of(f, row, buf);
    fputs(text ? text : "null", out); /* raw: a number or a word */
}

/* Whether the field is a member of JSON there. */
static bool is_between(const struct list_field *f, int from, int until)
{
    return f->json.at >= from && f->json.at <= until;
}

void list_fields_json(cJSON *to, const struct list_field *fields, const void *row, int from,
                      int until)
{
    const struct list_field *all[FIELDS_MAX];
    int n = list_fields(fields, FIELD_JSON, all);
    for (int i = 0; i < n; i++)
        if (is_between(all[i], from, until) && !is_member_left_out(all[i], row))
            add_member(to, all[i], name_in(all[i], &all[i]->json), row);
}

void list_members(struct list_members *out, const struct list_field *fields)
{
    out->n = list_fields(fields, FIELD_JSON, out->field);
    for (int i = 0; i < out->n; i++) {
        const struct list_field *f = out->field[i];
        snprintf(out->head[i], sizeof out->head[i], "%s\"%s\":", f->json.at > 1 ? "," : "",
                 name_in(f, &f->json));
    }
}

void list_fields_json_write(FILE *out, const struct list_members *members, const void *row,
                            int from, int until)
{
    for (int i = 0; i < members->n; i++) {
        const struct list_field *f = members->field[i];
        if (!is_between(f, from, until) || is_member_left_out(f, row))
            continue;
        fputs(members->head[i], out); /* raw: ours */
        write_member(out, f, row);
    }
}

cJSON *list_fields_object(const struct list_field *fields, const void *row)
{
    cJSON *j = cJSON_CreateObject();
    list_fields_json(j, fields, row, 1, UINT8_MAX);
    return j;
}
