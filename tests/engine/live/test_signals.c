/* Names of signals. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/live/signals.h"

static void names_and_numbers_go_both_ways(void **state)
{
    (void)state;
    char name[SIGNAL_NAME_MAX];
    for (const struct signal_info *s = signal_table; s->name; s++) {
        assert_int_equal(signal_number(s->name), s->number);
        assert_int_equal(signal_number(signal_name(s->number, name)), s->number);
        assert_int_equal(strncmp(name, "SIG", 3), 0);
        for (const struct signal_info *t = s + 1; t->name; t++)
            assert_int_not_equal(s->number, t->number);
    }
    assert_int_equal(signal_number("term"), SIGTERM);
    assert_int_equal(signal_number("9"), SIGKILL);
    assert_int_equal(signal_number("SIGRTMIN+3"), SIGRTMIN + 3);
    assert_string_equal(signal_name(SIGRTMIN + 3, name), "SIGRTMIN+3");
    assert_int_equal(signal_number("RTMIN+0"), SIGRTMIN);
}

static void other_words_are_no_signal(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",   "0",        "-9",     "99999999999999999999",
                                        "65", "SIG",      "TERMX",  "RTMIN+",
                                        "9x", "RTMIN+99", "SIGNAL", " 9"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (signal_number(wrong[i]) != 0)
            fail_msg("'%s' is %d", wrong[i], signal_number(wrong[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_numbers_go_both_ways),
        cmocka_unit_test(other_words_are_no_signal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
