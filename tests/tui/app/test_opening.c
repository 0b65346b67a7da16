/* A profile that is being opened: what the screen shows, and what the key Back does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/stage.h"

static struct stage s;
static struct app_opening state;

static int set_up(void **unused)
{
    (void)unused;
    stage_open(&s, "vm", 80, 24, 3);
    stage_key(&s, '3');
    state = (struct app_opening){
        .path = "/tmp/rank0.db", .doing = "reading", .share = 0.25, .seconds = 3};
    app_set_opening(s.a, &state);
    stage_look(&s);
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    stage_close(&s);
    return 0;
}

static void says_what_and_how_far(void **unused)
{
    (void)unused;
    assert_true(stage_sees(&s, "/tmp/rank0.db"));
    assert_true(stage_sees(&s, "reading"));
    assert_true(stage_sees(&s, "25 %"));
    assert_true(stage_sees(&s, "3 s"));
    snprintf(state.doing, sizeof state.doing, "ordering");
    state.share = 0.625;
    app_set_opening(s.a, &state);
    stage_look(&s);
    assert_true(stage_sees(&s, "ordering"));
    assert_true(stage_sees(&s, "62 %"));
    app_set_opening(s.a, NULL);
    stage_look(&s);
    assert_false(stage_sees(&s, "rank0.db"));
    assert_true(stage_sees(&s, "bricks"));
}

static void back_gives_up_once(void **unused)
{
    (void)unused;
    stage_key(&s, KEY_ESCAPE);
    assert_true(s.asked & APP_GIVE_UP);
    assert_true(stage_sees(&s, "being given up"));
    assert_false(stage_sees(&s, "gives it up"));
}

static void a_click_gives_up_too(void **unused)
{
    (void)unused;
    int x, y;
    assert_true(stage_find(&s, "gives it up", &x, &y));
    stage_click(&s, x, y, 1);
    assert_true(s.asked & APP_GIVE_UP);
}

/* Live data can be looked at meanwhile; there, Back does what it always does. */
static void other_views_work_as_usual(void **unused)
{
    (void)unused;
    stage_key(&s, '1');
    assert_false(stage_sees(&s, "rank0.db"));
    stage_key(&s, KEY_ESCAPE);
    assert_false(s.asked & APP_GIVE_UP);
    stage_key(&s, '3');
    assert_true(stage_sees(&s, "rank0.db"));
}

/* Help covers it; Back closes help first. */
static void overlays_come_first(void **unused)
{
    (void)unused;
    stage_key(&s, '?');
    stage_key(&s, KEY_ESCAPE);
    assert_false(s.asked & APP_GIVE_UP);
    stage_key(&s, KEY_ESCAPE);
    assert_true(s.asked & APP_GIVE_UP);
}

static void a_failure_stays_until_it_is_put_away(void **unused)
{
    (void)unused;
    snprintf(state.failed, sizeof state.failed, "/tmp/rank0.db: the file is cut");
    app_set_opening(s.a, &state);
    stage_look(&s);
    assert_true(stage_sees(&s, "not opened"));
    assert_true(stage_sees(&s, "the file is cut"));
    stage_key(&s, KEY_ESCAPE);
    assert_false(s.asked & APP_GIVE_UP);
    assert_false(stage_sees(&s, "the file is cut"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(says_what_and_how_far, set_up, tear_down),
        cmocka_unit_test_setup_teardown(back_gives_up_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_click_gives_up_too, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_views_work_as_usual, set_up, tear_down),
        cmocka_unit_test_setup_teardown(overlays_come_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_failure_stays_until_it_is_put_away, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
