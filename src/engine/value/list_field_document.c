#include "engine/value/list_field_document.h"

#include "base/print.h"
#include "engine/value/document.h"

static const char *name_in(const struct list_field *f, const struct list_field_place *place)
{
    return place->name ? place->name : f->name;
}

void list_fields_csv_head(FILE *out, const struct list_field *const *fields, int n)
{
    for (int i = 0; i < n; i++) {
        if (i)
            fputc(',', out);
        print_csv(out, "%s", name_in(fields[i], &fields[i]->csv));
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

static void add_member(cJSON *to, const struct list_field *f, const char *name, const void *row)
{
    char buf[FIELD_TEXT_MAX];
    if (f->text) {
        json_add_text(to, name, f->text(row, buf));
    } else if (f->value) {
        struct value v = f->value(row);
        json_add_value(to, name, &v);
    } else if (f->member == LIST_MEMBER_VALUE) {
        json_add_ok(to, name, f->number(row), f->unit);
    } else if (f->member == LIST_MEMBER_BOOL) {
        cJSON_AddBoolToObject(to, name, f->number(row) != 0);
    } else {
        json_add_number(to, name, f->number(row));
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
