/* What parsers of text share: hexadecimal digits, trimmed texts, %XX. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/ascii.h"

/* strtol is the judge of all 256 bytes. */
static void digits_are_those_of_strtol(void **s)
{
    (void)s;
    for (int c = 0; c < 256; c++) {
        char text[2] = {(char)c, 0}, *end;
        const long value = strtol(text, &end, 16);
        assert_int_equal(ascii_hex(c), end == text ? -1 : (int)value);
        assert_int_equal(ascii_hex((char)c), end == text ? -1 : (int)value);
    }
}

static void ends_are_trimmed(void **s)
{
    static const char *const cases[][2] = {
        {"", ""}, {" \t ", ""}, {"a b", "a b"}, {" \ta b\t\t", "a b"}, {"\na ", "\na"}};
    (void)s;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[16];
        snprintf(text, sizeof text, "%s", cases[i][0]);
        assert_string_equal(ascii_trim(text), cases[i][1]);
    }
}

static void percent_is_decoded(void **s)
{
    static const char *const cases[][2] = {
        {"", ""},         {"a%20b", "a b"},      {"%41%4a%4A", "AJJ"}, {"%", "%"},
        {"%4", "%4"},     {"%4g", "%4g"},        {"%%41", "%A"},       {"a%00b", "a%00b"},
        {"%2541", "%41"}, {"%c3%a9", "\xc3\xa9"}};
    (void)s;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[16];
        snprintf(text, sizeof text, "%s", cases[i][0]);
        assert_string_equal(ascii_percent(text), cases[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(digits_are_those_of_strtol),
                                       cmocka_unit_test(ends_are_trimmed),
                                       cmocka_unit_test(percent_is_decoded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
