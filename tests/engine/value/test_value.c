#include <math.h>
#include <string.h>

#include "engine/value/value.h"
#include "support/test.h"

static void expect(double v, enum unit unit, const char *text)
{
    char out[VALUE_TEXT_MAX];
    struct value x = value_ok(v, unit);
    assert_string_equal(value_format(&x, 0, out), text);
}

TEST(prefixes_keep_three_digits)
{
    expect(0, UNIT_COUNT, "0");
    expect(7, UNIT_COUNT, "7");
    expect(999.4, UNIT_COUNT_PER_S, "999 /s");
    expect(999.96, UNIT_COUNT_PER_S, "1.00 k/s");
    expect(1234567, UNIT_COUNT_PER_S, "1.23 M/s");
    expect(3.41e9, UNIT_HZ, "3.41 GHz");
    expect(1024, UNIT_BYTES, "1.00 KiB");
    expect(1536.0 * 1024 * 1024, UNIT_BYTES, "1.50 GiB");
    expect(512, UNIT_BYTES, "512 B");
    expect(2.5e9, UNIT_BYTES_PER_S, "2.50 GB/s");
    expect(42.13, UNIT_PERCENT, "42.1 %");
    expect(100, UNIT_PERCENT, "100 %");
    expect(1.234, UNIT_PER_CYCLE, "1.23 /cyc");
    expect(0.000012, UNIT_SECONDS, "12.0 us");
    expect(3.2, UNIT_SECONDS, "3.20 s");
}

TEST(no_negative_zero)
{
    expect(-0.0, UNIT_PERCENT, "0.0 %");
}

TEST(values_that_were_not_measured_are_no_numbers)
{
    char out[VALUE_TEXT_MAX];
    struct value missing = value_missing("no PMU", UNIT_HZ), pending = value_pending(UNIT_HZ);
    assert_string_equal(value_format(&missing, 0, out), "n/a");
    assert_string_equal(value_format(&pending, 0, out), "…");
    assert_string_equal(value_format(&pending, 1, out), "...");
    struct value forged = {.v = NAN, .validity = VALUE_OK},
                 huge = {.v = INFINITY, .validity = VALUE_OK};
    assert_string_equal(value_format(&forged, 0, out), "n/a");
    assert_string_equal(value_format(&huge, 0, out), "n/a");
    assert_int_equal(value_ok(NAN, UNIT_NONE).validity, VALUE_MISSING);
    assert_int_equal(value_ok(INFINITY, UNIT_NONE).validity, VALUE_MISSING);
    assert_non_null(value_ok(NAN, UNIT_NONE).why);
}

TEST(every_text_is_terminated_and_fits)
{
    char out[VALUE_TEXT_MAX];
    static const double extremes[] = {1.7e308, -1.7e308, 1e-300, 5e-324, -999.99, 1e18};
    for (int u = 0; u < UNIT_COUNT_OF; u++)
        for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++) {
            struct value v = value_ok(extremes[i], (enum unit)u);
            memset(out, 'x', sizeof out);
            assert_non_null(memchr(value_format(&v, 0, out), '\0', VALUE_TEXT_MAX));
        }
}

TEST(sizes_of_a_grid_have_no_ones_behind)
{
    static const struct {
        uint32_t sizes[3];
        const char *text;
    } cases[] = {{{1, 1, 1}, "1"},
                 {{342, 1, 1}, "342"},
                 {{8, 342, 1}, "(8, 342)"},
                 {{1, 2, 1}, "(1, 2)"},
                 {{1, 1, 3}, "(1, 1, 3)"},
                 {{4294967295u, 4294967295u, 4294967295u}, "(4294967295, 4294967295, 4294967295)"}};
    char text[SIZES_TEXT];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(value_sizes(cases[i].sizes, text), cases[i].text);
}

/* A slope is told for no longer than it was measured. */
TEST(slopes_are_of_the_time_that_was_measured)
{
    static const struct {
        double per_s, over_s;
        const char *text;
    } cases[] = {
        {72.3 * (1 << 20), 0.65, "+47 MiB in 650 ms"},
        {-72.3 * (1 << 20), 0.65, "-47 MiB in 650 ms"},
        {50.2 * (1 << 20), 1, "+50 MiB/s"},
        {50.2 * (1 << 20), 59.9, "+50 MiB/s"},
        {50 * (1 << 20), 60, "+2.93 GiB/min"},
        {0, 5, "+0 B/s"},
        {1.5 * 1024, 2, "+1.50 KiB/s"},
        {NAN, 2, "n/a"},
    };
    char text[SLOPE_TEXT];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(value_slope(cases[i].per_s, cases[i].over_s, UNIT_BYTES, true, text),
                            cases[i].text);
}

TEST(every_unit_has_a_base_unit)
{
    for (int u = 0; u < UNIT_COUNT_OF; u++) {
        double per = 0;
        assert_non_null(unit_name((enum unit)u));
        assert_non_null(unit_base_name((enum unit)u, &per));
        assert_true(per > 0);
    }
}
