#include "engine/value/list_field_document.h"

#include <math.h>

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
    fputs("\r\n", out);
}

static void csv_text(FILE *out, const struct list_field *f, const void *row)
{
    char buf[FIELD_TEXT_MAX];
    if (f->quoted)
        print_csv_quoted(out, f->text(row, buf));
    else
        print_csv(out, "%s", f->text(row, buf));
}

void list_fields_csv_row(FILE *out, const struct list_field *const *fields, int n, const void *row)
{
    for (int i = 0; i < n; i++) {
        const struct list_field *f = fields[i];
        if (!f->text) {
            csv_write_number(out, f->number ? f->number(row) : list_field_number(f, row));
            continue;
        }
        if (i)
            fputc(',', out);
        csv_text(out, f, row);
    }
    fputs("\r\n", out);
}

static void add_text(cJSON *to, const struct list_field *f, const char *name, const void *row)
{
    char buf[FIELD_TEXT_MAX];
    const char *text = f->text(row, buf);
    json_add_text(to, name, f->member == LIST_MEMBER_KNOWN && text && !*text ? NULL : text);
}

static void add_member(cJSON *to, const struct list_field *f, const char *name, const void *row)
{
    double v = f->number ? f->number(row) : NAN;
    if (f->text) {
        add_text(to, f, name, row);
    } else if (f->value || f->member == LIST_MEMBER_VALUE) {
        struct value value = list_field_value(f, row);
        json_add_value(to, name, &value);
    } else if (f->member == LIST_MEMBER_BOOL) {
        cJSON_AddBoolToObject(to, name, v != 0);
    } else {
        json_add_number(to, name, f->member == LIST_MEMBER_KNOWN && v < 0 ? NAN : v);
    }
}

void list_fields_json(cJSON *to, const struct list_field *fields, const void *row, int from,
                      int until)
{
    const struct list_field *all[FIELDS_MAX];
    int n = list_fields(fields, FIELD_JSON, all);
    for (int i = 0; i < n; i++) {
        const char *name = name_in(all[i], &all[i]->json);
        if (all[i]->json.at < from || all[i]->json.at > until)
            continue;
        add_member(to, all[i], name, row);
    }
}

cJSON *list_fields_object(const struct list_field *fields, const void *row)
{
    cJSON *j = cJSON_CreateObject();
    list_fields_json(j, fields, row, 1, UINT8_MAX);
    return j;
}
