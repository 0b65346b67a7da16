/* Names of events become what librooftop takes: each answer is opened by librooftop itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends/command/brick_counters.h"
#include "rooftop/counters.h"

static char *resolved(const char *list)
{
    struct error err = ERROR_INIT;
    char *out = NULL;
    if (brick_counters_resolve(list, &out, &err) != 0)
        fail_msg("%s: %s %s", list, err.what, err.why);
    return out;
}

static void names_become_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *list, *expected;
    } rows[] = {
        {"page-faults", "page-faults=1:0x2:u"},
        {"page-faults:uk,task-clock", "page-faults=1:0x2:uk,task-clock=1:0x1:u"},
        {"context-switches,cpu-migrations", "context-switches=1:0x3:uk,cpu-migrations=1:0x4:uk"},
        {"context-switches:u", "context-switches=1:0x3:u"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *out = resolved(rows[i].list);
        assert_string_equal(out, rows[i].expected);
        free(out);
    }
}

/* librooftop understands every answer: none of its reasons is that it does not know the event. */
static void librooftop_understands_them(void **state)
{
    (void)state;
    char *out = resolved("cycles,instructions:u,,LLC-load-misses,r01c2,no-pmu/event=0x44,umask=1/,"
                         "minor-faults,alignment-faults");
    rooftop_counters *g = rooftop_counters_open(out);
    static const char *const names[] = {"cycles", "instructions", "LLC-load-misses", "r01c2"};
    assert_int_equal(rooftop_counters_n(g), 7);
    for (unsigned i = 0; i < 7; i++) {
        if (i < 4)
            assert_memory_equal(rooftop_counters_name(g, i), names[i], strlen(names[i]));
        assert_string_not_equal(rooftop_counters_why(g, i), "no event has this name here");
    }
    assert_non_null(strstr(rooftop_counters_name(g, 4), "no-pmu/event_0x44_umask_1/"));
    assert_true(*rooftop_counters_why(g, 4));
    rooftop_counters_close(g);
    free(out);
}

static void what_cannot_be_asked_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *list, *why;
    } rows[] = {
        {"cycels", "cycels: unknown event"},
        {"", "no event is named"},
        {",,", "no event is named"},
        {"faults,faults,faults,faults,faults,faults,faults,faults,faults", "at most eight"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error err = ERROR_INIT;
        char *out = NULL;
        assert_true(brick_counters_resolve(rows[i].list, &out, &err) < 0);
        assert_null(out);
        if (!strstr(err.why, rows[i].why))
            fail_msg("%s: \"%s\", not \"%s\"", rows[i].list, err.why, rows[i].why);
        assert_int_equal(err.kind, ERROR_USAGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_become_numbers),
        cmocka_unit_test(librooftop_understands_them),
        cmocka_unit_test(what_cannot_be_asked_is_refused),
    };
    return cmocka_run_group_tests_name("names of brick counters", tests, NULL, NULL);
}
