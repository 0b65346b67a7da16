/* The view of counters, by what stands in its rows. Draws only: not for TSan. */
#include <stdio.h>
#include <string.h>

#include "support/stage.h"
#include "support/test.h"

static struct stage s;

FIXTURE(the_host)
{
    stage_open(&s, "vm", 120, 40, 3);
    stage_key(&s, '2');
}

FIXTURE(a_command)
{
    stage_open(&s, "command", 120, 40, 3);
    stage_key(&s, '2');
}

FIXTURE(closed)
{
    stage_close(&s);
}

/* The row that begins with this name. */
static const char *row_of(const char *name)
{
    char begin[64];
    snprintf(begin, sizeof begin, "│%s ", name);
    for (int y = 0; y < s.c.rows; y++)
        if (strncmp(stage_row(&s, y), begin, strlen(begin)) == 0)
            return s.row;
    fail_msg("no row of %s on\n%s", name, s.screen);
    return "";
}

/* 80,000 bytes in a second are 80 kB/s and 80 kB: one system of units in a row. */
TEST_WITH(a_rate_and_its_count_have_the_same_units, the_host, closed)
{
    static const char *const moved[] = {"network-receive", "network-transmit", "disk-read",
                                        "disk-write"};
    for (size_t i = 0; i < sizeof moved / sizeof *moved; i++) {
        const struct counter *k = snapshot_counter(s.a->model.snap, "system", moved[i]);
        char rate[VALUE_TEXT_MAX], count[VALUE_TEXT_MAX];
        value_text(k->rate.v, UNIT_BYTES_PER_S, false, rate);
        assert_non_null(strstr(row_of(moved[i]), rate));
        /* the scene has one sample a second */
        snprintf(count, sizeof count, "%.*s ", (int)(strlen(rate) - strlen("/s")), rate);
        assert_non_null(strstr(row_of(moved[i]), count));
        assert_null(strstr(s.row, "iB"));
    }
}

TEST_WITH(no_number_of_a_clock_is_bare, the_host, closed)
{
    assert_string_equal(unit_name(UNIT_SECONDS_PER_S), "s/s");
    char text[VALUE_TEXT_MAX];
    assert_string_equal(value_text(1.99, UNIT_SECONDS_PER_S, false, text), "1.99 s/s");
    assert_string_equal(value_text(12.4, UNIT_SECONDS_PER_S, false, text), "12.4 s/s");
}

/* "context switches" of the command, and "context-switches" of the host. */
TEST_WITH(what_is_counted_of_the_whole_host_says_so, a_command, closed)
{
    assert_true(stage_sees(&s, "system events, of the whole host"));
    stage_feed(&s, "vm", 5);
    assert_false(stage_sees(&s, "of the whole host"));
    assert_true(stage_sees(&s, "system events"));
    assert_true(stage_sees(&s, "PMU none"));
}
