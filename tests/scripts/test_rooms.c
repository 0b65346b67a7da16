/* scripts/rooms.sh on small trees: what a room's README.md must say. Forks: not for TSan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/compiled.h"
#include "support/program.h"
#include "support/test.h"

#define MAP                                                                                        \
    "| rooms | what |\n|---|---|\n| base, low | `value()` |\n| high, main | [v](../src/v.h) "      \
    "`view_draw()` |\n"
#define LOW  "# low\n\nKnows values.\n\nBegin with `value.h`.\n"
#define HIGH "# high\n\nDraws.\n\nBegin with `view.c`,\nthen `low/value.h`.\n\nIt keeps nothing.\n"

FIXTURE_STATUS(begin)
{
    compiled_new();
    setenv("D", compiled_dir(), 1);
    return !compiled_shell("mkdir -p docs scripts src/base src/low src/high && touch src/main.c "
                           "src/base/list.h && echo 'int value(void);' >src/low/value.h && "
                           "echo 'static char *view_draw(void)' >src/high/view.c");
}

FIXTURE(end)
{
    compiled_free();
}

/* Makes a tree of four rooms that match their descriptions. */
static void good(void)
{
    compiled_write("scripts/arrows.txt",
                   "# from the ground up\nbase:\nlow:\nhigh: low\nmain: high\n");
    compiled_write("src/README.md", "# src\n\nThe table.\n\nBegin with `main.c`.\n");
    compiled_write("src/base/README.md", "# base\n\nLists.\n\nBegin with `src/base/list.h`.\n");
    compiled_write("src/low/README.md", LOW);
    compiled_write("src/high/README.md", HIGH);
    compiled_write("docs/ARCHITECTURE.md", MAP);
}

/* The script prints exactly that text and ends with status 1; "" means that it passes. */
static void rooms(const char *said)
{
    struct program p;
    program_run(&p, "scripts/rooms.sh $D");
    if (p.status != (*said ? 1 : 0) || strcmp(p.out, said) != 0)
        fail_msg("exit %d; not '%s':\n%s%s", p.status, said, p.out, p.err);
    program_free(&p);
}

TEST(rooms_that_are_described_pass)
{
    good();
    rooms("");
}

TEST(a_room_without_a_readme_is_told)
{
    good();
    assert_int_equal(remove(compiled_path("src/low/README.md")), 0);
    rooms("src/low/README.md: missing: it says what the room knows and where to begin reading\n");
}

TEST(a_file_that_does_not_exist_is_told)
{
    good();
    compiled_write("src/low/README.md",
                   "# low\n\nA.\n\nBegin with `value.h`, `gone.h` and `old/`; not `f()`.\n");
    rooms("src/low/README.md: names gone.h, which does not exist\n"
          "src/low/README.md: names old/, which does not exist\n");
}

TEST(a_capability_that_the_map_lacks_is_told)
{
    good();
    compiled_write("src/capabilities.def",
                   "#define CAPABILITY(word, parts) parts\nCAPABILITY(weave, "
                   "COMMAND(weave))\nCAPABILITY(high, SOURCE(high))\n");
    compiled_write("docs/ARCHITECTURE.md",
                   MAP "\n| capability | what |\n|---|---|\n| high | draws |\n");
    rooms("docs/ARCHITECTURE.md: its table lacks the capability weave\n");
    assert_int_equal(remove(compiled_path("src/capabilities.def")), 0);
}

TEST(a_readme_is_short_but_not_empty)
{
    good();
    compiled_write("src/low/README.md", "# low\n\nA.\n\n");
    compiled_write("src/high/README.md", HIGH "\n\n\n\n\n\n");
    rooms("src/low/README.md: 4 lines, not 5 to 13\nsrc/high/README.md: 14 lines, not 5 to 13\n");
}

TEST(a_room_or_function_that_the_map_has_wrong_is_told)
{
    good();
    compiled_write("docs/ARCHITECTURE.md",
                   "| high, main | low, `values()` `draw()` |\n| low | words |\n");
    rooms("docs/ARCHITECTURE.md: its tables lack the room base\n"
          "docs/ARCHITECTURE.md: names draw(), which src/ does not define\n"
          "docs/ARCHITECTURE.md: names values(), which src/ does not define\n");
}

TEST_MAIN(begin, end)
