/* The view of thread traces, driven by keys. Draws only: not for TSan. */
#include <stdlib.h>
#include <string.h>

#include "engine/att/att_digest.h"
#include "support/att_scene.h"
#include "support/stage.h"
#include "support/test.h"

static struct stage s;

FIXTURE(opened)
{
    stage_open(&s, "vm", 120, 40, 2);
    app_set_att(s.a, att_scene());
    stage_view(&s, "att");
}

FIXTURE(closed)
{
    stage_close(&s);
}

static void expect(const char *text, bool there)
{
    if (stage_sees(&s, text) != there)
        fail_msg("%s'%s' on\n%s", there ? "no " : "", text, s.screen);
}

TEST_WITH(without_a_trace_there_is_no_tab, opened, closed)
{
    app_set_att(s.a, NULL);
    stage_key(&s, '1');
    expect("6 kernels", false);
    stage_view(&s, "att");
    expect("No thread trace was opened", true);
}

TEST_WITH(the_hottest_is_under_the_cursor, opened, closed)
{
    expect("void gemm_tn<half, 128, 64>", true);
    expect("waits for global_load_dwordx4 v[2:5], v0, s[0:1]", true);
    expect("*(float4 *)&tile[lane] = load(a, k);", true);
    expect("dispatch 4, 1 of 2", true);
    expect("██ exec", true);
    expect("issued ", true);
    stage_key(&s, KEY_DOWN_);
    expect("waits for global_load_dwordx4 v[2:5], v0, s[0:1]", false);
    stage_key(&s, 'd'); /* details */
    expect("0x10", false);
    stage_key(&s, 'd');
    expect("0x10", true);
}

TEST_WITH(rows_are_sorted_and_filtered, opened, closed)
{
    int x, first, second;
    stage_command(&s, "sort place");
    assert_true(stage_find(&s, "s_load_dwordx4", &x, &first));
    assert_true(stage_find(&s, "s_endpgm", &x, &second));
    assert_true(first < second);
    stage_command(&s, "sort place"); /* again: reverses the order */
    assert_true(stage_find(&s, "s_load_dwordx4", &x, &first));
    assert_true(stage_find(&s, "s_endpgm", &x, &second));
    assert_true(first > second);
    stage_command(&s, "filter kind=LDS");
    expect("ds_read_b128 v[12:15]", true);
    expect("s_endpgm", false);
    stage_command(&s, "filter perhit>400");
    expect("s_waitcnt vmcnt(1)", true);
    expect("ds_read_b128", false);
    stage_command(&s, "filter gemm.hip:18"); /* words without a field match sources */
    expect("global_load_dwordx4 v[6:9]", true);
    expect("s_barrier", false);
    stage_command(&s, "filter hits>1000000");
    expect("s_barrier", false);
}

TEST_WITH(time_is_zoomed_around_the_row, opened, closed)
{
    expect("1.5", true);
    char before[sizeof s.screen];
    memcpy(before, s.screen, sizeof before);
    stage_key(&s, '+');
    assert_string_not_equal(before, s.screen);
    for (int i = 0; i < 40; i++)
        stage_key(&s, '+');
    expect("WAVE SLOTS", true);
    for (int i = 0; i < 50; i++)
        stage_key(&s, '-');
    assert_string_equal(before, s.screen);
    stage_key(&s, '+');
    stage_key(&s, KEY_BACKSPACE_);
    assert_string_equal(before, s.screen);
}

TEST_WITH(dispatches_follow_each_other, opened, closed)
{
    stage_key(&s, 'm');
    expect("dispatch 9, 2 of 2", true);
    expect("gfx11 (navi)", true);
    expect("n/a", true);
    expect("samples", true);
    expect("WAVE SLOTS", false);
    expect("did not issue: ", true);
    stage_key(&s, 'm');
    expect("dispatch 4, 1 of 2", true);
}

TEST_WITH(a_row_has_a_menu, opened, closed)
{
    stage_key(&s, KEY_ENTER_);
    expect("show its kind only", true);
    expect("copy the instruction", true);
    stage_key(&s, 'f');
    expect("s_waitcnt vmcnt(1)", true);
    expect("s_barrier", false);
}

/* Everything stays on the screen, at any size. */
TEST_WITH(every_size_is_drawn, opened, closed)
{
    for (int cols = 40; cols <= 220; cols += 9)
        for (int rows = 10; rows <= 60; rows += 5) {
            canvas_resize(&s.c, cols, rows);
            stage_look(&s);
            stage_key(&s, 'm');
            stage_key(&s, '+');
            stage_key(&s, KEY_END_);
        }
}

/* In the recorded trace 92.5 % of the cycles are stalls, and its slots know no stalls: they are
 * idle then. */
TEST(slots_that_are_idle_while_instructions_stall_are_named_so)
{
    static const int widths[] = {80, 120, 200};
    struct error err = ERROR_INIT;
    struct att_set set;
    assert_int_equal(att_set_open(&set, "tests/data/att", 1, &err), 0);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        stage_open(&s, "vm", widths[i], 40, 2);
        app_set_att(s.a, &set);
        stage_view(&s, "att");
        expect("92.5 % of them stalled", true);
        expect("idle/stalled 98.4 %", true);
        expect("stall 0.0 %", false);
        stage_close(&s);
    }
    att_set_free(&set);
}
