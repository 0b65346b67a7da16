/* What is known of a profile as a whole. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/path_found.h"
#include "support/trace_text.h"

/* A host that is recorded, and devices of which no launch is known: nothing says that they waited
 * for it. */
static void without_launches_nothing_is_said_of_the_host(void **state)
{
    (void)state;
#define DEVICE(name, ts, more)                                                                     \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" ts        \
    ",\"dur\":10,\"args\":{\"device\":0" more "}},"
#define HOST(name, ts, more)                                                                       \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"" name "\",\"pid\":9,\"tid\":9,\"ts\":" ts  \
    ",\"dur\":80,\"args\":{" more "}},"
    for (int known = 0; known < 2; known++) {
        struct path_found f = {.t = {.calls = NULL}};
        trace_text_read(&f.t, known ? "{\"traceEvents\":[" HOST("f", "0", "\"correlation\":1")
                                          HOST("g", "100", "\"correlation\":2")
                                              DEVICE("k", "85", ",\"correlation\":1")
                                                  DEVICE("k", "185", ",\"correlation\":2") "{}]}"
                                    : "{\"traceEvents\":[" HOST("f", "0", "") HOST("g", "100", "")
                                          DEVICE("k", "85", "") DEVICE("k", "185", "") "{}]}");
        path_find(&f);
        assert_true(f.k.total.host);
        assert_int_equal(f.k.total.launches, known);
        assert_int_equal(isnan(f.k.total.facts.v[FACT_PATH_HOST]), !known);
        if (!known)
            assert_int_not_equal(f.k.total.label.label, LABEL_HOST);
        path_drop(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_launches_nothing_is_said_of_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
