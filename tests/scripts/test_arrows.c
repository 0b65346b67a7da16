/* scripts/arrows.sh on small trees: what may include what. Forks: not for TSan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/compiled.h"
#include "support/program.h"
#include "support/test.h"

static int begin(void **state)
{
    (void)state;
    compiled_new();
    setenv("D", compiled_dir(), 1);
    return !compiled_shell("mkdir -p scripts src/base src/low src/high");
}

static int end(void **state)
{
    (void)state;
    compiled_free();
    return 0;
}

static void file(const char *path, const char *text)
{
    FILE *f = fopen(compiled_path(path), "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* Makes a tree in which all includes follow the table. */
static void good(void)
{
    assert_true(compiled_shell("rm -rf src/new"));
    file("scripts/arrows.txt", "# from the ground up\nbase:\nlow:\nhigh: low\nmain: high\n");
    file("src/base/list.h", "int list;\n");
    file("src/low/value.c", "#include <stdio.h>\n#include \"base/list.h\"\n");
    file("src/high/view.c", "#include \"low/value.h\"\n#include \"high/view.h\"\n");
    file("src/main.c", "#include \"high/view.h\"\n");
}

/* The script prints exactly that text and ends with status 1; "" means that it passes. */
static void arrows(const char *said)
{
    struct program p;
    program_run(&p, "scripts/arrows.sh $D");
    if (p.status != (*said ? 1 : 0) || strcmp(p.out, said) != 0)
        fail_msg("exit %d; not '%s':\n%s%s", p.status, said, p.out, p.err);
    program_free(&p);
}

TEST(includes_along_the_table_pass)
{
    good();
    arrows("");
}

TEST(a_wrong_include_is_told_with_its_line)
{
    good();
    file("src/low/value.c", "#include \"base/list.h\"\n\n#  include \"high/view.h\"\n");
    arrows("src/low/value.c:3: low may not include high/view.h (scripts/arrows.txt)\n");
}

TEST(a_room_without_a_line_is_told_once)
{
    good();
    file("src/low/value.c", "int v;\n");
    assert_true(compiled_shell("mkdir -p src/new && touch src/new/b.h && echo '//' >src/new/a.c"));
    arrows("src/new/a.c:1: the room new is not in scripts/arrows.txt\n");
}

TEST(an_arrow_that_nothing_uses_is_told)
{
    good();
    file("scripts/arrows.txt", "base:\nlow:\nhigh: low\nmain: low high\n");
    arrows("scripts/arrows.txt:4: nothing in main includes low: take the arrow away\n");
}

TEST(circles_must_be_on_purpose)
{
    good();
    file("src/low/value.c", "#include \"high/view.h\"\n");
    file("scripts/arrows.txt", "base:\nlow: high\nhigh: low\nmain: high\n");
    arrows("scripts/arrows.txt:2: low stands before high, which it includes\n");
    file("scripts/arrows.txt", "base:\nlow: high^\nhigh: low\nmain: high\n");
    arrows("");
}

TEST_MAIN(begin, end)
