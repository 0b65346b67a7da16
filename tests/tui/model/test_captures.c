/* "Capture the next one": the expression made from a name, reasons why it cannot be done, and the
 * rows of all views that offer it. */
#include <stdio.h>
#include <string.h>

#include "engine/analysis/analysis.h"
#include "format/pattern.h"
#include "support/opened.h"
#include "support/stage.h"
#include "tui/model/captures.h"
#include "support/test.h"

static struct pattern pattern;

static bool matches(const char *expression, const char *name)
{
    char why[128];
    assert_true(pattern_compile(&pattern, expression, why, sizeof why));
    return pattern_matches(&pattern, name);
}

TEST(the_expression_is_the_name_alone)
{
    static const char *const names[] = {"add", "void ns::gemm<float, 4>(float*, int (*)[2])",
                                        "k::{lambda(int)#1}::operator()(int) const", "a;b\"c'd"};
    const struct model m = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct menu menu = {.n = 0};
        char longer[256];
        captures_menu(&m, &menu, 'c', NODE_KERNEL, names[i]);
        assert_int_equal(menu.n, 1);
        assert_string_equal(menu.entries[0].why_not, "");
        assert_memory_equal(menu.entries[0].command, "capture ", 8);
        assert_true(matches(menu.entries[0].command + 8, names[i]));
        snprintf(longer, sizeof longer, "%sx", names[i]);
        assert_false(matches(menu.entries[0].command + 8, longer));
        assert_null(strchr(menu.entries[0].command, ';')); /* a semicolon would end the command */
    }
}

TEST(a_long_name_is_cut)
{
    char name[600];
    const struct model m = {0};
    struct menu menu = {.n = 0};
    memset(name, '(', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    captures_menu(&m, &menu, 'c', NODE_KERNEL, name);
    assert_non_null(strstr(menu.entries[0].label, "begins so"));
    assert_true(matches(menu.entries[0].command + 8, name));
}

TEST(a_reason_is_shown_if_captures_are_impossible)
{
    static struct analysis profile;
    const struct model models[] = {{.readonly = true},
                                   {.playback = true},
                                   {.capture_why_not = "not loaded yet"},
                                   {.profile = &profile}};
    static const char *const why[] = {"--readonly", "recording", "not loaded yet", "not known"};
    for (size_t i = 0; i < 4; i++) {
        struct menu menu = {.n = 0};
        captures_menu(&models[i], &menu, 'c', NODE_KERNEL, "add");
        if (!strstr(menu.entries[0].why_not, why[i]))
            fail_msg("%s", menu.entries[0].why_not);
    }
}

TEST(only_kernels_can_be_captured)
{
    static struct analysis profile;
    const struct model models[] = {{0}, {.profile = &profile, .command = "./train"}};
    for (size_t i = 0; i < 2; i++) {
        struct menu menu = {.n = 0};
        captures_menu(&models[i], &menu, 'c', NODE_TRANSFER, "Memcpy HtoD");
        assert_string_equal(menu.entries[0].why_not, "only kernels can be captured");
    }
}

TEST(a_profile_offers_the_line_for_a_shell)
{
    static struct analysis profile;
    const struct model m = {.profile = &profile, .command = "./train --steps '1 2'"};
    struct menu menu = {.n = 0};
    captures_menu(&m, &menu, 'c', NODE_KERNEL, "add(int).kd");
    assert_true(menu.entries[0].copy);
    assert_string_equal(menu.entries[0].why_not, "");
    assert_string_equal(
        menu.entries[0].command,
        "rooftop gpu capture --kernel '^add\\(int\\)$' --post -- ./train --steps '1 2'");
}

/* --- on rows of every view --- */

static struct stage s;

FIXTURE(running)
{
    stage_open(&s, "bricks", 120, 40, 3);
    app_set_capture(s.a, NULL); /* now captures are possible */
}

FIXTURE(closed)
{
    stage_close(&s);
}

/* Moves to the row with that text with the keys that a user would press. */
static void go_to(const char *view, const char *name)
{
    stage_view(&s, view);
    stage_command(&s, "search");
    stage_type(&s, name);
    stage_key(&s, KEY_ENTER_);
}

static const struct menu_entry *offered(void)
{
    for (int i = 0; i < s.a->menu.n; i++)
        if (strncmp(s.a->menu.entries[i].label, "capture the next one", 20) == 0 ||
            strstr(s.a->menu.entries[i].label, "the command that captures it"))
            return &s.a->menu.entries[i];
    fail_msg("nothing of capturing on\n%s", s.screen);
    return NULL;
}

TEST_WITH(every_view_with_kernels_offers_it, running, closed)
{
    static const char *const views_[] = {"tree", "path", "roofline", "timeline"};
    for (size_t i = 0; i < sizeof views_ / sizeof *views_; i++) {
        go_to(views_[i], "gemv_down");
        stage_key(&s, KEY_ENTER_);
        assert_string_equal(s.a->menu.title, "gemv_down");
        assert_string_equal(offered()->why_not, "");
        assert_true(stage_sees(&s, "c  capture the next one") ||
                    stage_sees(&s, "r  capture the next one"));
        stage_key(&s, (unsigned char)offered()->letter);
        assert_true(s.asked & APP_CAPTURE);
        assert_string_equal(app_capture(s.a), "^gemv_down$");
        assert_null(s.a->overlay);
    }
}

TEST_WITH(the_mouse_opens_it_too, running, closed)
{
    static const char *const views_[] = {"tree", "path",
                                         "roofline"}; /* test_timeline.c tests the timeline */
    for (size_t i = 0; i < sizeof views_ / sizeof *views_; i++) {
        int x, y;
        go_to(views_[i], "gemv_down");
        const struct view_state *st = &s.a->state[s.a->view];
        stage_click(&s, st->list.x + 9, st->list.y + st->selected - st->scroll, MOUSE_RIGHT);
        assert_string_equal(s.a->menu.title, "gemv_down");
        assert_true(stage_find(&s, "capture the next one", &x, &y));
        stage_click(&s, x, y, MOUSE_LEFT);
        assert_true(s.asked & APP_CAPTURE);
    }
}

TEST_WITH(rows_that_are_no_kernels_say_so, running, closed)
{
    static const char *const views_[] = {"tree", "path", "roofline", "timeline"};
    for (size_t i = 0; i < sizeof views_ / sizeof *views_; i++) {
        go_to(views_[i], "DownProjection");
        stage_key(&s, KEY_ENTER_);
        assert_string_equal(s.a->menu.title, "DownProjection");
        assert_string_equal(offered()->why_not, "only kernels can be captured");
        stage_key(&s, (unsigned char)offered()->letter); /* it is not carried out */
        assert_false(s.asked & APP_CAPTURE);
        assert_true(stage_sees(&s, "capture the next one: only kernels can be captured"));
        stage_key(&s, KEY_ESCAPE);
    }
}

TEST_WITH(a_watch_that_cannot_capture_says_why, running, closed)
{
    app_set_capture(s.a, "start it with rooftop --capture");
    go_to("roofline", "gemv_down");
    stage_key(&s, KEY_ENTER_);
    assert_string_equal(offered()->why_not, "start it with rooftop --capture");
}

TEST_WITH(of_a_profile_the_line_is_copied, running, closed)
{
    static const char *const views_[] = {"tree", "path", "timeline"};
    app_set_profile(s.a, opened_streams());
    s.a->model.command = "./train";
    for (size_t i = 0; i < sizeof views_ / sizeof *views_; i++) {
        go_to(views_[i], "gemm_f16_64x64");
        stage_key(&s, KEY_ENTER_);
        stage_key(&s, (unsigned char)offered()->letter);
        assert_true(s.asked & APP_COPY);
        assert_string_equal(app_copied(s.a),
                            "rooftop gpu capture --kernel '^gemm_f16_64x64$' --post -- ./train");
    }
}

/* Kernels launched by a program without bricks can be chosen by name. */
TEST_WITH(launched_kernels_are_listed_and_captured, running, closed)
{
    const struct capturer_kernel rows[] = {
        {.name = "gemm(float*, int)", .mangled = "_Z4gemmPfi", .dispatches = 1234},
        {.name = "axpy(float*)", .mangled = "_Z4axpyPf", .dispatches = 7}};
    app_set_launched(s.a, rows, 2);
    stage_key(&s, 'S');
    assert_true(stage_sees(&s, "1234 x  gemm(float*, int)"));
    stage_type(&s, "^axpy");
    stage_key(&s, KEY_TAB);
    stage_key(&s, KEY_ENTER_);
    assert_true(matches(app_capture(s.a), "axpy(float*)"));
    assert_false(matches(app_capture(s.a), "gemm(float*, int)"));
    app_set_capture(s.a, "no HSA runtime has loaded the library yet");
    stage_key(&s, 'S');
    assert_true(stage_sees(&s, "no HSA runtime has loaded"));
    app_set_launched(s.a, NULL, 0);
}
