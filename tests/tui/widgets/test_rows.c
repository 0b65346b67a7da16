/* Draws only: not for TSan. */
/* A list drawn by the widget of rows: the cursor, the filter, the search and the order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/canvas/render.h"
#include "tui/widgets/rows.h"
#include "support/test.h"

#define LENGTH(a) (sizeof(a) / sizeof *(a))

struct thing {
    char name[16];
    double weight;
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

static const struct list_field fields[] = {
    {.name = "weight",
     .number = weight_of,
     .column = {.at = 2, .look = {"WEIGHT", 7, false, true, 0}},
     .sort = {.at = 1}},
    {.name = "name",
     .text = name_of,
     .plain = true,
     .column = {.at = 1, .look = {"NAME", 8, true, false, 0}},
     .sort = {.at = 2}},
    {0},
};

static struct thing things[8];
static size_t n;
static struct rows rows;
static struct view_state st;
static struct canvas c;
static char *screen;
static int asked; /* how many rows were collected */

static const void *listed_thing(const void *list, size_t i, void *made)
{
    (void)made;
    return &((const struct thing *)list)[i];
}

static bool count_asked(const void *list, const void *row)
{
    (void)list;
    (void)row;
    asked++;
    return true;
}

static void thing_cell(const void *own, const void *row, const struct list_field *f,
                       char text[TABLE_CELL_MAX], struct style *style)
{
    (void)style;
    assert_ptr_equal(own, things);
    table_field_text(f, row, "-", text);
}

static void thing_key(const void *own, const void *row, char key[VIEW_TEXT_MAX])
{
    (void)own;
    snprintf(key, VIEW_TEXT_MAX, "%s", ((const struct thing *)row)->name);
}

static size_t find_thing(const void *own, const char *key)
{
    (void)own;
    for (size_t i = 0; i < n; i++)
        if (strcmp(things[i].name, key) == 0)
            return i;
    return SIZE_MAX;
}

static const struct list_rows listed = {.fields = fields, .row = listed_thing, .has = count_asked};
static const struct rows_ops by_key = {.list = &listed, .cell = thing_cell, .key = thing_key};
static const struct rows_ops by_number = {
    .list = &listed, .cell = thing_cell, .key = thing_key, .find = find_thing, .text_up = true};

static void add(const char *name, double weight)
{
    snprintf(things[n].name, sizeof things[n].name, "%s", name);
    things[n++].weight = weight;
}

FIXTURE(setup)
{
    n = 0;
    add("nut", 2);
    add("screw", 5);
    add("nail", 1);
    st = (struct view_state){.own = things};
    canvas_init(&c);
    canvas_resize(&c, 24, 7);
}

FIXTURE(teardown)
{
    rows_free(&rows);
    canvas_free(&c);
    free(screen);
    screen = NULL;
}

static const char *look(const struct rows_ops *ops, const uint64_t of[ROWS_MADE_OF])
{
    size_t len = 0;
    free(screen);
    canvas_resize(&c, 24, 7);
    rows_collect(&rows, ops, things, n, of, &st);
    rows_columns(&rows);
    rows_draw(&c, (struct rect){0, 0, 24, 7}, &rows, "nothing passes", &st);
    FILE *f = open_memstream(&screen, &len);
    render_text(f, &c);
    fclose(f);
    return screen;
}

/* The lines begin with these names, in this order. */
static void expect(const struct rows_ops *ops, const char *names)
{
    char got[128] = "";
    look(ops, NULL);
    for (size_t i = 0; i < rows.n; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", i ? " " : "",
                 ((const struct thing *)rows_at(&rows, i))->name);
    assert_string_equal(got, names);
    const char *line = screen;
    for (size_t i = 0; i < rows.n; i++) {
        const struct thing *t = rows_at(&rows, i);
        line = strchr(line, '\n') + 1;
        if (strncmp(line, t->name, strlen(t->name)) != 0)
            fail_msg("not %s:\n%s", t->name, screen);
    }
}

static const char *selected(void)
{
    const struct thing *t = rows_selected(&rows, &st);
    return t ? t->name : "";
}

TEST_WITH(the_cursor_stays_on_its_row, setup, teardown)
{
    const struct rows_ops *const both[] = {&by_key, &by_number};
    for (int i = 0; i < 2; i++) {
        n = 3;
        things[2].weight = 1;
        st = (struct view_state){.own = things};
        expect(both[i], "screw nut nail");
        assert_string_equal(selected(), "screw");
        table_act(ACTION_DOWN, &st);
        look(both[i], NULL);
        assert_string_equal(selected(), "nut");
        things[2].weight = 9; /* a row passes it */
        expect(both[i], "nail screw nut");
        assert_string_equal(selected(), "nut");
        st.sort = 1;
        expect(both[i], "nail nut screw");
        assert_string_equal(selected(), "nut");
        add("axe", 3); /* a row comes above it */
        st.reverse = true;
        expect(both[i], "screw nut nail axe");
        assert_string_equal(selected(), "nut");
        assert_string_equal(((const struct thing *)rows_find(&rows, "axe"))->name, "axe");
        assert_null(rows_find(&rows, "pin"));
    }
}

static void filter(const char *text)
{
    struct error err = ERROR_INIT;
    snprintf(st.filter, sizeof st.filter, "%s", text);
    query_free((struct query *)st.query);
    st.query = NULL;
    if (*text)
        assert_int_equal(query_compile((struct query **)&st.query, text, fields, &err), 0);
}

TEST_WITH(the_filter_hides_rows, setup, teardown)
{
    const struct rows_ops *const both[] = {&by_key, &by_number};
    for (int i = 0; i < 2; i++) {
        st = (struct view_state){.own = things};
        filter("n");
        expect(both[i], "nut nail");
        table_act(ACTION_BOTTOM, &st);
        look(both[i], NULL);
        assert_string_equal(selected(), "nail");
        filter("weight>1"); /* the row of the cursor is gone: the one in its place is next */
        expect(both[i], "screw nut");
        assert_string_equal(selected(), "nut");
        filter("none");
        assert_non_null(strstr(look(both[i], NULL), "\nnothing passes"));
        assert_null(rows_selected(&rows, &st));
        filter("");
        expect(both[i], "screw nut nail");
    }
}

TEST_WITH(a_search_goes_from_the_cursor_on, setup, teardown)
{
    snprintf(st.search, sizeof st.search, "N");
    look(&by_key, NULL);
    assert_string_equal(selected(), "screw");
    static const char *const next[] = {"nut", "nail", "nut"};
    for (size_t i = 0; i < LENGTH(next); i++) {
        table_act(ACTION_SEARCH_NEXT, &st);
        look(&by_key, NULL);
        assert_string_equal(selected(), next[i]);
    }
    table_act(ACTION_SEARCH_PREV, &st);
    look(&by_key, NULL);
    assert_string_equal(selected(), "nail");
}

TEST_WITH(rows_are_collected_again_only_where_something_changed, setup, teardown)
{
    uint64_t of[ROWS_MADE_OF] = {7};
    asked = 0;
    look(&by_key, of);
    look(&by_key, of);
    assert_int_equal(asked, 3);
    of[3] = 1;
    look(&by_key, of);
    assert_int_equal(asked, 6);
    st.reverse = true;
    look(&by_key, of);
    assert_int_equal(asked, 9);
    filter("n");
    look(&by_key, of);
    assert_int_equal(asked, 12);
    look(&by_number, of); /* another list */
    assert_int_equal(asked, 15);
    look(&by_number, NULL);
    look(&by_number, NULL);
    assert_int_equal(asked, 21);
    filter("");
}

/* An order may stand for the first one; one that is none is the first. */
TEST_WITH(the_head_shows_the_order, setup, teardown)
{
    expect(&by_key, "screw nut nail");
    assert_non_null(strstr(screen, "WEIGHT▾"));
    st.sort = 9;
    expect(&by_key, "screw nut nail");
    assert_non_null(strstr(screen, "WEIGHT▾"));
    st.sort = 0;
    rows.first = 1;
    expect(&by_key, "nail nut screw");
    assert_non_null(strstr(screen, "NAME▾"));
    expect(&by_number, "nail nut screw"); /* where texts are drawn as ascending */
    assert_non_null(strstr(screen, "NAME▴"));
}
