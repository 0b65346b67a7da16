/* One table of fields drives orders, filters, CSV and JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/value/list_field_document.h"
#include "engine/value/query.h"
#include "support/test.h"

struct thing {
    const char *name;
    double ns, share;
    struct value load;
};

static const char *name(const void *row, char buf[FIELD_TEXT_MAX])
{
    (void)buf;
    return ((const struct thing *)row)->name;
}
static double ns(const void *row)
{
    return ((const struct thing *)row)->ns;
}
static double share(const void *row)
{
    return ((const struct thing *)row)->share;
}
static struct value load(const void *row)
{
    return ((const struct thing *)row)->load;
}
static int by_length(const void *a, const void *b)
{
    size_t x = strlen(((const struct thing *)a)->name), y = strlen(((const struct thing *)b)->name);
    return (x > y) - (x < y);
}

static const struct list_field fields[] = {
    {.name = "name",
     .text = name,
     .plain = true,
     .sort = {.at = 3},
     .csv = {.at = 1},
     .quoted = true,
     .json = {2, "title"}},
    {.name = "time",
     .alias = "total",
     .unit = UNIT_SECONDS,
     .count = FIELD_IN_NS,
     .number = ns,
     .sort = {.at = 1},
     .csv = {3, "time_ns"},
     .json = {1, "time_ns"}},
    {.name = "share",
     .unit = UNIT_PERCENT,
     .count = FIELD_IN_SHARE,
     .number = share,
     .sort = {2, "part"},
     .least = true,
     .csv = {.at = 2}},
    {.name = "load", .unit = UNIT_PERCENT, .value = load, .json = {.at = 7}},
    {.name = "length", .unfiltered = true, .compare = by_length, .sort = {.at = 4}},
    {.name = NULL},
};

static const struct thing small = {"a \"b\"", 1500, 0.5, {.why = "not here"}},
                          large = {"bcdefgh",
                                   2e9,
                                   0.25,
                                   {.v = 7, .running = 1, .validity = VALUE_OK}},
                          unknown = {"c", NAN, NAN, {.validity = VALUE_PENDING}};

TEST(numbers_are_in_the_unit_of_the_field)
{
    assert_true(list_field_number(&fields[1], &large) == 2);
    assert_true(list_field_number(&fields[2], &large) == 25);
    assert_true(list_field_number(&fields[3], &large) == 7);
    assert_true(isnan(list_field_number(&fields[3], &small)));
    assert_true(isnan(list_field_number(&fields[0], &small)));
}

static int order(int i, const struct thing *a, const struct thing *b)
{
    const struct list_field *f = list_fields_sort(fields, i);
    assert_non_null(f);
    int c = list_field_compare(f, a, b), back = list_field_compare(f, b, a);
    assert_int_equal((c > 0) - (c < 0), (back < 0) - (back > 0));
    return c;
}

TEST(orders_know_most_least_and_unknown)
{
    assert_true(order(0, &large, &small) < 0); /* most first */
    assert_true(order(0, &small, &unknown) < 0);
    assert_true(order(1, &large, &small) < 0); /* least first */
    assert_true(order(1, &small, &unknown) < 0);
    assert_true(order(2, &small, &large) < 0);
    assert_true(order(3, &unknown, &small) < 0);
    assert_int_equal(order(0, &unknown, &unknown), 0);
    assert_null(list_fields_sort(fields, 4));
    assert_int_equal(list_fields_sort_named(fields, "part"), 1);
    assert_int_equal(list_fields_sort_named(fields, "share"), -1);
}

TEST(filters_ask_in_the_unit)
{
    struct error err = ERROR_INIT;
    struct query *q = NULL;
    assert_int_equal(query_compile(&q, "total>1s and share<=25 and load=7", fields, &err), 0);
    assert_true(query_match(q, &large));
    assert_false(query_match(q, &small));
    query_free(q);
    assert_int_not_equal(query_compile(&q, "length>1", fields, &err), 0);
    assert_null(strstr(err.help, "length"));
}

static char *csv(const struct thing *t)
{
    char *text = NULL;
    size_t size = 0;
    const struct list_field *columns[FIELDS_MAX];
    int n = list_fields(fields, FIELD_CSV, columns);
    FILE *f = open_memstream(&text, &size);
    list_fields_csv_head(f, columns, n);
    fputc('\n', f);
    list_fields_csv_row(f, columns, n, t);
    fclose(f);
    return text;
}

TEST(documents_have_raw_numbers_in_their_own_order)
{
    char *text = csv(&small), *none = csv(&unknown);
    assert_string_equal(text, "name,share,time_ns\n\"a \"\"b\"\"\",0.5,1500");
    assert_string_equal(none, "name,share,time_ns\n\"c\",,");
    free(text);
    free(none);
    cJSON *j = cJSON_CreateObject();
    list_fields_json(j, fields, &small, 1, 2);
    text = cJSON_PrintUnformatted(j);
    assert_string_equal(text, "{\"time_ns\":1500,\"title\":\"a \\\"b\\\"\"}");
    free(text);
    list_fields_json(j, fields, &small, 3, 9);
    assert_string_equal(cJSON_GetObjectItem(cJSON_GetObjectItem(j, "load"), "why")->valuestring,
                        "not here");
    cJSON_Delete(j);
}
