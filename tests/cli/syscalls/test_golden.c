/* rooftop golden, as a user runs it. (Forks: not for TSan.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/program.h"

static char dir[] = "/tmp/rooftop-golden-XXXXXX";

static int begin(void **state)
{
    (void)state;
    if (!mkdtemp(dir))
        return -1;
    setenv("DIR", dir, 1);
    return 0;
}

static int end(void **state)
{
    struct program p;
    (void)state;
    program_run(&p, "rm -rf \"$DIR\"");
    program_free(&p);
    return 0;
}

static void expect(const char *shell, int status, const char *out, const char *err)
{
    struct program p;
    program_expect(&p, shell, status);
    program_sees(&p, out);
    if (!strstr(p.err, err))
        fail_msg("%s: \"%s\" is not in \"%s\"", shell, err, p.err);
    program_free(&p);
}

#define G  "$BIN golden "
#define IN " --folder $DIR/g "

/* Programs of several kinds do the same on every run, as their golden traces say. */
static void the_same_again(void **state)
{
    static const char *const commands[] = {
        "ls /etc/hosts",
        "sh -c 'echo a | cat | wc -c'",
        "sh -c 't=$(mktemp); echo x >$t; cat $t; rm $t'",
        "sh -c 'cp /etc/hosts $DIR/copy; rm $DIR/copy'",
        "sort -n /etc/hosts",
        "perl -e 'print 45'",
        "sh -c 'cd /etc; tar cf $DIR/a.tar hosts; rm $DIR/a.tar'",
        "grep -c . /etc/hosts",
    };
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char line[512];
        snprintf(line, sizeof line,
                 "rm -rf $DIR/g; " G "capture" IN "x -- %s >$DIR/out 2>&1 && " G "check" IN
                 "x && " G "check" IN "x",
                 commands[i]);
        expect(line, 0, "x: as before", "");
    }
}

static void another_output_is_noticed(void **state)
{
    (void)state;
    expect("echo one >$DIR/in; " G "capture" IN "cat -- cat $DIR/in && echo two >$DIR/in && " G
           "check" IN "cat",
           9, "- stdout: 4 bytes, sha256 ", "");
    expect(G "diff" IN "cat", 9, "- write(<stdout>, \"one\\n\", 4) = 4", "");
    expect("cp $DIR/g/cat.json $DIR/before; " G "check" IN "cat; cmp $DIR/g/cat.json $DIR/before",
           0, "", ""); /* check writes nothing */
    expect(G "accept" IN "cat", 0, "differences accepted", "");
    expect(G "check" IN "cat", 0, "cat: as before", "");
}

static void files_of_the_folder(void **state)
{
    (void)state;
    expect("rm -rf $DIR/g; " G "capture" IN "a -- true && ls $DIR/g", 0,
           "ANALYSIS.md\na.json\na_summary.txt", "");
    expect("tail -1 $DIR/g/a_summary.txt", 0, "total", "");
    expect("cat $DIR/g/ANALYSIS.md", 0, "| a | true | ", "");
    expect(G "capture" IN "a -- true", 7, "", "--force replaces");
    expect(G "capture --force" IN "a -- true", 0, "", "");
}

static void scenarios(void **state)
{
    (void)state;
    expect("rm -rf $DIR/g; mkdir $DIR/g; printf '[[scenario]]\nname = \"one\"\ncommand = "
           "[\"echo\", \"1\"]\n[[scenario]]\nname = \"two\"\ncommand = [\"date\", \"+%%N\"]\n"
           "level = \"order\"\n[[redact]]\npattern = \"[0-9]{9}.n\"\nwith = \"N\"\n"
           "[[redact]]\npattern = \"sha256 .*\"\nwith = \"\"\n' >$DIR/g/golden.toml; " G
           "capture --all" IN "&& " G "check --all" IN,
           0, "one: as before\ntwo: as before", "");
    expect(G "check" IN "one", 0, "one: as before", "");
    expect("printf '[[scenario]]\ncommand = [\"a\"]\n' >$DIR/bad.toml; " G
           "check --all --scenarios $DIR/bad.toml" IN,
           3, "", "bad.toml:1:1");
}

static void what_is_refused(void **state)
{
    (void)state;
    expect(G "check" IN "absent", 3, "", "absent.json");
    expect(G "check" IN "../x", 2, "", "a name has letters");
    expect(G "capture" IN "new", 2, "", "what to capture stands after --");
    expect(G "capture" IN "-- true", 2, "", "the name of one golden trace");
    expect("mkdir -p $DIR/g; echo '{' >$DIR/g/broken.json; " G "check" IN "broken", 3, "",
           "broken.json");
    expect(G "capture" IN "missing -- /none/such", 127, "", "/none/such");
    expect("test ! -e $DIR/g/missing.json", 0, "", "");
}

/* The published pairs of programs in two languages come out as their bytes say. */
static void programs_in_two_languages(void **state)
{
    static const struct {
        const char *name;
        int status;
    } pairs[] = {{"trivial_cli", 0},     {"git_clone", 0},      {"flag_parser", 0},
                 {"positional_args", 0}, {"config_manager", 9}, {"complex_cli", 9}};
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char line[256];
        snprintf(line, sizeof line,
                 G "compare tests/data/renacer/python/%s.json.gz tests/data/renacer/rust/%s.json",
                 pairs[i].name, pairs[i].name);
        expect(line, pairs[i].status, "the two", "");
    }
    expect(G "compare -- echo hi -- printf 'hi\\n'", 0, "the two have the same effects", "");
    expect(G "compare -- echo hi -- printf 'ho\\n'", 9, "the two differ in 1 places", "");
    expect(G "compare -- echo hi", 2, "", "a second command");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_again),      cmocka_unit_test(another_output_is_noticed),
        cmocka_unit_test(files_of_the_folder), cmocka_unit_test(scenarios),
        cmocka_unit_test(what_is_refused),     cmocka_unit_test(programs_in_two_languages),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
