/* The steps of a profile. */
#include "engine/analysis/analysis.h"
#include "support/stage.h"
#include "support/test.h"

static struct stage s;
static struct analysis profile;

static void open_file(const char *path, int cols)
{
    profile = (struct analysis){0};
    assert_int_equal(analysis_open(&profile, &path, 1, NULL), 0);
    stage_open(&s, "vm", cols, 30, 2);
    app_set_profile(s.a, &profile);
    stage_view(&s, "steps");
    stage_key(&s, 'I');
}

static void close_all(void)
{
    stage_close(&s);
    analysis_close(&profile);
}

/* One of the six takes longer: that is never cut off by what is said before it. */
TEST(how_many_are_unlike_the_others_is_told_at_any_width)
{
    static const int widths[] = {60, 80, 120, 200};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        open_file("tests/data/chrome/kineto_steps.json", widths[i]);
        const bool told = stage_sees(&s, "unlike the others: 1 slow, 0 fast");
        if (!told || !stage_sees(&s, "6 'ProfilerStep'"))
            fail_msg("at %d columns:\n%s", widths[i], s.screen);
        close_all();
    }
}

/* Where nothing repeats and no device was used, the tab of kernels and steps has nothing: it is
 * none. */
TEST(a_trace_without_steps_has_no_tab_for_them)
{
    const char *path = "tests/data/chrome/browser.json";
    profile = (struct analysis){0};
    assert_int_equal(analysis_open(&profile, &path, 1, NULL), 0);
    stage_open(&s, "vm", 120, 30, 2);
    app_set_profile(s.a, &profile);
    stage_key(&s, '1');
    assert_true(stage_sees(&s, "4 path"));
    assert_false(stage_sees(&s, "6 kernels"));
    stage_key(&s, '6'); /* says what would fill it */
    assert_true(stage_sees(&s, "No profile with kernels was opened"));
    close_all();
}

TEST(the_parts_of_a_path_have_names_where_it_is_drawn)
{
    open_file("tests/data/chrome/kineto_steps.json", 120);
    assert_true(stage_sees(&s, "ITS PATH"));
    assert_true(stage_sees(&s, "▒ launch  ░ host  ┄ unrecorded"));
    close_all();
    open_file("tests/data/chrome/kineto_steps.json", 80);
    assert_false(stage_sees(&s, "ITS PATH"));
    assert_false(stage_sees(&s, "unrecorded"));
    close_all();
}
