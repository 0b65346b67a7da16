/* "Capture the next one": the expression of a name, and what stands in the way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "capture/pattern.h"
#include "engine/analysis.h"
#include "tui/captures.h"

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
        captures_menu(&m, &menu, 'c', names[i]);
        assert_int_equal(menu.n, 1);
        assert_string_equal(menu.entries[0].why_not, "");
        assert_memory_equal(menu.entries[0].command, "capture ", 8);
        assert_true(matches(menu.entries[0].command + 8, names[i]));
        snprintf(longer, sizeof longer, "%sx", names[i]);
        assert_false(matches(menu.entries[0].command + 8, longer));
        assert_null(strchr(menu.entries[0].command, ';')); /* would end the command */
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
    captures_menu(&m, &menu, 'c', name);
    assert_non_null(strstr(menu.entries[0].label, "begins so"));
    assert_true(matches(menu.entries[0].command + 8, name));
}

static void what_stands_in_the_way_is_said(void **state)
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
        captures_menu(&models[i], &menu, 'c', "add");
        if (!strstr(menu.entries[0].why_not, why[i]))
            fail_msg("%s", menu.entries[0].why_not);
    }
}

static void a_profile_offers_the_line_for_a_shell(void **state)
{
    static struct analysis profile;
    const struct model m = {.profile = &profile, .command = "./train --steps '1 2'"};
    struct menu menu = {.n = 0};
    (void)state;
    captures_menu(&m, &menu, 'c', "add(int).kd");
    assert_true(menu.entries[0].copy);
    assert_string_equal(menu.entries[0].why_not, "");
    assert_string_equal(
        menu.entries[0].command,
        "rooftop capture --kernel '^add\\(int\\)$' --post -- ./train --steps '1 2'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_expression_is_the_name_alone),
                                       cmocka_unit_test(a_long_name_is_cut),
                                       cmocka_unit_test(what_stands_in_the_way_is_said),
                                       cmocka_unit_test(a_profile_offers_the_line_for_a_shell)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
