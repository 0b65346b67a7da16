/* The tables of fields of all views: places, words and getters fit together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/syscalls/picture/picture.h"
#include "engine/value/list_field.h"
#include "tui/model/view.h"
#include "tui/widgets/table.h"

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

static void places_of_every_list_are_in_a_row(void **state)
{
    (void)state;
    for (int i = 0; views[i]; i++)
        for (enum list_field_use use = FIELD_COLUMNS; views[i]->fields && use <= FIELD_JSON; use++)
            places_are_in_a_row(views[i]->name, views[i]->fields, use);
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

static void fields_have_words_getters_and_help(void **state)
{
    (void)state;
    for (int i = 0; views[i]; i++)
        fields_are_whole(views[i]->name, views[i]->fields);
}

/* `s` goes through all orders of a view, each by a name of its own. */
static void orders_have_names(void **state)
{
    const struct view_state first = {0};
    (void)state;
    for (int v = 0; views[v]; v++)
        for (int i = 0; view_sort(views[v], &first, i); i++)
            for (int k = 0; k < i; k++)
                assert_string_not_equal(view_sort(views[v], &first, i),
                                        view_sort(views[v], &first, k));
}

/* The view of system calls has several lists: `fields` is the first's. */
static void the_lists_of_system_calls_are_like_the_others(void **state)
{
    (void)state;
    for (int i = 0; i < SYSCALLS_LISTS; i++) {
        const struct syscalls_list_ops *l = &syscalls_lists[i];
        for (enum list_field_use use = FIELD_COLUMNS; use <= FIELD_JSON; use++)
            places_are_in_a_row(l->name, l->fields, use);
        fields_are_whole(l->name, l->fields);
        for (int a = 0; list_fields_sort(l->fields, a); a++)
            for (int b = 0; b < a; b++)
                assert_string_not_equal(list_field_sort_name(list_fields_sort(l->fields, a)),
                                        list_field_sort_name(list_fields_sort(l->fields, b)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_of_every_list_are_in_a_row),
        cmocka_unit_test(fields_have_words_getters_and_help),
        cmocka_unit_test(orders_have_names),
        cmocka_unit_test(the_lists_of_system_calls_are_like_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
