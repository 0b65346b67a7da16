/* How commands are typed: new words, old names, files before the words, programs without "--". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/options/command.h"
#include "support/test.h"

/* The name of the command of a line, whose words are separated by blanks. */
static const char *command_of(const char *text, struct command_found *found)
{
    static char line[256];
    char *argv[32], *rest = line;
    int argc = 0;
    snprintf(line, sizeof line, "%s", text);
    while (argc < 31 && (argv[argc] = strtok_r(rest, " ", &rest)))
        argc++;
    argv[argc] = NULL;
    command_line_find(argc, argv, found);
    return found->command->name;
}

static void expect_command(const char *line, const char *name)
{
    struct command_found found;
    const char *is = command_of(line, &found);
    if (strcmp(is, name) != 0)
        fail_msg("%s: is '%s', not '%s'", line, is, name);
}

TEST(each_command_has_words_and_a_name)
{
    for (size_t i = 1; commands[i]; i++) {
        assert_ptr_equal(command_typed(commands[i]->name), commands[i]);
        assert_ptr_equal(command_typed(command_words(commands[i])), commands[i]);
        char line[128];
        snprintf(line, sizeof line, "rooftop %s --help", command_words(commands[i]));
        expect_command(line, commands[i]->name);
        snprintf(line, sizeof line, "rooftop %s --help", commands[i]->name);
        expect_command(line, commands[i]->name);
    }
}

/* What is listed is a noun, or below one: lists are small enough to remember. */
TEST(all_is_below_a_noun)
{
    size_t nouns = 0;
    for (size_t i = 1; commands[i]; i++) {
        bool below = !command_is_listed(commands[i]);
        nouns += command_is_noun(commands[i]);
        for (size_t k = 1; commands[k]; k++)
            below |= command_is_noun(commands[k]) && command_is_below(commands[i], commands[k]);
        if (!below && !command_is_noun(commands[i]))
            fail_msg("'%s' is below no noun", command_words(commands[i]));
    }
    assert_true(nouns <= 12);
}

TEST(words_are_found)
{
    static const char *const lines[][2] = {
        {"rooftop", ""},
        {"rooftop report", "report"},
        {"rooftop report a.db", "report"},
        {"rooftop report a.db path", "path"},
        {"rooftop report path a.db", "path"},
        {"rooftop report --from 3ms a.db b.db --ascii kernels", "kernels"},
        {"rooftop a.db report", "report"},
        {"rooftop a.db report steps", "steps"},
        {"rooftop a.db kernels", "kernels"},
        {"rooftop kernels a.db path", "kernels"},
        {"rooftop report a.db waves", "att"},
        {"rooftop ./folder waves", "att"},
        {"rooftop waves ./folder", "att"},
        {"rooftop compare a.db b.db", "compare"},
        {"rooftop compare -- a -- b", "bench"},
        {"rooftop compare --runs 5 -- a", "bench"},
        {"rooftop compare a.db -- b", "compare"},
        {"rooftop compare bench -- a", "bench"},
        {"rooftop compare history", "history"},
        {"rooftop compare runs", "history compare"},
        {"rooftop history compare", "history compare"},
        {"rooftop check budgets.toml -- a", "assert"},
        {"rooftop check budgets budgets.toml", "assert"},
        {"rooftop check golden sort", "golden check"},
        {"rooftop check golden check sort", "golden check"},
        {"rooftop check golden capture sort -- a", "golden capture"},
        {"rooftop golden capture sort", "golden capture"},
        {"rooftop gpu code", "code"},
        {"rooftop gpu code object x.hsaco", "code-object"},
        {"rooftop gpu replay edit", "replay edit"},
        {"rooftop -d 3 gpu capture", "capture"},
        {"rooftop -- report", ""},
        {"rooftop report -- path", "report"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        expect_command(lines[i][0], lines[i][1]);
}

/* A file or folder that is called like a command hides none: ./path is the file. */
TEST(a_file_may_have_the_name_of_a_command)
{
    char folder[] = "/tmp/rooftop-words-XXXXXX", here[4096];
    assert_non_null(getcwd(here, sizeof here));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    fclose(fopen("path", "w"));
    mkdir("kernels", 0700);
    expect_command("rooftop report a.db path", "path");
    expect_command("rooftop report a.db kernels", "kernels");
    expect_command("rooftop report path", "path");
    expect_command("rooftop report ./path", "report");
    expect_command("rooftop report a.db ./path", "report");
    rmdir("kernels");
    unlink("path");
    assert_int_equal(chdir(here), 0);
    rmdir(folder);
}

/* The start of a noun is the noun, if it is no other's. */
TEST(a_noun_may_be_cut)
{
    for (size_t i = 1; commands[i]; i++) {
        const struct command *own = commands[i];
        const char *noun = command_words(own);
        for (size_t n = 1; command_is_noun(own) && n < strlen(noun); n++) {
            char line[64], start[32];
            size_t others = 0;
            snprintf(start, sizeof start, "%.*s", (int)n, noun);
            snprintf(line, sizeof line, "rooftop %s", start);
            for (size_t k = 1; commands[k]; k++)
                others += k != i && command_is_noun(commands[k]) &&
                          strncmp(command_words(commands[k]), start, n) == 0;
            expect_command(line, others ? "" : own->name);
        }
    }
    expect_command("rooftop co ./a ./b", "compare");
    expect_command("rooftop co -- a -- b", "bench");
    expect_command("rooftop co history", "history");
    expect_command("rooftop t -p 4711", "trace");
    expect_command("rooftop --ascii rep a.db kernels", "kernels");
    expect_command("rooftop a.db rep kernels", "kernels");
    expect_command("rooftop g code object x.hsaco", "code-object");
    expect_command("rooftop -- t", "");
}

/* Old names are understood whole only: "tr" is trace, though "tree" begins so, and "ker" nothing.
 */
TEST(old_names_are_not_cut)
{
    expect_command("rooftop tr", "trace");
    expect_command("rooftop tree", "tree");
    expect_command("rooftop ker", "");
    expect_command("rooftop h", "help");
    expect_command("rooftop history", "history");
    expect_command("rooftop o", "optimize");
    expect_command("rooftop otlp", "otlp");
    expect_command("rooftop code", "code");
    expect_command("rooftop cod", "");
    expect_command("rooftop report ker", "report");
}

/* Which files are here changes nothing, but ./co is the file. The value of an option that needs
 * none is no start. */
TEST(a_start_comes_before_a_file)
{
    char folder[] = "/tmp/rooftop-words-XXXXXX", here[4096];
    struct command_found found;
    assert_non_null(getcwd(here, sizeof here));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    fclose(fopen("co", "w"));
    expect_command("rooftop co", "compare");
    command_of("rooftop co", &found);
    assert_non_null(found.hidden);
    expect_command("rooftop compare co co", "compare");
    expect_command("rooftop ./co", "");
    expect_command("rooftop ./co report", "report");
    command_of("rooftop ./co report", &found);
    assert_int_equal(found.words[0], 2);
    assert_null(found.hidden);
    unlink("co");
    expect_command("rooftop co", "compare");
    command_of("rooftop co", &found);
    assert_null(found.hidden);
    expect_command("rooftop --syscalls t -- a", "");
    expect_command("rooftop tree --syscalls t a.db", "tree");
    expect_command("rooftop --filter t", "");
    assert_int_equal(chdir(here), 0);
    rmdir(folder);
}

/* --calls and --source take a value in one command, and none in another one. */
TEST(the_command_says_which_options_have_values)
{
    expect_command("rooftop --calls report a.json tree", "tree");
    expect_command("rooftop --calls read trace", "trace");
    expect_command("rooftop --source trace", "trace");
    expect_command("rooftop --source k.hip gpu replay edit", "replay edit");
    expect_command("rooftop --from 3ms report a.db", "report");
}

TEST(a_command_may_be_typed_as_an_option)
{
    struct command_found found;
    expect_command("rooftop --assert budgets.toml -- a", "assert");
    expect_command("rooftop --doctor", "doctor");
    expect_command("rooftop --report path a.db", ""); /* an option of gpu profile */
    command_of("rooftop --assert budgets.toml", &found);
    assert_int_equal(found.words[0], 1);
}

TEST(a_program_needs_no_dashes)
{
    char name[] = "/tmp/rooftop-program-XXXXXX", line[128];
    struct command_found found;
    FILE *f = fdopen(mkstemp(name), "w");
    fputs("#!/bin/sh\nexit 3\n", f);
    fclose(f);
    snprintf(line, sizeof line, "rooftop -d 2 %s report", name);
    assert_string_equal(command_of(line, &found), "report");
    assert_int_equal(found.program, 0); /* it may not be executed: a file */
    chmod(name, 0700);
    assert_string_equal(command_of(line, &found), "");
    assert_int_equal(found.program, 3);
    snprintf(line, sizeof line, "rooftop a.db %s", name);
    command_of(line, &found);
    assert_int_equal(found.program, 0); /* one of several files */
    unlink(name);
    command_of("rooftop /bin/true x", &found);
    assert_int_equal(found.program, 1);
}

TEST_MAIN(NULL, NULL)
