/* A profile that is being opened: what the screen shows, and what the key Back does. */
#include <stdio.h>
#include <string.h>

#include "support/test.h"
#include "support/stage.h"

static struct stage s;
static struct app_opening opening;

FIXTURE(set_up)
{
    stage_open(&s, "vm", 80, 24, 3);
    stage_key(&s, '3');
    opening = (struct app_opening){
        .path = "/tmp/rank0.db", .doing = "reading", .share = 0.25, .seconds = 3};
    app_set_opening(s.a, &opening);
    stage_look(&s);
}

FIXTURE(tear_down)
{
    stage_close(&s);
}

TEST_WITH(says_what_and_how_far, set_up, tear_down)
{
    assert_true(stage_sees(&s, "/tmp/rank0.db"));
    assert_true(stage_sees(&s, "reading"));
    assert_true(stage_sees(&s, "25 %"));
    assert_true(stage_sees(&s, "3 s"));
    snprintf(opening.doing, sizeof opening.doing, "ordering");
    opening.share = 0.625;
    app_set_opening(s.a, &opening);
    stage_look(&s);
    assert_true(stage_sees(&s, "ordering"));
    assert_true(stage_sees(&s, "62 %"));
    app_set_opening(s.a, NULL);
    stage_look(&s);
    assert_false(stage_sees(&s, "rank0.db"));
    assert_true(stage_sees(&s, "bricks"));
}

TEST_WITH(back_gives_up_once, set_up, tear_down)
{
    stage_key(&s, KEY_ESCAPE);
    assert_true(s.asked & APP_GIVE_UP);
    assert_true(stage_sees(&s, "being given up"));
    assert_false(stage_sees(&s, "gives it up"));
}

TEST_WITH(a_click_gives_up_too, set_up, tear_down)
{
    int x, y;
    assert_true(stage_find(&s, "gives it up", &x, &y));
    stage_click(&s, x, y, 1);
    assert_true(s.asked & APP_GIVE_UP);
}

/* Live data can be looked at meanwhile; there, Back does what it always does. */
TEST_WITH(other_views_work_as_usual, set_up, tear_down)
{
    stage_key(&s, '1');
    assert_false(stage_sees(&s, "rank0.db"));
    stage_key(&s, KEY_ESCAPE);
    assert_false(s.asked & APP_GIVE_UP);
    stage_key(&s, '3');
    assert_true(stage_sees(&s, "rank0.db"));
}

/* Help covers it; Back closes help first. */
TEST_WITH(overlays_come_first, set_up, tear_down)
{
    stage_key(&s, '?');
    stage_key(&s, KEY_ESCAPE);
    assert_false(s.asked & APP_GIVE_UP);
    stage_key(&s, KEY_ESCAPE);
    assert_true(s.asked & APP_GIVE_UP);
}

TEST_WITH(a_failure_stays_until_it_is_put_away, set_up, tear_down)
{
    snprintf(opening.failed, sizeof opening.failed, "/tmp/rank0.db: the file is cut");
    app_set_opening(s.a, &opening);
    stage_look(&s);
    assert_true(stage_sees(&s, "not opened"));
    assert_true(stage_sees(&s, "the file is cut"));
    stage_key(&s, KEY_ESCAPE);
    assert_false(s.asked & APP_GIVE_UP);
    assert_false(stage_sees(&s, "the file is cut"));
}
