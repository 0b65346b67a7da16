/* Draws only: not for TSan. */
/* Two apps in one process: what one shows does not touch the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/stage.h"

static struct stage one, other;

static int teardown(void **state)
{
    (void)state;
    stage_close(&one);
    stage_close(&other);
    return 0;
}

/* What the line above "takes …" names. */
static void expect_selected(struct stage *s, const char *name)
{
    int x, y;
    if (!stage_find(s, "takes  ", &x, &y) || !strstr(stage_row(s, y - 1), name))
        fail_msg("%s is not selected in\n%s", name, s->screen);
}

static void open_both(uint32_t key)
{
    stage_open(&one, "bricks", 120, 40, 4);
    stage_open(&other, "bricks", 120, 40, 4);
    stage_key(&one, key);
    stage_key(&other, key);
}

/* From pass to pass the cursor stays on the like of its own span, not of the other app's. */
static void each_timeline_follows_its_own_span(void **state)
{
    (void)state;
    open_both('8');
    stage_command(&one, "search gemv_down");
    stage_command(&other, "search DownProjection");
    for (int t = 4; t < 8; t++) {
        stage_feed(&one, "bricks", t);
        stage_feed(&other, "bricks", t);
        stage_look(&one);
        expect_selected(&one, "gemv_down");
        stage_look(&other);
        expect_selected(&other, "DownProjection");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(each_timeline_follows_its_own_span, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
