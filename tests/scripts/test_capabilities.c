/* A capability is its rooms, a row and, with a view, a line: a tree without one holds together.
 * (It compiles: not for TSan.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/compiled.h"
#include "support/program.h"
#include "support/test.h"

#define CC "cc -std=c17 -D_GNU_SOURCE -DROOFTOP_VERSION='\"1\"' -Isrc -Iinclude "

/* A tree of links to this one's sources, and copies of what a capability is taken out of. */
FIXTURE_STATUS(begin)
{
    compiled_new();
    setenv("D", compiled_dir(), 1);
    return system(
        "cp -Rs \"$PWD/src\" \"$PWD/include\" $D/ && cp -R scripts docs $D/"); // NOLINT(cert-env33-c)
}

FIXTURE(end)
{
    compiled_free();
}

/* Takes it away as docs/HOWTO_ADD.md says: its rooms as the map names them, its row, its line, and
 * what scripts/arrows.txt says of the rooms. */
static void take_away(const char *word)
{
    setenv("WORD", word, 1);
    assert_true(
        compiled_shell("rooms=$(sed -n \"s/^| $WORD |[^|]*| \\([^|]*\\) |.*/\\1/p\" "
                       "docs/ARCHITECTURE.md | tr -d ,)\n"
                       "test \"$rooms\" || exit 1\n"
                       "for r in $rooms; do\n"
                       "    rm -r src/$r || exit 1\n"
                       "    sed -i \"\\#^$r:#d; s# $r\\( \\|\\$\\)#\\1#\" scripts/arrows.txt\n"
                       "done\n"
                       "sed -i \"/^CAPABILITY($WORD,/{:a;/))\\$/!{N;ba};d}\" src/capabilities.def\n"
                       "sed -i \"/views.$WORD/d\" src/tui/views/views.def"));
}

/* No file includes what is gone; what is made from the tables compiles, and names all others. */
static void holds_together(const char *gone)
{
    struct program p;
    program_run(&p, "scripts/arrows.sh $D");
    assert_string_equal(p.out, "");
    assert_int_equal(p.status, 0);
    program_free(&p);
    assert_true(compiled_shell("for f in src/cli/commands.c src/cli/options/*.c src/backends/*.c "
                               "src/tui/views/*.c src/tui/input/*.c; do " CC
                               "-fsyntax-only $f || exit 1; done"));
    program_run(&p, "cd $D && " CC "-E -P src/cli/commands.c | grep -o '&command_[a-z_]*'");
    assert_null(strstr(p.out, gone));
    assert_non_null(strstr(p.out, "&command_judge\n"));
    assert_non_null(strstr(p.out, "&command_events\n"));
    program_free(&p);
}

TEST(rooftop_without_the_lab)
{
    take_away("lab");
    holds_together("&command_lab");
}

TEST(rooftop_without_optimize_and_the_lab)
{
    take_away("optimize");
    holds_together("&command_optimize");
}

TEST_MAIN(begin, end)
