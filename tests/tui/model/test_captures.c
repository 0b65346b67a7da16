/* "Capture the next one": the expression made from a name, reasons why it cannot be done, and the
 * rows of all views that offer it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/analysis.h"
#include "format/pattern.h"
#include "support/opened.h"
#include "support/stage.h"
#include "tui/model/captures.h"

static struct pattern pattern;

static bool matches(const char *expression, const char *name)
{
    char why[128];
    assert_true(pattern_compile(&pattern, expression, why, sizeof why));
    return pattern_matches(&pattern, name);
}

static void the_expression_is_the_name_alone(void **state)
{
    static const char *const names[] = {"add", "void ns::gemm<float, 4>(float*, int (*)[2])",
                                        "k::{lambda(int)#1}::operator()(int) const", "a;b\"c'd"};
    const struct model m = {0};
    (void)state;
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

static void a_long_name_is_cut(void **state)
{
    char name[600];
    const struct model m = {0};
    struct menu menu = {.n = 0};
    (void)state;
    memset(name, '(', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    captures_menu(&m, &menu, 'c', NODE_KERNEL, name);
    assert_non_null(strstr(menu.entries[0].label, "begins so"));
    assert_true(matches(menu.entries[0].command + 8, name));
}

static void a_reason_is_shown_if_captures_are_impossible(void **state)
{
    static struct analysis profile;
    const struct model models[] = {{.readonly = true},
                                   {.playback = true},
                                   {.capture_why_not = "not loaded yet"},
                                   {.profile = &profile}};
    static const char *const why[] = {"--readonly", "recording", "not loaded yet", "not known"};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct menu menu = {.n = 0};
        captures_menu(&models[i], &menu, 'c', NODE_KERNEL, "add");
        if (!strstr(menu.entries[0].why_not, why[i]))
            fail_msg("%s", menu.entries[0].why_not);
    }
}

static void only_kernels_can_be_captured(void **state)
{
    static struct analysis profile;
    const struct model models[] = {{0}, {.profile = &profile, .command = "./train"}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct menu menu = {.n = 0};
        captures_menu(&models[i], &menu, 'c', NODE_TRANSFER, "Memcpy HtoD");
        assert_string_equal(menu.entries[0].why_not, "only kernels can be captured");
    }
}

static void a_profile_offers_the_line_for_a_shell(void **state)
{
    static struct analysis profile;
    const struct model m = {.profile = &profile, .command = "./train --steps '1 2'"};
    struct menu menu = {.n = 0};
    (void)state;
    captures_menu(&m, &menu, 'c', NODE_KERNEL, "add(int).kd");
    assert_true(menu.entries[0].copy);
    assert_string_equal(menu.entries[0].why_not, "");
    assert_string_equal(
        menu.entries[0].command,
        "rooftop capture --kernel '^add\\(int\\)$' --post -- ./train --steps '1 2'");
}

/* --- on rows of every view --- */

static struct stage s;

static int running(void **state)
{
    (void)state;
    stage_open(&s, "bricks", 120, 40, 3);
    app_set_capture(s.a, NULL); /* now captures are possible */
    return 0;
}

static int closed(void **state)
{
    (void)state;
    stage_close(&s);
    return 0;
}

/* Moves to the row with that text with the keys that a user would press. */
static void go_to(uint32_t view, const char *name)
{
    stage_key(&s, view);
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

static void every_view_with_kernels_offers_it(void **state)
{
    static const uint32_t views_[] = {'3', '4', '5', '8'}; /* tree, path, roofline, timeline */
    (void)state;
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

static void the_mouse_opens_it_too(void **state)
{
    static const uint32_t views_[] = {'3', '4', '5'}; /* test_timeline.c tests the timeline */
    (void)state;
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

static void rows_that_are_no_kernels_say_so(void **state)
{
    static const uint32_t views_[] = {'3', '4', '5', '8'};
    (void)state;
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

static void a_watch_that_cannot_capture_says_why(void **state)
{
    (void)state;
    app_set_capture(s.a, "start it with rooftop --capture");
    go_to('5', "gemv_down");
    stage_key(&s, KEY_ENTER_);
    assert_string_equal(offered()->why_not, "start it with rooftop --capture");
}

static void of_a_profile_the_line_is_copied(void **state)
{
    static const uint32_t views_[] = {'3', '4', '8'};
    (void)state;
    app_set_profile(s.a, opened_streams());
    s.a->model.command = "./train";
    for (size_t i = 0; i < sizeof views_ / sizeof *views_; i++) {
        go_to(views_[i], "gemm_f16_64x64");
        stage_key(&s, KEY_ENTER_);
        stage_key(&s, (unsigned char)offered()->letter);
        assert_true(s.asked & APP_COPY);
        assert_string_equal(app_copied(s.a),
                            "rooftop capture --kernel '^gemm_f16_64x64$' --post -- ./train");
    }
}

/* Kernels launched by a program without bricks can be chosen by name. */
static void launched_kernels_are_listed_and_captured(void **state)
{
    const struct capturer_kernel rows[] = {
        {.name = "gemm(float*, int)", .mangled = "_Z4gemmPfi", .dispatches = 1234},
        {.name = "axpy(float*)", .mangled = "_Z4axpyPf", .dispatches = 7}};
    (void)state;
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

int main(void)
{
#define ON_SCREEN(test) cmocka_unit_test_setup_teardown(test, running, closed)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_expression_is_the_name_alone),
        cmocka_unit_test(a_long_name_is_cut),
        cmocka_unit_test(a_reason_is_shown_if_captures_are_impossible),
        cmocka_unit_test(only_kernels_can_be_captured),
        cmocka_unit_test(a_profile_offers_the_line_for_a_shell),
        ON_SCREEN(every_view_with_kernels_offers_it),
        ON_SCREEN(the_mouse_opens_it_too),
        ON_SCREEN(rows_that_are_no_kernels_say_so),
        ON_SCREEN(a_watch_that_cannot_capture_says_why),
        ON_SCREEN(of_a_profile_the_line_is_copied),
        ON_SCREEN(launched_kernels_are_listed_and_captured)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
