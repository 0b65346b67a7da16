/* make help: every target that the Makefile declares, and files that exist. Forks: not for TSan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/program.h"
#include "support/test.h"

static struct program help;

FIXTURE_STATUS(begin)
{
    program_run(&help, "make -s help");
    return help.status;
}

FIXTURE(end)
{
    program_free(&help);
}

/* Each target that .PHONY declares has a line in `make help`, except `all` (plain `make`), FORCE
 * and help itself. */
TEST(each_target_has_a_line)
{
    struct program p;
    size_t n = 0;
    char line[64], *next;
    program_run(&p, "sed -n 's/^\\.PHONY: //p' Makefile");
    for (char *name = strtok_r(p.out, " \n", &next); name; name = strtok_r(NULL, " \n", &next)) {
        if (strcmp(name, "all") == 0 || strcmp(name, "FORCE") == 0 || strcmp(name, "help") == 0)
            continue;
        snprintf(line, sizeof line, "    make %s ", name);
        if (!strstr(help.out, line))
            fail_msg("make help has no line '%s...':\n%s", line, help.out);
        n++;
    }
    program_free(&p);
    assert_true(n >= 20);
}

TEST(each_line_is_a_target)
{
    struct program p;
    char line[128], *at = help.out;
    while ((at = strstr(at, "\n    make "))) {
        at += strlen("\n    make ");
        size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz-");
        if (!length || at[length] != ' ')
            continue; /* plain `make`, and a file that can be built */
        snprintf(line, sizeof line, "grep -q '^%.*s:' Makefile", (int)length, at);
        program_run(&p, line);
        if (p.status != 0)
            fail_msg("make help has 'make %.*s', the Makefile has not", (int)length, at);
        program_free(&p);
    }
}

TEST(tests_and_goldens_that_it_names_exist)
{
    struct program p;
    program_run(&p, "make -s help | grep -o 'tests/[a-z_/]*' | sort -u | while read -r name; do "
                    "[ -e $name ] || [ -e $name.c ] || echo $name; done");
    assert_string_equal(p.out, "");
    program_free(&p);
    assert_non_null(strstr(help.out, "build/release/tests/"));
    assert_non_null(strstr(help.out, "UPDATE_GOLDEN=1"));
}

TEST_MAIN(begin, end)
