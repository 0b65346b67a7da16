/* Parts of a profile on the screen: zoomed to, chosen by name, chosen from its steps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/watch.h"
#include "engine/analysis/analysis.h"
#include "support/stage.h"
#include "support/test.h"

static struct stage s;
static struct analysis profile;

static int open_size(int cols, int rows)
{
    static const char *const path = "tests/data/chrome/kineto_steps.json";
    struct error err = ERROR_INIT;
    profile = (struct analysis){0};
    assert_int_equal(analysis_open(&profile, &path, 1, &err), 0);
    stage_open(&s, "vm", cols, rows, 2);
    app_set_profile(s.a, &profile);
    app_set_file(s.a, &path, 1);
    return 0;
}

FIXTURE_STATUS(set_up)
{
    return open_size(200, 40);
}

FIXTURE(tear_down)
{
    stage_close(&s);
    analysis_close(&profile);
}

static void expect(const char *text)
{
    if (!stage_sees(&s, text))
        fail_msg("no \"%s\" on\n%s", text, s.screen);
}

static void expect_not(const char *text)
{
    if (stage_sees(&s, text))
        fail_msg("\"%s\" on\n%s", text, s.screen);
}

/* The command line stays open and shows the mistake. */
static void failed(const char *says)
{
    expect(says);
    stage_key(&s, KEY_ESCAPE);
}

TEST_WITH(steps_are_rows_below_what_devices_did, set_up, tear_down)
{
    stage_key(&s, 'I');
    expect("all devices");
    expect("GPU 1 is idle longest");
    expect("6 'ProfilerStep', until their last work ends");
    expect("unlike the others: 1 slow, 0 fast");
    expect("slow +41.7 %");
}

TEST_WITH(a_step_is_analysed_alone_in_every_view, set_up, tear_down)
{
    stage_key(&s, 'I');
    for (int i = 0; i < 3; i++)
        stage_key(&s, KEY_DOWN_);
    stage_key(&s, 'W');
    expect("only ProfilerStep#13, 700 us");
    expect("700 us of kineto_steps.json"); /* in the title */
    stage_key(&s, 'K');
    expect("devices 1.36 ms");
    stage_view(&s, "timeline");
    expect("ProfilerStep#13");
    expect_not("ProfilerStep#12");
    stage_view(&s, "path");
    expect("path 1.34 ms");
    stage_key(&s, '3');
    stage_view(&s, "timeline");
    stage_key(&s, 'W'); /* not zoomed: everything again */
    expect("ProfilerStep#12");
    expect_not(" of kineto_steps");
    stage_key(&s, 'W'); /* there is no larger window: the selected span */
    expect(" of kineto_steps");
}

TEST_WITH(what_the_timeline_shows_is_analysed, set_up, tear_down)
{
    stage_view(&s, "timeline");
    stage_key(&s, '/');
    stage_type(&s, "ProfilerStep#12");
    stage_key(&s, KEY_ENTER_);
    stage_key(&s, 'z');
    stage_key(&s, 'W');
    expect("only 875 us from 1.912496 ms on"); /* with a margin */
    stage_key(&s, 'K');
    expect("devices 875 us"); /* spans that are cut count with the part inside */
    stage_command(&s, "window off");
    stage_key(&s, 'K');
    expect("devices 5.92 ms");
}

TEST_WITH(commands_choose_it, set_up, tear_down)
{
    stage_key(&s, 'K');
    stage_command(&s, "range ProfilerStep@2-3");
    expect("2 ranges, the first ProfilerStep#11");
    stage_command(&s, "range ProfilerStep#15"); /* a range in the whole profile, not in the part */
    expect("ProfilerStep#15, 700 us of kineto_steps");
    stage_command(&s, "window 1ms 1.5ms");
    expect("devices 500 us");
    stage_command(&s, "range off");
    expect("devices 5.92 ms");
    stage_command(&s, "range off");
    failed("the whole is shown already");
    stage_command(&s, "range nothing");
    failed("no range 'nothing'");
    stage_command(&s, "window 9s");
    failed("there is nothing from there on");
    stage_command(&s, "window 2ms 1ms");
    failed("--from before --to");
    stage_command(&s, "range #9999");
    failed("it has no times");
}

TEST_WITH(the_menu_of_a_step_goes_to_its_views, set_up, tear_down)
{
    stage_key(&s, 'I');
    stage_key(&s, KEY_DOWN_);
    stage_key(&s, KEY_ENTER_);
    expect("analyse it alone: its path");
    stage_key(&s, 'k');
    expect("ProfilerStep#11, 700 us of kineto_steps");
    expect("sgemm_128x64");
}

TEST_WITH(the_menu_of_a_span_too, set_up, tear_down)
{
    stage_view(&s, "timeline");
    stage_key(&s, '/');
    stage_type(&s, "backward");
    stage_key(&s, KEY_ENTER_);
    stage_key(&s, KEY_ENTER_);
    expect("analyse it alone");
    stage_key(&s, 'w');
    expect("backward, 370 us of kineto_steps");
}

static bool never(void *ctx)
{
    (void)ctx;
    return false;
}

/* Pressing a key while the part is being made keeps what was shown. */
TEST_WITH(given_up_it_leaves_all_as_it_was, set_up, tear_down)
{
    static const struct watch gone = {never, NULL};
    stage_key(&s, 'K');
    app_set_watch(s.a, &gone);
    stage_command(&s, "range ProfilerStep@2");
    expect("devices 5.92 ms");
    expect("given up");
    stage_key(&s, KEY_ESCAPE);
    stage_key(&s, 'I');
    expect("Not found yet");
    app_set_watch(s.a, NULL);
    stage_key(&s, 'I');
    expect("ProfilerStep#10");
}

/* Keys one after the other without a picture in between, and many parts. */
TEST_WITH(any_order_of_keys, set_up, tear_down)
{
    static const char keys[] = "I8K43W+-WzW5\n\033IWWjjW8WkK4W";
    uint32_t seed = 7;
    for (int i = 0; i < 600; i++) {
        seed = seed * 1664525u + 1013904223u;
        stage_key(&s, (uint32_t)keys[(seed >> 10) % (sizeof keys - 1)]);
        if (i % 50 == 0)
            stage_command(&s, i % 100 ? "range ProfilerStep@1-4" : "window off");
    }
}

TEST_WITH(without_a_profile_it_says_so, set_up, tear_down)
{
    struct stage live;
    stage_open(&live, "vm", 120, 30, 2);
    stage_command(&live, "range step");
    assert_true(stage_sees(&live, "only profiles that were opened have parts"));
    stage_command(&live, "window 1ms 2ms");
    assert_true(stage_sees(&live, "only profiles that were opened have parts"));
    stage_close(&live);
}
