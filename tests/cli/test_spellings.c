/*
 * Commands had other names once. Each old name and its new spelling must print the same, on both
 * streams, and end alike: for --help, and for one real input.
 */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/command.h"
#include "support/program.h"
#include "support/test.h"

static void expect_same(const char *old, const char *new, const char *args)
{
    struct program a, b;
    char line[1024];
    snprintf(line, sizeof line, "$BIN %s %s", old, args);
    program_run(&a, line);
    snprintf(line, sizeof line, "$BIN %s %s", new, args);
    program_run(&b, line);
    if (a.status != b.status || strcmp(a.out, b.out) != 0 || strcmp(a.err, b.err) != 0)
        fail_msg("'%s %s' ended with %d: %s%s\n'%s %s' ended with %d: %s%s", old, args, a.status,
                 a.out, a.err, new, args, b.status, b.out, b.err);
    if (a.out_len + a.err_len == 0)
        fail_msg("'%s %s' printed nothing", old, args);
    program_free(&a);
    program_free(&b);
}

TEST(help_is_the_same)
{
    for (size_t i = 1; commands[i]; i++)
        expect_same(commands[i]->name, command_words(commands[i]), "--help");
}

#define TRACE "tests/data/path/streams.json"

/* For each old name, an input whose answer does not depend on the moment. */
static const struct {
    const char *old, *args;
} inputs[] = {
    {"record", "-o /nowhere/x.rec --frames 1"},
    {"compare", TRACE " " TRACE},
    {"bench", "--no-store --runs 1 -- /nowhere/program"},
    {"history", "--db $D/none.db"},
    {"history compare", "--db $D/none.db sort"},
    {"tree", TRACE},
    {"path", TRACE},
    {"roofline", TRACE},
    {"timeline", TRACE},
    {"bricks", TRACE},
    {"kernels", TRACE},
    {"report", TRACE},
    {"steps", "--range stream " TRACE},
    {"att", "tests/data/att/ui_output_agent_2_dispatch_1"},
    {"code", "tests/data/rocpd/synthetic_schema3.db"},
    {"code-object", "$(ls tests/data/gpu/hsaco/*.hsaco | head -1)"},
    {"profile", "--dry-run -o $D/profile -- true"},
    {"trace", "--by nothing -- true"},
    {"assert", "/nowhere/budgets.toml -- true"},
    {"golden capture", "--folder $D/golden"},
    {"golden check", "--folder $D/golden sort"},
    {"golden diff", "--folder $D/golden sort"},
    {"golden accept", "--folder $D/golden sort"},
    {"golden compare", TRACE " /nowhere/b.json"},
    {"replay", ""},
    {"replay reserve-check", "--capture-dir tests/data/capture"},
    {"replay full-vm", "--capture-dir /nowhere"},
    {"replay compare", "--capture-dir /nowhere a.hsaco"},
    {"replay edit", "--capture-dir /nowhere --source x.hip --build true"},
    {"reproduce", "--capture-dir /nowhere -o $D/made"},
    {"capture", "--kernel gemm"},
    {"export", TRACE},
    {"otlp", "--dry-run --otlp-spool $D/spool"},
    {"judge", "--harness /nowhere/x.toml --baseline a.c --candidate b.c"},
    {"optimize", "/nowhere/x.c --run true"},
    {"lab", ""},
    {"lab validate", "--templates none"},
    {"lab roofs", "--format nothing"},
    {"lab ports", "/nowhere/program"},
    {"events", "cache"},
    {"usdt", "/nowhere/program"},
    {"ranks", "/nowhere/trace.json"},
    {"doctor", "--format nothing"},
    {"help", "trace"},
};

TEST(answers_are_the_same)
{
    char folder[] = "/tmp/rooftop-spellings-XXXXXX";
    assert_non_null(mkdtemp(folder));
    setenv("D", folder, 1);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        const struct command *c = command_named(inputs[i].old);
        assert_non_null(c);
        expect_same(inputs[i].old, command_words(c), inputs[i].args);
    }
    program_answers("rm -r $D", 0, "", "");
}

/* Every name that differs from its spelling has an input above. */
TEST(each_name_has_an_input)
{
    for (size_t i = 1; commands[i]; i++) {
        size_t k = 0;
        while (k < sizeof inputs / sizeof *inputs && strcmp(inputs[k].old, commands[i]->name) != 0)
            k++;
        if (k == sizeof inputs / sizeof *inputs &&
            strcmp(commands[i]->name, command_words(commands[i])) != 0)
            fail_msg("no input for '%s'", commands[i]->name);
    }
}

/* The words may stand in the order in which one thinks of them. */
TEST(files_may_stand_first)
{
    expect_same("path " TRACE, "report " TRACE " path", "--format json");
    expect_same("path " TRACE, TRACE " report path", "--format json");
    expect_same("report " TRACE, TRACE " report", "");
    expect_same("bench", "compare", "--no-store -- /nowhere/a -- /nowhere/a");
    expect_same("bench", "compare", "--no-store --runs x -- true");
}

/* No list shows an old name. */
TEST(lists_show_new_names)
{
    static const char *const lists[] = {"--help", "-h", "--generate bash", "--generate fish"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct program p;
        char line[64];
        snprintf(line, sizeof line, "$BIN %s", lists[i]);
        program_expect(&p, line, 0);
        program_sees(&p, "compare");
        program_lacks(&p, "rooftop kernels");
        program_lacks(&p, "code-object");
        program_lacks(&p, "assert");
        program_free(&p);
    }
}

/* --- what rooftop says --- */

/* A format and two records are called as the commands were once; the page of names has all. */
static const struct {
    const char *file, *text;
} kept[] = {
    {"docs/COMMANDS.md", ""},
    {"docs/CAPTURE.md", "rooftop capture `, `1`"},
    {"docs/CAPTURE.md", "rooftop capture 1`"},
    {"src/format/capture.h", "rooftop capture "},
    {"src/engine/bench/replays.c", "rooftop replay , .list"},
};

static bool is_kept(const char *file, const char *at)
{
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (strcmp(kept[i].file, file) == 0 && strncmp(at, kept[i].text, strlen(kept[i].text)) == 0)
            return true;
    return false;
}

/* Whether the text begins with the name, and the name ends there: "golden" in "golden|check". */
static bool begins_with_name(const char *text, const char *name)
{
    const size_t n = strlen(name);
    if (strncmp(text, name, n) != 0)
        return false;
    const bool file = text[n] == '.' && text[n + 1] >= 'a' && text[n + 1] <= 'z';
    return !file && !strchr("abcdefghijklmnopqrstuvwxyz-_", text[n]);
}

/* Counts, and prints, where the text, one line without quotes, shows a command by an old name. */
static size_t count_old_names(const char *file, const char *text)
{
    static const char program[] = "rooftop ";
    size_t found = 0;
    for (const char *p = text; (p = strstr(p, program)); p++)
        for (size_t i = 1; commands[i]; i++) {
            const char *name = commands[i]->name, *words = command_words(commands[i]);
            const bool old = strcmp(name, words) != 0 || strcmp(name, "golden") == 0;
            if (!old || !begins_with_name(p + sizeof program - 1, name) || is_kept(file, p))
                continue;
            print_error("%s shows 'rooftop %s', which is typed 'rooftop %s': %.60s\n", file, name,
                        words, p);
            found++;
        }
    return found;
}

/* Makes one line of it: breaks, quotes and the stars of comments become one blank. */
static void join_lines(char *text)
{
    char *out = text;
    for (const char *p = text; *p; p++) {
        const char c = strchr(" \n\"*", *p) ? ' ' : *p;
        if (c != ' ' || (out > text && out[-1] != ' '))
            *out++ = c;
    }
    *out = '\0';
}

static size_t old_names;

static int look_at_file(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)where;
    const char *dot = type == FTW_F ? strrchr(path, '.') : NULL;
    static const char *const endings[] = {".c", ".h", ".def", ".md", ".json", ".inc"};
    bool wanted = false;
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        wanted |= strcmp(dot, endings[i]) == 0;
    FILE *f = wanted ? fopen(path, "r") : NULL;
    if (!f)
        return 0;
    char *text = calloc(1, (size_t)st->st_size + 1);
    assert_int_equal(fread(text, 1, (size_t)st->st_size, f), st->st_size);
    fclose(f);
    join_lines(text);
    old_names += count_old_names(path, text);
    free(text);
    return 0;
}

/* Sources (their texts and comments), documents and the manual show commands as they are typed. */
TEST(texts_show_new_names)
{
    static const char *const folders[] = {"src", "docs", "include", "examples", "README.md"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_int_equal(nftw(folders[i], look_at_file, 16, FTW_PHYS), 0);
    assert_int_equal(old_names, 0);
}

TEST(a_typing_error_is_answered_with_new_names)
{
    program_answers("$BIN report " TRACE " kernles", 2, "", "did you mean 'kernels'?");
    program_answers("$BIN report " TRACE " path kernels", 2, "",
                    "report path is another command: choose one");
    program_answers("$BIN report tests/data/path/streems.json", 3, "",
                    "did you mean tests/data/path/streams.json?");
    program_answers("$BIN report nowhere ranks", 3, "", "nowhere: No such file");
    program_answers("$BIN version x", 2, "", "version takes no word");
    program_answers("cp $BIN /tmp/rooftop-no-file.$$ && cd /tmp && $BIN rooftop-no-file.$$; "
                    "s=$?; rm /tmp/rooftop-no-file.$$; exit $s",
                    3, "", "it is a program or a library; to run it: rooftop -- FILE");
    program_answers("$BIN compare runz", 2, "", "did you mean 'runs'?");
    program_answers("$BIN help kernles", 2, "", "did you mean 'report kernels'?");
    program_answers("$BIN help report kernles", 2, "", "did you mean 'kernels'?");
    program_answers("$BIN trace --assert x -- true", 2, "", "it is a command: rooftop check");
    program_answers("$BIN kernel", 2, "", "did you mean 'report kernels'?");
    program_answers("$BIN gpu replay fullvm", 2, "", "did you mean 'full-vm'?");
    program_answers("$BIN gpu", 2, "", "one of profile, capture, replay, reproduce, code must");
    program_answers("$BIN gold", 2, "", "did you mean 'check golden'?");
    program_answers("$BIN histry", 2, "", "did you mean 'compare history'?");
    program_answers("$BIN doctor evnts", 2, "", "did you mean 'events'?");
    program_answers("$BIN kernels --verify", 2, "", "see rooftop report kernels --help");
}

/* An ambiguous start is refused with all that begin so; help takes starts, too. */
TEST(a_start_is_a_noun_or_names_them)
{
    program_answers("$BIN re", 2, "", "several commands begin so: record, report");
    program_answers("$BIN c -- true", 2, "", "several commands begin so: compare, check");
    program_answers("$BIN c tests/data/path/streams.json", 2, "", "compare, check");
    program_answers("$BIN help re", 2, "", "several commands begin so: record, report");
    program_answers("$BIN cod", 2, "", "did you mean 'gpu code'?");
    expect_same("compare", "co", "/nowhere/a /nowhere/b");
    expect_same("report", "rep", TRACE " path");
    expect_same("help compare", "h co", "");
    expect_same("doctor", "d", "--help");
    expect_same("doctor --help", "help d", "");
    expect_same("trace", "t", "--by nothing -- true");
    program_answers("cd $(mktemp -d) && touch d && $BIN d --help; rm d; rmdir $PWD", 0,
                    "what can be measured here",
                    "d means rooftop doctor; the file of that name is ./d\n");
}

/* A program needs no "--" before it, and keeps its options. */
TEST(a_program_is_started)
{
    program_answers("$BIN --headless /bin/sh -c 'echo $0 >&2; exit 7' report", 7, "", "report");
}

/* What other tools take is understood; what is missing is named. */
TEST(habits_of_other_tools_are_understood)
{
    program_answers("$BIN compare bench --no-store --runs 3 'exit 0' 'true; exit 0'", 0,
                    "true; exit 0", "");
    program_answers("$BIN bench --no-store --runs 3 true", 0, "true", "");
    program_answers("$BIN bench --no-store a b c", 2, "", "a third command");
    program_answers("$BIN compare bench ''", 2, "", "line 1 has no command");
    program_answers("$BIN compare --no-store --runs 3 'sort LICENSE' 'sort -r LICENSE'", 0,
                    "sort -r LICENSE", "");
    program_answers("$BIN compare --no-store --runs 3 'sleep 0' /usr/bin/true", 0, "/usr/bin/true",
                    "");
    program_answers("$BIN compare 'sort LICENSE' LICENSE", 3, "", "sort LICENSE");
    program_answers("$BIN compare 'sort a' 'no-such-program b'", 2, "",
                    "rooftop compare bench 'LINE' 'LINE'");
}

/* --- "-" is a standard stream --- */

TEST(standard_input_is_a_file)
{
    expect_same("report -", "report /dev/stdin", "<" TRACE);
    program_answers("cat " TRACE " | $BIN report - kernels --format csv", 0, "gemm", "");
    program_answers("cat " TRACE " | $BIN compare " TRACE " - --format json", 0, "/dev/stdin", "");
    program_answers("printf 'main;leaf 5\\nmain 7\\n' | $BIN report -", 0, "12 samples", "");
    program_answers("$BIN report - </dev/null", 3, "", "nothing came from it");
    program_answers("$BIN compare - - <" TRACE, 2, "", "standard input can be read only once");
    program_answers(
        "$BIN report tests/data/rocpd/synthetic_schema3.db kernels --format csv >/dev/null"
        "&& $BIN report - <tests/data/rocpd/synthetic_schema3.db",
        0, "MI300X", "");
    program_answers("cat tests/data/rocpd/synthetic_schema3.db | $BIN report -", 0, "MI300X", "");
    /* its first bytes come alone; nothing is left of the copy */
    program_answers("d=$(mktemp -d) && (printf SQL; tail -c +4 "
                    "tests/data/rocpd/synthetic_schema3.db) | TMPDIR=$d $BIN report - >/dev/null "
                    "&& rmdir $d && echo 'no copy is left'",
                    0, "no copy is left", "");
    program_answers("cat tests/data/rocpd/synthetic_schema3.db | (exec 63<&0 </dev/null; $BIN "
                    "report /dev/fd/63)",
                    0, "/dev/fd/63", "");
    program_answers("(printf 'SQLite format 3'; head -c 999 /dev/zero) | $BIN report -", 3, "",
                    "/dev/stdin");
    program_answers("cat renacer.toml | $BIN check - --format json -- true", 0, "few_reads", "");
    program_answers("echo | script -qec \"$BIN report -\" /dev/null", 2,
                    "standard input is a terminal", "");
    program_answers("$BIN report ''", 2, "", "a file has no name");
}

/* The copy of a pipe has no name, so that even KILL leaves nothing of it. */
TEST(no_signal_leaves_the_copy_of_a_pipe)
{
    program_answers(
        "d=$(mktemp -d); mkdir $d/t; mkfifo $d/p; TMPDIR=$d/t $BIN report - <$d/p & p=$!; exec "
        "3>$d/p; head -c 4096 tests/data/rocpd/synthetic_schema3.db >&3; n=0; until ls -l "
        "/proc/$p/fd | grep -q 'standard_input.*deleted' || [ $n -ge 1200 ]; do n=$((n + 1)); "
        "sleep 0.05; done; kill -KILL $p; wait $p; echo status $?; ls $d/t; rm -r $d/p; rm -r "
        "$d/t/* 2>/dev/null && echo a copy is left; rmdir $d/t && [ $n -lt 1200 ] && echo it was "
        "removed",
        0, "status 137\nit was removed\n", "");
}

/* What was read through a pipe is not there for a next command. */
TEST(a_next_command_names_no_pipe)
{
    static const char *const lines[] = {
        "cat tests/data/rocpd/synthetic_schema3.db | $BIN report --brief -",
        "cat tests/data/rocpd/synthetic_schema3.db | $BIN report path --brief --format json -",
        "cat tests/data/rocpd/synthetic_schema3.db | (exec 63<&0 </dev/null; $BIN report --brief "
        "/dev/fd/63)",
        "d=$(mktemp -d); mkfifo $d/p; cat tests/data/rocpd/synthetic_schema3.db >$d/p & $BIN "
        "report --brief $d/p; s=$?; rm -r $d; exit $s"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct program p;
        program_expect(&p, lines[i], 0);
        program_lacks(&p, "next: rooftop");
        program_lacks(&p, "\"rooftop report timeline");
        program_lacks(&p, "standard_input");
        program_free(&p);
    }
}

TEST(standard_output_is_a_file)
{
    expect_same("export " TRACE, "export -o - " TRACE, "");
    expect_same("report " TRACE, "report -o- " TRACE, "");
    program_answers("$BIN trace -o - -- true 2>/dev/null", 0, "execve(", "");
    program_answers("$BIN --frames 1 --format json -o -", 0, "\"schema\"", "");
    program_answers("$BIN record -o -", 2, "", "cannot be a stream");
    program_answers("$BIN gpu profile -o - -- true", 2, "", "a folder cannot be a stream");
    program_answers("$BIN compare history --db -", 2, "", "a database cannot be a stream");
}

TEST_MAIN(NULL, NULL)
