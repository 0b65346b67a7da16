/* The tables of fields of all lists: each field is a column, an order, a word of filters, a column
 * of CSV and a member of JSON as its line says, and in no other place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/steps_fields.h"
#include "engine/fleet/fleet_fields.h"
#include "engine/att/att_fields.h"
#include "engine/bricks/brick_fields.h"
#include "engine/compare/compare_fields.h"
#include "engine/graph/graph_fields.h"
#include "engine/functions/functions_fields.h"
#include "engine/kernels/kernels_list.h"
#include "engine/live/gpu_fields.h"
#include "engine/live/procs_fields.h"
#include "engine/replay/replay_list.h"
#include "engine/roofline/roofline_fields.h"
#include "engine/syscalls/snapshot/syscalls_snapshot.h"
#include "engine/value/list_field_document.h"
#include "engine/value/query.h"
#include "tui/model/view.h"
#include "tui/views/path/path.h"
#include "tui/widgets/table.h"
#include "support/test.h"

static const char *const uses[] = {"column", "order", "column of CSV", "member of JSON"};

static uint8_t at(const struct list_field *f, enum list_field_use use)
{
    return use == FIELD_COLUMNS ? f->column.at
           : use == FIELD_SORTS ? f->sort.at
           : use == FIELD_CSV   ? f->csv.at
                                : f->json.at;
}

/* Members of JSON may have others between them that are no fields. */
static void places_are_in_a_row(const char *view, const struct list_field *fields,
                                enum list_field_use use)
{
    const struct list_field *all[FIELDS_MAX];
    int n = list_fields(fields, use, all);
    for (int i = 0; i < n; i++) {
        if (i && at(all[i], use) == at(all[i - 1], use))
            fail_msg("%s: %s and %s are both %s %d", view, all[i - 1]->name, all[i]->name,
                     uses[use], at(all[i], use));
        if (use != FIELD_JSON && at(all[i], use) != i + 1)
            fail_msg("%s: %s is %s %d, not %d", view, all[i]->name, uses[use], at(all[i], use),
                     i + 1);
    }
    assert_true(use != FIELD_COLUMNS || n <= TABLE_MAX_COLUMNS);
}

static void fields_are_whole(const char *list, const struct list_field *fields)
{
    int n = 0;
    for (const struct list_field *f = fields; f && f->name; f++) {
        int getters =
            (f->number != NULL) + (f->whole != NULL) + (f->value != NULL) + (f->text != NULL);
        if (getters != !(f->unfiltered && getters == 0) || ++n > FIELDS_MAX)
            fail_msg("%s: %s has %d getters", list, f->name, getters);
        if (!f->unfiltered && !f->help)
            fail_msg("%s: %s has no help", list, f->name);
        if (f->csv.at || f->json.at || (f->sort.at && !f->compare))
            assert_int_equal(getters, 1);
        for (const struct list_field *g = fields; g < f; g++)
            if (strcmp(f->name, g->name) == 0 || (g->alias && strcmp(f->name, g->alias) == 0))
                fail_msg("%s: two fields are called %s", list, f->name);
    }
}

/* Each field with a place among the columns is one, under its title; a click on its head takes an
 * order of the list. */
static void columns_are_those_of_fields(const char *list, const struct list_field *fields)
{
    struct table_fields t;
    int seen = 0;
    table_fields(&t, fields);
    for (const struct list_field *f = fields; f->name; f++) {
        if (!f->column.at)
            continue;
        seen++;
        if (f->column.at > t.n || t.field[f->column.at - 1] != f ||
            strcmp(t.columns[f->column.at - 1].title, f->column.look.title) != 0)
            fail_msg("%s: %s is not column %d", list, f->name, f->column.at);
        if (f->column.sort && !list_fields_sort(fields, f->column.sort - 1))
            fail_msg("%s: a click on %s takes order %d, which is none", list, f->name,
                     f->column.sort);
    }
    assert_int_equal(seen, t.n);
}

static bool filters(const struct list_field *fields, const struct list_field *f, const char *name)
{
    struct query *q = NULL;
    struct error err = ERROR_INIT;
    char text[128];
    snprintf(text, sizeof text, "%s=1", name);
    bool ok = query_compile(&q, text, fields, &err) == 0;
    query_free(q);
    snprintf(text, sizeof text, "%s~1", name);
    q = NULL;
    if (ok) /* texts match patterns, numbers do not */
        assert_int_equal(query_compile(&q, text, fields, &err) == 0, f->text != NULL);
    query_free(q);
    return ok;
}

static void filters_know_each_field(const char *list, const struct list_field *fields)
{
    for (const struct list_field *f = fields; f->name; f++) {
        if (filters(fields, f, f->name) != !f->unfiltered)
            fail_msg("%s: %s is %sa word of filters", list, f->name, f->unfiltered ? "" : "not ");
        if (f->alias && !filters(fields, f, f->alias))
            fail_msg("%s: %s is no word of filters", list, f->alias);
    }
}

/* Each order has a name of its own, by which `:sort` and --sort find it. */
static void orders_are_found_by_name(const char *list, const struct list_field *fields)
{
    int n = 0;
    for (const struct list_field *f = fields; f->name; f++)
        if (f->sort.at) {
            n++;
            if (list_fields_sort_named(fields, list_field_sort_name(f)) != f->sort.at - 1)
                fail_msg("%s: sort %s is another order", list, list_field_sort_name(f));
        }
    assert_null(list_fields_sort(fields, n));
}

/* The head of CSV has each column once. Two members of JSON may have one name where one of them is
 * in another object. */
static void documents_have_each_field(const char *list, const struct list_field *fields)
{
    const struct list_field *csv[FIELDS_MAX];
    int n = list_fields(fields, FIELD_CSV, csv);
    char *head = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&head, &size);
    list_fields_csv_head(f, csv, n);
    fclose(f);
    char *at = head;
    for (int i = 0; i < n; i++) {
        const char *name = list_field_csv_name(csv[i]);
        size_t len = strlen(name);
        if (strncmp(at, name, len) != 0 || at[len] != (i + 1 < n ? ',' : '\0'))
            fail_msg("%s: column %d of CSV is not %s: %s", list, i + 1, name, head);
        at += len + 1;
        for (int k = 0; k < i; k++)
            assert_string_not_equal(name, list_field_csv_name(csv[k]));
    }
    free(head);
}

static void check_list(const char *list, const struct list_field *fields)
{
    for (enum list_field_use use = FIELD_COLUMNS; use <= FIELD_JSON; use++)
        places_are_in_a_row(list, fields, use);
    fields_are_whole(list, fields);
    columns_are_those_of_fields(list, fields);
    filters_know_each_field(list, fields);
    orders_are_found_by_name(list, fields);
    documents_have_each_field(list, fields);
}

TEST(each_field_is_what_its_line_says)
{
    static const struct {
        const char *name;
        const struct list_field *fields;
    } lists[] = {{"processes", procs_fields},     {"GPU processes", gpu_fields},
                 {"functions", functions_fields}, {"kernels", kernels_fields},
                 {"captures", replay_fields},     {"hosts", fleet_fields},
                 {"instructions", att_fields},    {"points", roofline_fields},
                 {"path", path_fields},           {"tree", graph_fields},
                 {"bricks", brick_fields},        {"steps", steps_fields},
                 {"threads", threads_fields},     {"results", replay_past_fields},
                 {"comparison", compare_fields}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        check_list(lists[i].name, lists[i].fields);
    for (int i = 0; i < SYSCALLS_LISTS; i++)
        check_list(syscalls_lists[i].name, syscalls_lists[i].fields);
    for (int i = 0; views[i]; i++)
        if (views[i]->fields)
            check_list(views[i]->name, views[i]->fields);
}

/* What could not be measured has the unit of what would have been. */
TEST(a_missing_value_has_its_unit)
{
    const struct replay_row broken = {.name = "k", .path = "/k", .why = "no file"};
    const struct list_field *f = &replay_fields[REPLAY_FIELD_gpu_time];
    assert_int_equal(list_field_value(f, &broken).unit, UNIT_SECONDS);
    assert_string_equal(list_field_value(f, &broken).why, "no file");
}

/* `s` goes through all orders of a view, each by a name of its own. */
TEST(orders_have_names)
{
    const struct view_state first = {0};
    for (int v = 0; views[v]; v++)
        for (int i = 0; view_sort(views[v], &first, i); i++)
            for (int k = 0; k < i; k++)
                assert_string_not_equal(view_sort(views[v], &first, i),
                                        view_sort(views[v], &first, k));
}
