/* What became of spans is told whole: what was refused and what is lost, each with its reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/run/otlp_output.h"

static void test_both(void **state)
{
    (void)state;
    const struct delivery_report r = {.refused = 3,
                                      .rejected = 4,
                                      .lost = 5,
                                      .rejected_why = "it answers HTTP status 400",
                                      .lost_why = "the spool is full",
                                      .folder = "/spool"};
    struct error err = ERROR_INIT;
    assert_int_not_equal(otlp_report_error(&r, "http://h/v1/traces", &err), 0);
    assert_int_equal(err.kind, ERROR_OUTPUT);
    assert_string_equal(err.what, "http://h/v1/traces");
    assert_string_equal(err.why, "7 spans were refused: it answers HTTP status 400; "
                                 "5 spans are lost: the spool is full");
    assert_non_null(strstr(err.help, "--otlp-spool-size"));
}

static void test_one(void **state)
{
    (void)state;
    struct error err = ERROR_INIT;
    struct delivery_report r = {.rejected = 1};
    assert_int_not_equal(otlp_report_error(&r, "http://h", &err), 0);
    assert_string_equal(err.why, "1 span was refused");
    r = (struct delivery_report){.lost = 2, .lost_why = "no space left", .folder = "/spool"};
    assert_int_not_equal(otlp_report_error(&r, "http://h", &err), 0);
    assert_string_equal(err.what, "/spool");
    assert_string_equal(err.why, "2 spans are lost: no space left");
    r = (struct delivery_report){.taken = 9, .waiting = 9, .damaged = 1};
    assert_int_equal(otlp_report_error(&r, "http://h", &err), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_both), cmocka_unit_test(test_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
