/* Which rows of a list pass, and in which order, beside a plain reading of the rules. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/watch.h"
#include "engine/value/list_order.h"
#include "support/test.h"

#define LENGTH(a) (sizeof(a) / sizeof *(a))

struct thing {
    const char *name;
    double weight;
    int shelf;
};

static const struct thing things[] = {
    {"nut", 2, 1}, {"bolt", NAN, 2}, {"screw", 5, 1}, {"nail", 2, 0}, {"pin", 2, 2},
};

static const char *name_of(const void *row, char buf[FIELD_TEXT_MAX])
{
    (void)buf;
    return ((const struct thing *)row)->name;
}

static double weight_of(const void *row)
{
    return ((const struct thing *)row)->weight;
}

static double shelf_of(const void *row)
{
    return ((const struct thing *)row)->shelf;
}

static int compare_lengths(const void *a, const void *b)
{
    const size_t x = strlen(((const struct thing *)a)->name);
    const size_t y = strlen(((const struct thing *)b)->name);
    return (x > y) - (x < y);
}

static const struct list_field fields[] = {
    {.name = "weight", .number = weight_of, .sort = {.at = 1}},
    {.name = "name", .text = name_of, .plain = true, .sort = {.at = 2}},
    {.name = "shelf", .number = shelf_of, .least = true, .sort = {.at = 3}},
    {.name = "length", .text = name_of, .compare = compare_lengths, .sort = {.at = 4}},
    {0},
};

static const void *kept_thing(const void *ctx, size_t i, void *made)
{
    assert_null(made);
    return &((const struct thing *)ctx)[i];
}

/* A row that is made, so that two of them must not share their room. */
static const void *made_thing(const void *ctx, size_t i, void *made)
{
    memcpy(made, &((const struct thing *)ctx)[i], sizeof(struct thing));
    return made;
}

static bool is_short(const void *ctx, const void *row)
{
    (void)ctx;
    return strlen(((const struct thing *)row)->name) <= 4;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct thing *)a)->name, ((const struct thing *)b)->name);
}

static const struct list_rows kept = {.fields = fields, .row = kept_thing};
static const struct list_rows made = {
    .fields = fields, .size = sizeof(struct thing), .row = made_thing};

/* The names of the rows, in their order. */
static void expect(const struct list_rows *l, const struct query *q, int sort, bool reverse,
                   const char *want)
{
    char got[128] = "";
    uint32_t out[LENGTH(things)];
    const size_t n =
        list_order(l, things, LENGTH(things), (struct list_wish){q, sort, reverse}, out, NULL);
    for (size_t i = 0; i < n; i++) {
        strcat(got, i ? " " : "");
        strcat(got, things[out[i]].name);
    }
    assert_string_equal(got, want);
}

TEST(the_most_comes_first_and_the_unknown_last)
{
    const struct list_rows *const both[] = {&kept, &made};
    for (int i = 0; i < 2; i++) {
        expect(both[i], NULL, 0, false, "screw nut nail pin bolt");
        expect(both[i], NULL, 0, true, "bolt nut nail pin screw"); /* equal rows stay */
        expect(both[i], NULL, 1, false, "bolt nail nut pin screw");
        expect(both[i], NULL, 2, false, "nail nut screw bolt pin");
        expect(both[i], NULL, 3, false, "nut pin bolt nail screw");
        expect(both[i], NULL, 99, false, "screw nut nail pin bolt"); /* as the first */
    }
}

TEST(a_list_says_what_becomes_of_equal_rows)
{
    struct list_rows l = made;
    l.tie = compare_names;
    expect(&l, NULL, 0, false, "screw nail nut pin bolt");
    expect(&l, NULL, 0, true, "bolt nail nut pin screw");
    l.mirrored = true;
    expect(&l, NULL, 0, true, "bolt pin nut nail screw");
}

TEST(rows_may_come_in_their_first_order)
{
    struct list_rows l = kept;
    l.first_as_come = true;
    expect(&l, NULL, 0, false, "nut bolt screw nail pin");
    expect(&l, NULL, 0, true, "pin nail screw bolt nut");
    expect(&l, NULL, 1, false, "bolt nail nut pin screw");
}

TEST(the_filter_and_the_list_leave_rows_out)
{
    struct list_rows l = made;
    struct error err = ERROR_INIT;
    struct query *q;
    assert_int_equal(query_compile(&q, "weight=2 and not pin", fields, &err), 0);
    expect(&l, q, 1, false, "nail nut");
    query_free(q);
    l.has = is_short;
    expect(&l, NULL, 1, false, "bolt nail nut pin");
}

static bool unwanted(void *ctx)
{
    (void)ctx;
    return false;
}

/* All rows are the same thing. */
static const void *same_thing(const void *ctx, size_t i, void *room)
{
    (void)i;
    (void)room;
    return ctx;
}

TEST(the_user_need_not_wait_for_a_filter)
{
    enum { MANY = 100000 };
    static uint32_t out[MANY];
    const struct list_rows l = {.fields = fields, .row = same_thing};
    struct error err = ERROR_INIT;
    struct query *q;
    bool given_up = false;
    assert_int_equal(query_compile(&q, "nut", fields, &err), 0);
    const struct list_wish wish = {q, 0, false};
    assert_int_equal(list_order(&l, things, MANY, wish, out, &given_up), MANY);
    assert_false(given_up);
    const struct watch *before = watch_set(&(struct watch){.wanted = unwanted});
    assert_true(list_order(&l, things, MANY, wish, out, &given_up) < MANY);
    assert_true(given_up);
    assert_int_equal(list_order(&l, things, MANY, wish, out, NULL), MANY); /* it has to wait */
    watch_set(before);
    query_free(q);
}
