/* The view of the critical path: its list, its timeline, what runs beside it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/stage.h"

static struct stage s;

static int set_up(void **state)
{
    (void)state;
    stage_open(&s, "bricks", 160, 44, 3);
    stage_key(&s, '4');
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    stage_close(&s);
    return 0;
}

static int row_of(const char *text)
{
    int x, y;
    if (!stage_find(&s, text, &x, &y))
        fail_msg("no \"%s\" on\n%s", text, s.screen);
    return y;
}

static void steps_in_order_add_up_to_the_path(void **state)
{
    (void)state;
    assert_true(stage_sees(&s, "forward took 1.00 ms · path 1.00 ms, 100.0 % · 9 steps"));
    assert_true(row_of("    1 forward") < row_of("    2   RmsNorm"));
    assert_true(row_of("    7   DownProjection") < row_of("    8     gemv_down"));
    int y = row_of("    8     gemv_down");
    assert_non_null(strstr(stage_row(&s, y), "474 us     505 us ████      50.5"));
    y = row_of("    4     batched_q4k_gemv");
    assert_non_null(strstr(stage_row(&s, y), "300 us ██▍       30.0"));
}

static void names_are_summed(void **state)
{
    (void)state;
    stage_key(&s, 'm');
    assert_true(stage_sees(&s, "critical path: by name"));
    assert_true(stage_sees(&s, "x2 forward"));
    assert_true(stage_sees(&s, "70.8 us")); /* 50.0 + 20.8 */
    stage_command(&s, "sort adds");
    int y = row_of("   x1 gemv_down");
    assert_true(y < row_of("   x1 batched_q4k_gemv"));
    stage_key(&s, 'r');
    assert_true(row_of("   x1 gemv_down") > row_of("   x1 batched_q4k_gemv"));
    stage_key(&s, 's');
    assert_true(row_of("x2 forward") > row_of("   x1 AttentionScore")); /* by name */
    stage_key(&s, 'm');
    assert_true(stage_sees(&s, "step by step"));
}

static void what_is_beside_says_its_slack_and_what_runs_meanwhile(void **state)
{
    (void)state;
    int y = row_of("BESIDE THE PATH");
    assert_non_null(strstr(stage_row(&s, y + 1), "H2D"));
    assert_non_null(strstr(stage_row(&s, y + 1), "580 us"));
    assert_non_null(strstr(stage_row(&s, y + 1), "batched_q4k_gemv"));
    y = row_of("205 us");
    assert_non_null(strstr(stage_row(&s, y), "gemv_down"));
    assert_non_null(strstr(stage_row(&s, y), "300 us"));
}

static void the_timeline_zooms_to_the_selected_step(void **state)
{
    (void)state;
    assert_true(stage_sees(&s, "1.00 ms"));
    stage_key(&s, KEY_END_); /* the last step: forward, all of it */
    stage_key(&s, KEY_UP_);  /* gemv_down: 464.2 to 969.2 us */
    stage_key(&s, '+');
    stage_key(&s, '+');
    assert_true(stage_sees(&s, "592 us") && stage_sees(&s, "842 us")); /* around 716.7 */
    stage_key(&s, '-');
    stage_key(&s, KEY_BACKSPACE_);
    assert_true(stage_sees(&s, "250 us"));
}

static void a_filter_keeps_what_matches(void **state)
{
    (void)state;
    stage_command(&s, "filter kind=kernel");
    assert_true(stage_sees(&s, "    8     gemv_down"));
    assert_false(stage_sees(&s, "    2   RmsNorm"));
    stage_command(&s, "filter share>99");
    assert_true(stage_sees(&s, "no step matches the filter"));
}

static void the_menu_knows_the_step(void **state)
{
    (void)state;
    stage_key(&s, KEY_DOWN_);
    stage_key(&s, KEY_ENTER_);
    assert_true(stage_sees(&s, "zoom the timeline in on it"));
    assert_true(stage_sees(&s, "show its thread only"));
    stage_key(&s, 't');
    assert_true(stage_sees(&s, "filter 'lane"));
}

static void without_a_pass_it_says_how_to_get_one(void **state)
{
    (void)state;
    stage_feed(&s, "vm", 9);
    assert_true(stage_sees(&s, "rooftop_joins(awaited.span, waiting.span);"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(steps_in_order_add_up_to_the_path),
        TEST(names_are_summed),
        TEST(what_is_beside_says_its_slack_and_what_runs_meanwhile),
        TEST(the_timeline_zooms_to_the_selected_step),
        TEST(a_filter_keeps_what_matches),
        TEST(the_menu_knows_the_step),
        TEST(without_a_pass_it_says_how_to_get_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
