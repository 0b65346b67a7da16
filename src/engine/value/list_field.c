#include "engine/value/list_field.h"

#include <math.h>
#include <string.h>

double list_field_raw(const struct list_field *f, const void *row)
{
    if (f->value) {
        struct value value = f->value(row);
        return value.validity == VALUE_OK ? value.v : NAN;
    }
    if (f->whole) {
        uint64_t n = f->whole(row);
        return n == UINT64_MAX ? NAN : (double)n;
    }
    return f->number ? f->number(row) : NAN;
}

double list_field_number(const struct list_field *f, const void *row)
{
    double v = list_field_raw(f, row);
    switch (f->count) {
    case FIELD_IN_NS:
        return v / 1e9;
    case FIELD_IN_SHARE:
        return 100 * v;
    default:
        return v;
    }
}

struct value list_field_value(const struct list_field *f, const void *row)
{
    if (f->value)
        return f->value(row);
    double v = list_field_number(f, row);
    return isnan(v) ? value_missing("not measured", f->unit) : value_ok(v, f->unit);
}

static uint8_t find_field_place(const struct list_field *f, enum list_field_use use)
{
    switch (use) {
    case FIELD_COLUMNS:
        return f->column.at;
    case FIELD_SORTS:
        return f->sort.at;
    case FIELD_CSV:
        return f->csv.at;
    default:
        return f->json.at;
    }
}

int list_fields(const struct list_field *fields, enum list_field_use use,
                const struct list_field *out[FIELDS_MAX])
{
    int n = 0;
    for (const struct list_field *f = fields; f->name && n < FIELDS_MAX; f++) {
        uint8_t at = find_field_place(f, use);
        int i = n;
        if (!at)
            continue;
        for (; i > 0 && find_field_place(out[i - 1], use) > at; i--)
            out[i] = out[i - 1];
        out[i] = f;
        n++;
    }
    return n;
}

const struct list_field *list_fields_sort(const struct list_field *fields, int i)
{
    for (const struct list_field *f = fields; f->name; f++)
        if (f->sort.at == i + 1)
            return f;
    return NULL;
}

const struct list_field *list_fields_order(const struct list_field *fields, int i)
{
    const struct list_field *f = list_fields_sort(fields, i);
    return f ? f : list_fields_sort(fields, 0);
}

const char *list_field_sort_name(const struct list_field *f)
{
    return f->sort.name ? f->sort.name : f->name;
}

int list_fields_sort_named(const struct list_field *fields, const char *name)
{
    for (const struct list_field *f = fields; f->name; f++)
        if (f->sort.at && strcmp(list_field_sort_name(f), name) == 0)
            return f->sort.at - 1;
    return -1;
}

int list_field_compare_numbers(const struct list_field *f, double x, double y)
{
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    int c = (x > y) - (x < y);
    return f->least ? c : -c;
}

int list_field_compare(const struct list_field *f, const void *a, const void *b)
{
    char one[FIELD_TEXT_MAX], other[FIELD_TEXT_MAX];
    if (f->compare)
        return f->compare(a, b);
    if (f->text)
        return strcmp(f->text(a, one), f->text(b, other));
    return list_field_compare_numbers(f, list_field_number(f, a), list_field_number(f, b));
}
