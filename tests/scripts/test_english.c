/*
 * scripts/english.sh on small trees: which sentences it refuses, and which it does not.
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
    return !compiled_shell(
        "mkdir -p docs src/low && echo Plain. >README.md && echo Plain. >src/low/README.md");
}

FIXTURE(end)
{
    compiled_free();
}

/* Runs the script on a tree with that file. Expects that it prints `said` and ends with 1; with
 * NULL, that it prints nothing and ends with 0. */
static void english_of(const char *file, const char *text, const char *said)
{
    struct program p;
    FILE *f = fopen(compiled_path(file), "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    program_run(&p, "scripts/english.sh $D");
    if (p.status != (said ? 1 : 0) || (said ? !strstr(p.out, said) : *p.out))
        fail_msg("'%s': exit %d:\n%s%s", text, p.status, p.out, p.err);
    program_free(&p);
    unlink(compiled_path(file));
}

static void english(const char *text, const char *said)
{
    english_of("docs/A.md", text, said);
}

TEST(riddles_are_told_with_their_line)
{
    english("Fine.\nIt frees what whoever made it keeps.\n", "docs/A.md:2: whoever: ");
    english("NULL: it is at everybody's place.\n", "docs/A.md:1: everybody's ");
    english("What is merely not there is no error.\n", "docs/A.md:1: What is merely");
    english("All processes that there are.\n", "docs/A.md:1: processes that there are.");
    english("Of a node that is there it tells the name.\n", "docs/A.md:1: Of a node that ");
}

TEST(plain_sentences_and_code_pass)
{
    english("We know that, there, are two. Of a kernel it shows the time. Anybody may read it.\n",
            NULL);
    english("    whoever  # a command\n```\nwhoever\n```\n", NULL);
}

TEST(text_after_code_is_read_again)
{
    english("```\ncode\n```\nwhoever\n", "docs/A.md:4: whoever");
}

TEST(comments_of_c_are_read)
{
    english_of("src/low/a.c", "int a; /* whoever asks */\n", "src/low/a.c:1: whoever: ");
    english_of("src/low/a.h", "/* Fine.\n * It is at\n * everybody's place. */\n",
               "src/low/a.h:3: everybody's ");
    english_of("src/low/a.c", "/* Of a node that is there, the name. */\n",
               "src/low/a.c:1: Of a node that ");
    english_of("src/low/a.c", "f(\"/*\"); // all that there are\n",
               "src/low/a.c:1: all that there are");
    english_of("src/low/a.c", "/* a */ int b; /* whoever\n */ int c;\n", "src/low/a.c:1: whoever");
}

TEST(code_and_quoted_texts_pass)
{
    english_of("src/low/a.c", "/* a */ int whoever; /* b */\n", NULL);
    english_of("src/low/a.c", "puts(\"whoever\"); puts(\"/* whoever */\");\n", NULL);
    english_of("src/low/a.c", "/* The name \"whoever\" is quoted. */\n", NULL);
    english_of("src/low/a.c", "    puts(\"a\\\"\"); /* A text ends. */ int whoever;\n", NULL);
}

TEST_MAIN(begin, end)
