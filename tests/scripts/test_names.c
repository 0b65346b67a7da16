/*
 * scripts/names.sh on small trees: which names of functions and which choices it refuses.
 * Forks: not for TSan.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/compiled.h"
#include "support/program.h"
#include "support/test.h"

FIXTURE_STATUS(begin)
{
    compiled_new();
    setenv("D", compiled_dir(), 1);
    return !compiled_shell("mkdir -p src/low src/high");
}

FIXTURE(end)
{
    compiled_free();
}

static void write_source(const char *file, const char *text)
{
    FILE *f = fopen(compiled_path(file), "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* Runs the script on a tree with src/low/a.c of this text, and a src/high/b.c. Expects that it
 * prints `said` and ends with 1; with NULL, that it prints nothing and ends with 0. */
static void names_of(const char *text, const char *said)
{
    struct program p;
    write_source("src/low/a.c", text);
    write_source("src/high/b.c", "static int find_cow(int n)\n{\n    return n;\n}\n"
                                 "int milk_cow(void)\n{\n    return find_cow(1);\n}\n");
    program_run(&p, "scripts/names.sh $D");
    if (p.status != (said ? 1 : 0) || strcmp(p.out, said ? said : "") != 0)
        fail_msg("'%s': exit %d:\n%s%s", text, p.status, p.out, p.err);
    program_free(&p);
}

TEST(bare_words_and_names_of_other_files_are_refused)
{
    names_of("/* Its\n * head. */\nstatic int cow(void)\n{\n    return 1;\n}\n"
             "int use_it(void)\n{\n    return cow();\n}\n",
             "src/low/a.c:3: cow() is one bare word\n");
    names_of("static int find_cow(void)\n{\n    return 1;\n}\nint a_use(void)\n{\n    return "
             "find_cow();\n}\n",
             "src/high/b.c:1: find_cow() is a function of another file, too\n"
             "src/low/a.c:1: find_cow() is a function of another file, too\n");
    names_of(
        "static __attribute__((noinline)) int cow(int a,\n    int b)\n{\n    return a + b;\n}\n"
        "int use_it(void)\n{\n    return cow(1, 2) + 1;\n}\n",
        "src/low/a.c:1: cow() is one bare word\n");
}

TEST(what_fills_a_table_may_be_called_as_its_member)
{
    names_of("static int draw(void)\n{\n    return 1;\n}\n"
             "const struct ops cow_ops = {.draw = draw, .end = 0};\n",
             NULL);
    names_of("static int draw(void)\n{\n    return 1;\n}\n"
             "int redraw(void)\n{\n    return draw();\n}\n"
             "const struct ops cow_ops = {.draw = draw};\n",
             "src/low/a.c:1: draw() is one bare word\n");
}

TEST(two_choices_in_one_expression_are_refused)
{
    names_of("int pick_one(int a)\n{\n    return a ? 1\n    : a > 3 ? 2 : 3;\n}\n",
             "src/low/a.c:4: two ?: in one expression\n");
    names_of("int pick_one(int a)\n{\n    return a ? call(1, 2) : call(a ? 3 : 4, 5);\n}\n",
             "src/low/a.c:3: two ?: in one expression\n");
    names_of("int pick_one(int a)\n{\n    return call(a ? 1 : 2, 3) + call(a ? 3 : 4, 5);\n}\n",
             NULL);
    names_of("int pick_one(int a)\n{\n    say(a ? 1 : 2, a ? 3 : 4); /* a ? b : c ? d : e */\n"
             "    return a ? '?' : \"a?b?c\"[0];\n}\n",
             NULL);
}

TEST(chains_of_statuses_are_refused)
{
    names_of("int do_both(int rc)\n{\n    rc = rc ? rc : do_it(1);\n"
             "    rc = rc || !rc ? rc : do_it(2);\n    return rc ? rc : do_it(3);\n}\n",
             "src/low/a.c:3: rc = rc ? ...: write if (rc == 0)\n"
             "src/low/a.c:4: rc = rc ? ...: write if (rc == 0)\n");
}

TEST_MAIN(begin, end)
