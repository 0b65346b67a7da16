/* What parsers of text share: hexadecimal digits, trimmed texts, %XX. */
#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "support/test.h"

/* strtol is the judge of all 256 bytes. */
TEST(digits_are_those_of_strtol)
{
    for (int c = 0; c < 256; c++) {
        char text[2] = {(char)c, 0}, *end;
        const long value = strtol(text, &end, 16);
        assert_int_equal(ascii_hex(c), end == text ? -1 : (int)value);
        assert_int_equal(ascii_hex((char)c), end == text ? -1 : (int)value);
    }
}

TEST(ends_are_trimmed)
{
    static const char *const cases[][2] = {
        {"", ""}, {" \t ", ""}, {"a b", "a b"}, {" \ta b\t\t", "a b"}, {"\na ", "\na"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[16];
        snprintf(text, sizeof text, "%s", cases[i][0]);
        assert_string_equal(ascii_trim(text), cases[i][1]);
    }
}

TEST(percent_is_decoded)
{
    static const char *const cases[][2] = {
        {"", ""},         {"a%20b", "a b"},      {"%41%4a%4A", "AJJ"}, {"%", "%"},
        {"%4", "%4"},     {"%4g", "%4g"},        {"%%41", "%A"},       {"a%00b", "a%00b"},
        {"%2541", "%41"}, {"%c3%a9", "\xc3\xa9"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[16];
        snprintf(text, sizeof text, "%s", cases[i][0]);
        assert_string_equal(ascii_percent(text), cases[i][1]);
    }
}
