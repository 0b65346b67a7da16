/* make T=ROOM: the tests of one room with only what they need. (It builds programs: not for
 * TSan.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/program.h"

/* A make without the options of the make that runs this test. */
#define MAKE "env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u BUILD make "

static void a_room_is_tested_with_what_it_needs(void **state)
{
    (void)state;
    struct program p;
    program_run(&p, MAKE "T=format 2>&1");
    if (p.status != 0)
        fail_msg("%s", p.out);
    const char *line = strstr(p.out, " sources of src and tests/support are needed\n");
    assert_non_null(line);
    while (line > p.out && line[-1] != '\n')
        line--;
    assert_in_range(strtol(line, NULL, 10), 2, 60);
    program_sees(&p, "tests/format/test_sum: ");
    program_sees(&p, " passed, 0 failed, 0 skipped");
    program_free(&p);
}

static void a_room_without_tests_is_told(void **state)
{
    (void)state;
    struct program p;
    program_run(&p, MAKE "T=nothing/here 2>&1");
    assert_int_equal(p.status, 2);
    program_sees(&p, "make T=nothing/here: there are no tests in tests/nothing/here");
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_room_is_tested_with_what_it_needs),
        cmocka_unit_test(a_room_without_tests_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
