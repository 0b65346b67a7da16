/* Draws only: not for TSan. */
/* The first row: tabs that can be read at every width, and what is watched or was opened. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/stage.h"
#include "tui/model/layout.h"

static struct stage s;

static int teardown(void **state)
{
    (void)state;
    stage_close(&s);
    return 0;
}

static void widen(int cols)
{
    canvas_resize(&s.c, cols, 24);
    stage_look(&s);
}

/* A digit or letter of a key that no word follows. */
static bool has_bare_key(const char *row)
{
    for (const char *p = row; *p && p[1] && strncmp(p, " · ", 4) != 0; p++)
        if (p[0] == ' ' && isalnum((unsigned char)p[1]) && p[2] == ' ' &&
            !isalpha((unsigned char)p[3]))
            return true;
    return false;
}

static void no_tab_is_a_bare_digit(void **state)
{
    (void)state;
    stage_open(&s, "command", 80, 24, 3);
    for (int v = 0; views[v]; v++) {
        if (!app_view_shown(s.a, v))
            continue;
        app_show_view(s.a, v);
        for (int cols = LAYOUT_MIN_COLS; cols <= 220; cols++) {
            char want[32];
            widen(cols);
            snprintf(want, sizeof want, " %s ", views[v]->title);
            if (!strstr(stage_row(&s, 0), want))
                fail_msg("%d columns: the chosen view %s is not in '%s'", cols, want, s.row);
            if (has_bare_key(s.row))
                fail_msg("%d columns: a key without a title in '%s'", cols, s.row);
        }
    }
}

/* Where not all tabs have room the row says that there are more. */
static void more_tabs_are_told(void **state)
{
    (void)state;
    stage_open(&s, "command", 50, 24, 3);
    assert_non_null(strstr(stage_row(&s, 0), "›"));
    stage_key(&s, KEY_BACKTAB); /* the last one */
    assert_non_null(strstr(stage_row(&s, 0), "‹"));
    widen(200);
    assert_null(strstr(stage_row(&s, 0), "‹"));
    assert_null(strstr(s.row, "›"));
    stage_key(&s, 'u');
    widen(50);
    assert_non_null(strstr(stage_row(&s, 0), " < "));
}

/* The scene's command is "./gemm --m 4096 …": its folder goes first, then titles, its name last. */
static void the_command_is_shortened_to_its_base_name_first(void **state)
{
    bool whole = false;
    (void)state;
    stage_open(&s, "command", 80, 24, 3);
    for (int cols = 76; cols <= 220; cols++) {
        widen(cols);
        whole |= strstr(stage_row(&s, 0), "./gemm --m 4096") != NULL;
        if (!strstr(s.row, "gemm"))
            fail_msg("%d columns: who is watched is not in '%s'", cols, s.row);
        if (strstr(s.row, " ./gem…"))
            fail_msg("%d columns: cut before it lost its folder in '%s'", cols, s.row);
    }
    assert_true(whole);
}

static void the_file_that_was_opened_is_named(void **state)
{
    static const char *const one[] = {"/data/runs/results.db"},
                             *const more[] = {"a/rank0.json", "a/rank1.json", "a/rank2.json"},
                             *const folder[] = {"/data/ui_output_agent_1_dispatch_2/"};
    (void)state;
    stage_open(&s, "vm", 80, 24, 3);
    assert_non_null(strstr(stage_row(&s, 0), " this host · 1 s"));
    app_set_file(s.a, one, 1);
    for (int cols = 60; cols <= 220; cols++) {
        widen(cols);
        if (!strstr(stage_row(&s, 0), "results.db"))
            fail_msg("%d columns: the file is not in '%s'", cols, s.row);
        assert_null(strstr(s.row, "/data"));
    }
    assert_non_null(strstr(s.row, "results.db · this host · 1 s"));
    app_set_file(s.a, more, 3);
    widen(160);
    assert_non_null(strstr(stage_row(&s, 0), "rank0.json +2 · this host"));
    app_set_file(s.a, folder, 1);
    widen(160);
    assert_non_null(strstr(stage_row(&s, 0), " ui_output_agent_1_dispatch_2 · this host"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(no_tab_is_a_bare_digit, teardown),
        cmocka_unit_test_teardown(more_tabs_are_told, teardown),
        cmocka_unit_test_teardown(the_command_is_shortened_to_its_base_name_first, teardown),
        cmocka_unit_test_teardown(the_file_that_was_opened_is_named, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
