/* scripts/statics.sh on small objects: which variables are told. Forks: not for TSan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/compiled.h"
#include "support/program.h"
#include "support/test.h"

FIXTURE_STATUS(begin)
{
    compiled_new();
    setenv("D", compiled_dir(), 1);
    return !compiled_shell("mkdir -p src/tui/views/list src/tui/widgets src/tui/overlays");
}

FIXTURE(end)
{
    compiled_free();
}

static void object(const char *path, const char *code)
{
    char command[256];
    compiled_write("one.c", code);
    snprintf(command, sizeof command, "cc -O0 -fPIE -fno-common -c -o %s one.c", path);
    assert_true(compiled_shell(command));
}

/* What it prints is exactly that, and then the status is 1; "" passes. */
static void statics(const char *said)
{
    struct program p;
    program_run(&p, "scripts/statics.sh $D");
    if (p.status != (*said ? 1 : 0) || strcmp(p.out, said) != 0)
        fail_msg("exit %d; not '%s':\n%s%s", p.status, said, p.out, p.err);
    program_free(&p);
}

/* Tables of pointers are relocated when a program starts, and cannot be written from then on. */
TEST(constants_and_locals_pass)
{
    object("src/tui/views/list/list.o",
           "static const char *const names[] = {\"a\", \"b\"};\n"
           "static const int widths[] = {1, 2};\n"
           "int list(int i) { int n = 1; return names[i][n] + widths[i]; }\n");
    object("src/tui/widgets/bar.o", "int bar(void) { return 1; }\n");
    statics("");
}

TEST(each_variable_is_told_with_its_file)
{
    object("src/tui/views/list/list.o",
           "static int shown;\nstatic const char *last = \"a\";\nint total = 1;\n"
           "int list(void) { static int most; return ++most + shown++ + *last++ + total; }\n");
    object("src/tui/widgets/bar.o",
           "static _Thread_local int drawn;\nint bar(void) { return ++drawn; }\n");
    statics("src/tui/views/list/list.c: last can be written: it belongs into the own struct of the "
            "view or overlay\n"
            "src/tui/views/list/list.c: most can be written: it belongs into the own struct of the "
            "view or overlay\n"
            "src/tui/views/list/list.c: shown can be written: it belongs into the own struct of "
            "the view or overlay\n"
            "src/tui/views/list/list.c: total can be written: it belongs into the own struct of "
            "the view or overlay\n"
            "src/tui/widgets/bar.c: drawn can be written: it belongs into the own struct of the "
            "view or overlay\n");
}

TEST(objects_that_are_missing_do_not_pass)
{
    assert_true(compiled_shell("rm src/tui/views/list/list.o src/tui/widgets/bar.o"));
    statics("scripts/statics.sh: nothing is built: make all\n");
}

TEST_MAIN(begin, end)
