/* The example that counts itself: with events that work everywhere, and with one that does not.
 * (Forks: not for TSan.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rooftop/counters.h"
#include "support/program.h"
#include "support/skip.h"
#include "support/test.h"

TEST(it_counts_or_says_why)
{
    struct program p;
    rooftop_counters *g = rooftop_counters_open("task-clock");
    char why[200];
    snprintf(why, sizeof why, "%s", rooftop_counters_why(g, 0));
    rooftop_counters_close(g);
    if (*why)
        skip_because("task-clock: %s", why);
    if (!program_rooftop())
        skip_because("the examples were not built");
    program_expect(
        &p, "${BUILD:-build/release}/examples/counters/counters task-clock,no-such-event", 0);
    unsigned long with = 0, without = 0;
    const char *row = strstr(p.out, "\nwith branches "), *next = strstr(p.out, "\nwithout ");
    assert_non_null(row);
    assert_non_null(next);
    assert_int_equal(sscanf(row, " with branches %lu n/a 100", &with), 1);
    assert_int_equal(sscanf(next, " without %lu n/a 100", &without), 1);
    assert_true(with > 0 && without > 0);
    assert_non_null(strstr(p.out, "\nno-such-event: no event has this name here\n"));
    program_free(&p);
}
