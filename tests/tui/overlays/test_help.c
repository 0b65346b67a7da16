/* Help: one screen for the shown view, sheets for the rest. Draws only: not for TSan. */
#include <stdio.h>
#include <string.h>

#include "support/opened.h"
#include "support/stage.h"
#include "support/test.h"

static struct stage s;

FIXTURE(set_up)
{
    stage_open(&s, "bricks", 80, 24, 3);
}

FIXTURE(tear_down)
{
    stage_close(&s);
}

static void expect(const char *text, bool there)
{
    if (stage_sees(&s, text) != there)
        fail_msg("%s'%s' on\n%s", there ? "no " : "", text, s.screen);
}

/* The row of a text; -1 if it is not on the screen. */
static int row_of(const char *text)
{
    int x, y;
    return stage_find(&s, text, &x, &y) ? y : -1;
}

TEST_WITH(it_is_one_screen_in_every_view, set_up, tear_down)
{
    static const char *const five[] = {"1 … 0 ", "Tab ", ": ", "/, F3 ", "q, F10, ^C "};
    for (int v = 0; views[v]; v++) {
        stage_command(&s, "view overview");
        app_show_view(s.a, v);
        stage_look(&s);
        stage_key(&s, '?');
        expect("↑↓ scroll", false); /* nothing is left out below */
        for (size_t i = 0; i < sizeof five / sizeof *five; i++) {
            char row[32];
            snprintf(row, sizeof row, "│  %s", five[i]);
            if (!stage_sees(&s, row))
                fail_msg("%s: no '%s' in\n%s", views[v]->name, row, s.screen);
        }
        stage_key(&s, KEY_ESCAPE);
        assert_null(s.a->overlay);
    }
}

/* Only keys that do in this view what help says of them. */
TEST_WITH(it_tells_the_keys_of_the_shown_view, set_up, tear_down)
{
    stage_key(&s, '5');
    stage_key(&s, '?');
    expect("│  roofline ", true);
    expect("roofline: of a GPU all levels", true);
    expect("to the child that takes the longest", false);
    stage_key(&s, KEY_ESCAPE);
    stage_key(&s, '3');
    stage_key(&s, '?');
    expect("to the child that takes the longest", true);
    expect("roofline: of a GPU", false);
}

TEST_WITH(tab_turns_to_the_next_sheet_and_back, set_up, tear_down)
{
    static const char *const heads[] = {"In this view, in full", "Everywhere",
                                        "Tabs, and the views in them", "In lists"};
    stage_key(&s, '?');
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        stage_key(&s, KEY_TAB);
        assert_int_equal(row_of(heads[i]), 3);
    }
    expect("Tab other views", true); /* the lower edge says where it leads */
    stage_key(&s, KEY_BACKTAB);
    assert_int_equal(row_of("Tabs, and the views in them"), 3);
    for (int i = 0; i < 4; i++)
        stage_key(&s, KEY_BACKTAB);
    expect("What is missing here, and why", true);
    stage_key(&s, KEY_TAB);
    expect("1 … 0 ", true);
}

/* Behind the last page of a sheet follows the next sheet; nothing between is passed. */
TEST_WITH(pages_go_through_all_sheets, set_up, tear_down)
{
    bool told[ACTION_COUNT] = {false};
    char last[sizeof s.screen] = "";
    stage_key(&s, '?');
    for (int page = 0; page < 60 && strcmp(last, s.screen) != 0; page++) {
        memcpy(last, s.screen, sizeof last);
        for (int i = 1; i < ACTION_COUNT; i++) {
            char part[24];
            snprintf(part, sizeof part, "%s", action_table[i].help);
            told[i] = told[i] || stage_sees(&s, part);
        }
        stage_key(&s, KEY_PGDN);
    }
    for (int i = 1; i < ACTION_COUNT; i++)
        if (!told[i])
            fail_msg("no page says '%s'", action_table[i].help);
    for (int page = 0; page < 60; page++)
        stage_key(&s, KEY_PGUP);
    expect("1 … 0 ", true);
}

TEST_WITH(slash_searches_all_keys_and_their_texts, set_up, tear_down)
{
    stage_key(&s, '?');
    stage_key(&s, '/');
    stage_type(&s, "nice val");
    expect("help: nice val", true);
    expect("F7 ", true);
    expect("a lower nice value", true);
    expect("nice VALUE [PID]", true); /* and commands */
    expect("next view", false);
    stage_key(&s, KEY_BACKSPACE_);
    expect("help: nice va", true);
    stage_type(&s, "xyz");
    expect("nothing is known about 'nice vaxyz'", true);
    stage_key(&s, KEY_ESCAPE); /* leaves the search, */
    expect("1 … 0 ", true);
    stage_key(&s, '/');
    stage_type(&s, "q");
    assert_non_null(s.a->overlay); /* typed, not obeyed */
    stage_key(&s, KEY_ENTER_);
    stage_key(&s, KEY_DOWN_);
    assert_non_null(s.a->overlay);
    stage_key(&s, KEY_ESCAPE);
    expect("1 … 0 ", true);
    stage_key(&s, KEY_ESCAPE); /* then help */
    assert_null(s.a->overlay);
}

/* Nothing is cut where there is room for all. */
TEST_WITH(a_large_screen_uses_columns, set_up, tear_down)
{
    canvas_resize(&s.c, 200, 50);
    stage_look(&s);
    stage_key(&s, '?');
    for (int i = 0; i < 5; i++)
        stage_key(&s, KEY_TAB);
    int right = 0; /* cells in the right half */
    for (int y = 5; y < 40; y++)
        for (int x = 104; x < 180; x++)
            right += s.c.cells[y * 200 + x].ch != ' ';
    assert_true(right > 500);
}

/* The overview says that ? says more. */
TEST_WITH(it_says_why_hardware_counters_are_missing, NULL, tear_down)
{
    stage_open(&s, "vm", 80, 24, 3);
    expect("? says more", true);
    stage_key(&s, '?');
    expect("hardware counters: no core PMU", true);
    stage_key(&s, KEY_BACKTAB); /* the last sheet */
    expect("What is missing here, and why", true);
    expect("hardware counters: no core PMU", true);
    stage_close(&s);
    stage_open(&s, "zen4", 80, 24, 3);
    stage_key(&s, '?');
    expect("hardware counters: ", false);
}

TEST_WITH(the_lower_edge_has_room_for_what_is_most_important, NULL, tear_down)
{
    stage_open(&s, "vm", 60, 20, 3);
    stage_key(&s, '?');
    stage_key(&s, KEY_TAB);
    expect(" 1-14 of ", true);
    expect("─ Tab everywhere   / search   Esc close ─", true);
}

TEST_MAIN(NULL, NULL)
