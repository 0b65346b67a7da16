/* Names of signals. */
#include <signal.h>
#include <string.h>

#include "engine/live/signals.h"
#include "support/test.h"

TEST(names_and_numbers_go_both_ways)
{
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

TEST(other_words_are_no_signal)
{
    static const char *const wrong[] = {"",   "0",        "-9",     "99999999999999999999",
                                        "65", "SIG",      "TERMX",  "RTMIN+",
                                        "9x", "RTMIN+99", "SIGNAL", " 9"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (signal_number(wrong[i]) != 0)
            fail_msg("'%s' is %d", wrong[i], signal_number(wrong[i]));
}
