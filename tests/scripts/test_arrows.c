/* scripts/arrows.sh on small trees: what may include and call what. Forks: not for TSan. */
#include <stdlib.h>
#include <string.h>

#include "support/compiled.h"
#include "support/program.h"
#include "support/test.h"

FIXTURE_STATUS(begin)
{
    compiled_new();
    setenv("D", compiled_dir(), 1);
    return !compiled_shell("mkdir -p scripts src/base src/low src/high");
}

FIXTURE(end)
{
    compiled_free();
}

/* Makes a tree in which all includes follow the table. */
static void good(void)
{
    assert_true(compiled_shell("rm -rf src/new"));
    compiled_write("scripts/arrows.txt",
                   "# from the ground up\nbase:\nlow:\nhigh: low\nmain: high\n");
    compiled_write("src/base/list.h", "int list;\n");
    compiled_write("src/low/value.c", "#include <stdio.h>\n#include \"base/list.h\"\n");
    compiled_write("src/high/view.c", "#include \"low/value.h\"\n#include \"high/view.h\"\n");
    compiled_write("src/main.c", "#include \"high/view.h\"\n");
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
    compiled_write("src/low/value.c", "#include \"base/list.h\"\n\n#  include \"high/view.h\"\n");
    arrows("src/low/value.c:3: low may not include high/view.h (scripts/arrows.txt)\n");
}

TEST(a_room_without_a_line_is_told_once)
{
    good();
    compiled_write("src/low/value.c", "int v;\n");
    assert_true(compiled_shell("mkdir -p src/new && touch src/new/b.h && echo '//' >src/new/a.c"));
    arrows("src/new/a.c:1: the room new is not in scripts/arrows.txt\n");
}

TEST(an_arrow_that_nothing_uses_is_told)
{
    good();
    compiled_write("scripts/arrows.txt", "base:\nlow:\nhigh: low\nmain: low high\n");
    arrows("scripts/arrows.txt:4: nothing in main includes low: take the arrow away\n");
}

TEST(circles_must_be_on_purpose)
{
    good();
    compiled_write("src/low/value.c", "#include \"high/view.h\"\n");
    compiled_write("scripts/arrows.txt", "base:\nlow: high\nhigh: low\nmain: high\n");
    arrows("scripts/arrows.txt:2: low stands before high, which it includes\n");
    compiled_write("scripts/arrows.txt", "base:\nlow: high^\nhigh: low\nmain: high\n");
    arrows("");
}

/* Compiles the sources of the tree, as make does. */
static void build(void)
{
    assert_true(compiled_shell("rm -rf build && for f in low/value high/view main; do "
                               "mkdir -p build/release/src/${f%/*} && "
                               "cc -c -o build/release/src/$f.o -Isrc src/$f.c || exit 1; done"));
}

/* A tree in which low declares what it calls itself, without an include. */
static void calling(const char *low, const char *high)
{
    good();
    compiled_write("src/low/value.h", "int read_value(void);\n");
    compiled_write("src/high/view.h", "int draw_view(void);\n");
    compiled_write("src/low/value.c", low);
    compiled_write("src/high/view.c", high);
    compiled_write("src/main.c", "#include \"high/view.h\"\n"
                                 "int read_value(void);\n"
                                 "int main(void)\n{\n    return draw_view() + read_value();\n}\n");
    build();
}

static const char reads[] = "int read_value(void)\n{\n    return 1;\n}\n";

TEST(calls_along_the_table_pass)
{
    calling(reads, "#include \"low/value.h\"\nint draw_view(void) { return read_value(); }\n");
    arrows("");
}

TEST(a_call_against_the_table_is_told)
{
    calling("int draw_view(void);\nint read_value(void) { return draw_view(); }\n",
            "#include \"low/value.h\"\nint draw_view(void) { return 2; }\n");
    arrows("src/low/value.o: low may not call draw_view() of high (scripts/arrows.txt)\n");
    compiled_write("scripts/arrows.txt", "base:\nlow: high^\nhigh: low\nmain: high\n");
    compiled_write("src/low/value.c", "#include \"high/view.h\"\n");
    arrows("");
}

/* Only a table that the file names is reached without an arrow. */
TEST(a_table_of_a_room_above_is_named)
{
    calling("extern int (*const views[])(void);\nint read_value(void) { return views[0](); }\n",
            "#include \"low/value.h\"\nint draw_view(void) { return 2; }\n"
            "int (*const views[])(void) = {draw_view};\n");
    arrows("src/low/value.o: low may not use views of high (scripts/arrows.txt)\n");
    compiled_write("scripts/arrows.txt", "@ views\nbase:\nlow:\nhigh: low\nmain: high\n");
    arrows("");
    compiled_write("scripts/arrows.txt", "@ other vie*\nbase:\nlow:\nhigh: low\nmain: high\n");
    arrows("");
    compiled_write("scripts/arrows.txt", "@ view\nbase:\nlow:\nhigh: low\nmain: high\n");
    arrows("src/low/value.o: low may not use views of high (scripts/arrows.txt)\n");
}

TEST(objects_without_a_source_do_not_count)
{
    calling("int draw_view(void);\nint read_value(void) { return draw_view(); }\n",
            "#include \"low/value.h\"\nint draw_view(void) { return 2; }\n");
    assert_true(compiled_shell("mv src/low/value.c src/low/other.c"));
    arrows("");
    assert_true(compiled_shell("rm -rf build src/low/other.c"));
}

TEST_MAIN(begin, end)
