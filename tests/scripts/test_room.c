/* make T=ROOM: the tests of one room with only what they need. (It builds programs: not for
 * TSan.) */
#include <stdlib.h>
#include <string.h>

#include "support/program.h"
#include "support/test.h"

/* A make without the options of the make that runs this test. */
#define MAKE "env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u BUILD make "

TEST(a_room_is_tested_with_what_it_needs)
{
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

TEST(a_room_without_tests_is_told)
{
    struct program p;
    program_run(&p, MAKE "T=nothing/here 2>&1");
    assert_int_equal(p.status, 2);
    program_sees(&p, "make T=nothing/here: there are no tests in tests/nothing/here");
    program_free(&p);
}

TEST(rooms_of_commands_build_rooftop)
{
    struct program p;
    program_run(&p, "MAKE=echo TEST_TIMEOUT=1 scripts/room.sh cli/capture 2>&1");
    program_sees(&p, "all build/release/tests/cli/capture/test_capture_report\n");
    program_free(&p);
}
