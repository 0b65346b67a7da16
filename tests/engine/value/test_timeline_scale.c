/* Times on an axis. */
#include <errno.h>
#include <string.h>

#include "engine/value/timeline_scale.h"
#include "support/test.h"

TEST(times_are_exact_in_the_unit_of_their_axis)
{
    static const struct {
        uint64_t ns, step, end;
        const char *text;
    } cases[] = {
        {0, 1, 0, "0 ns"},
        {999, 1, 999, "999 ns"},
        {1500, 500, 2000, "1.5 us"},
        {1500, 1, 2000, "1.500 us"},
        {7, 1, 1000000, "0.000007 ms"},
        {1234567890, 1000, 2000000000, "1.234567 s"},
        {3000000000, 1000000000, 5000000000, "3 s"},
        {UINT64_MAX, 1, UINT64_MAX, "18446744073.709551615 s"},
        {40000000000, 20000000000, 90000000000, "40 s"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[TIMELINE_TIME_MAX];
        assert_string_equal(timeline_time(cases[i].ns, cases[i].step, cases[i].end, out),
                            cases[i].text);
    }
}

TEST(ticks_are_round_and_their_labels_apart)
{
    static const uint64_t widths[] = {1, 9, 77, 1000, 123456, 1u << 30, 1ull << 50, UINT64_MAX - 7};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        for (uint32_t cells = 10; cells < 300; cells += 29)
            for (uint64_t from = 0; from < 8; from += 7) {
                char out[TIMELINE_TIME_MAX];
                uint64_t step = timeline_tick(from, from + widths[i], cells), first = step;
                while (first >= 10 && first % 10 == 0)
                    first /= 10;
                assert_true(first == 1 || first == 2 || first == 5 || step == UINT64_MAX);
                timeline_time(from + widths[i], step, from + widths[i], out);
                if (step < widths[i]) /* two of them are in the picture */
                    assert_true((double)step * cells / (double)widths[i] > (double)strlen(out));
            }
}

TEST(times_are_read_exactly_or_refused)
{
    static const struct {
        const char *text;
        uint64_t ns;
    } good[] = {{"0", 0},
                {"7", 7},
                {"1.5ms", 1500000},
                {"20us", 20000},
                {"20µs", 20000},
                {"3s", 3000000000},
                {".5us", 500},
                {"1.25us", 1250},
                {"0.123456789s", 123456789},
                {"2.000001ms", 2000001},
                {"1.s", 1000000000},
                {"0.000000001s", 1},
                {"0.0000000019s", 1},
                {"18446744072s", 18446744072000000000u},
                {"18446744073709551600", 18446744073709551600u}};
    static const char *const bad[] = {"",    " ",    "s",   ".",  "-1",    "1e3",
                                      "1 s", "1sec", "0x1", "1m", "1.2.3", "nan"};
    static const char *const large[] = {"18446744073709551615", "18446744074s",
                                        "99999999999999999999999"};
    struct error err = ERROR_INIT;
    uint64_t ns;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(timeline_parse_time(&ns, good[i].text, "--from", &err), 0);
        assert_true(ns == good[i].ns);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(timeline_parse_time(&ns, bad[i], "--from", &err), -EINVAL);
        assert_int_equal(err.kind, ERROR_USAGE);
        assert_string_equal(err.what, "--from");
    }
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        assert_int_equal(timeline_parse_time(&ns, large[i], "--to", &err), -ERANGE);
}
