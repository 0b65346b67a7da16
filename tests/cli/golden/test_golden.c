/* rooftop check golden, as a user runs it. (Forks: not for TSan.) */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/program.h"
#include "support/pty.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

#define G  "$BIN golden "
#define IN " --folder $D/g "

/* What a program did is the same by every mechanism. */
TEST(every_mechanism_tells_the_same)
{
    static const char *const commands[] = {
        "ls /etc/passwd",
        "sh -c 'echo a | cat | wc -c'",
        "sh -c 'cp /etc/passwd $D/copy; rm $D/copy'",
        "perl -e 'print 45; exec qw(sort /etc/passwd)'",
        "sh -c 'kill -USR1 $$'",
        "sh -c 'head -c 100000 /dev/zero >$D/zeros; wc -c $D/zeros; rm $D/zeros'",
    };
    char line[512];
    struct program p;
    program_run(&p, "$BIN trace --by bpf -o /dev/null -- true");
    const bool lacks = p.status != 0;
    program_free(&p);
    if (lacks)
        skip_because("BPF programs cannot be loaded here: rooftop doctor says what lacks");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        snprintf(line, sizeof line,
                 G "capture" IN "--by ptrace --level order m%zu -- %s; " G "check" IN
                   "--by ptrace m%zu && " G "check" IN "--by bpf m%zu && " G "capture" IN
                   "--by bpf --level order n%zu -- %s; " G "check" IN "--by ptrace n%zu",
                 i, commands[i], i, i, i, commands[i], i);
        program_answers(line, 0, "", "");
    }
}

/* Programs of several kinds do the same on every run, as their golden traces say. */
TEST(the_same_again)
{
    static const char *const commands[] = {
        "ls /etc/hosts",
        "sh -c 'echo a | cat | wc -c'",
        "sh -c 't=$(mktemp); echo x >$t; cat $t; rm $t'",
        "sh -c 'cp /etc/hosts $D/copy; rm $D/copy'",
        "sort -n /etc/hosts",
        "perl -e 'print 45'",
        "sh -c 'cd /etc; tar cf $D/a.tar hosts; rm $D/a.tar'",
        "grep -c . /etc/hosts",
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char line[512];
        snprintf(line, sizeof line,
                 "rm -rf $D/g; " G "capture" IN "x -- %s >$D/out 2>&1 && " G "check" IN "x && " G
                 "check" IN "x",
                 commands[i]);
        program_answers(line, 0, "x: as before", "");
    }
}

TEST(another_output_is_noticed)
{
    program_answers("echo one >$D/in; " G "capture" IN "cat -- cat $D/in && echo two >$D/in && " G
                    "check" IN "cat",
                    9, "- stdout: 4 bytes, sha256 ", "");
    program_answers(G "diff" IN "cat", 9, "- write(<stdout>, \"one\\n\", 4) = 4", "");
    program_answers("cp $D/g/cat.json $D/before; " G "check" IN "cat; cmp $D/g/cat.json $D/before",
                    0, "", ""); /* check writes nothing */
    program_answers(G "accept" IN "cat", 0, "differences accepted", "");
    program_answers(G "check" IN "cat", 0, "cat: as before", "");
}

TEST(files_of_the_folder)
{
    program_answers("rm -rf $D/g; " G "capture" IN "a -- true && ls $D/g", 0,
                    "ANALYSIS.md\na.json\na_summary.txt", "");
    program_answers("tail -1 $D/g/a_summary.txt", 0, "total", "");
    program_answers("cat $D/g/ANALYSIS.md", 0, "| a | true | ", "");
    program_answers(G "capture" IN "a -- true", 7, "", "--force replaces");
    program_answers(G "capture --force" IN "a -- true", 0, "", "");
}

/* A pipe in a command ends no cell: each row has as many cells as the head. */
TEST(the_page_is_a_table_whatever_the_command)
{
    program_answers("rm -rf $D/g; " G "capture" IN "p -- sh -c 'echo a | cat || true; : `:`' "
                    "&& grep '^| p |' $D/g/ANALYSIS.md",
                    0, "| sh -c echo a \\| cat \\|\\| true; : \\`:\\` |", "");
    program_answers("sed 's/\\\\.//g' $D/g/ANALYSIS.md | grep '^|' | tr -cd '|\n' | sort -u", 0,
                    "||||||\n", "");
}

/* What the program printed and what is said of it do not share a stream, unless both go elsewhere.
 */
TEST(the_verdict_is_alone_on_standard_output)
{
    program_answers("rm -rf $D/g; " G "capture" IN "two -- sh -c 'echo OUT; echo ERR >&2' "
                    "2>/dev/null; echo end",
                    0, "end\n", "");
    struct program p;
    program_run(&p, G "check" IN "two 2>$D/err");
    assert_string_equal(p.out, "two: as before\n");
    program_free(&p);
    program_answers("sort $D/err", 0, "ERR\nOUT\n", "");
    program_run(&p, G "check" IN "-o $D/verdict two 2>/dev/null");
    assert_string_equal(p.out, "OUT\n"); /* the verdict went to a file */
    program_free(&p);
    program_run(&p, G "compare" IN "-- echo x -- echo x 2>/dev/null");
    assert_string_equal(p.out, "the two have the same effects\n");
    program_free(&p);
}

TEST(scenarios)
{
    program_answers(
        "rm -rf $D/g; mkdir $D/g; printf '[[scenario]]\nname = \"one\"\ncommand = "
        "[\"echo\", \"1\"]\n[[scenario]]\nname = \"two\"\ncommand = [\"date\", \"+%%N\"]\n"
        "level = \"order\"\n[[redact]]\npattern = \"[0-9]{9}.n\"\nwith = \"N\"\n"
        "[[redact]]\npattern = \"sha256 .*\"\nwith = \"\"\n' >$D/g/golden.toml; " G
        "capture --all" IN "&& " G "check --all" IN,
        0, "one: as before\ntwo: as before", "");
    program_answers(G "check" IN "one", 0, "one: as before", "");
    program_answers("printf '[[scenario]]\ncommand = [\"a\"]\n' >$D/bad.toml; " G
                    "check --all --scenarios $D/bad.toml" IN,
                    3, "", "bad.toml:1:1");
}

TEST(what_is_refused)
{
    program_answers(G "check" IN "absent", 3, "", "absent.json");
    program_answers(G "check" IN "../x", 2, "", "a name has letters");
    program_answers(G "capture" IN "new", 2, "", "no command: give one after --");
    program_answers(G "capture" IN "-- true", 2, "", "the name of one golden trace");
    program_answers("mkdir -p $D/g; echo '{' >$D/g/broken.json; " G "check" IN "broken", 3, "",
                    "broken.json");
    program_answers(G "capture" IN "missing -- /none/such", 127, "", "/none/such");
    program_answers("test ! -e $D/g/missing.json", 0, "", "");
}

/* The published pairs of programs in two languages come out as their bytes say. */
TEST(programs_in_two_languages)
{
    static const struct {
        const char *name;
        int status;
    } pairs[] = {{"trivial_cli", 0},     {"git_clone", 0},      {"flag_parser", 0},
                 {"positional_args", 0}, {"config_manager", 9}, {"complex_cli", 9}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char line[256];
        snprintf(line, sizeof line,
                 G "compare tests/data/renacer/python/%s.json.gz tests/data/renacer/rust/%s.json",
                 pairs[i].name, pairs[i].name);
        program_answers(line, pairs[i].status, "the two", "");
    }
    program_answers(G "compare -- echo hi -- printf 'hi\\n'", 0, "the two have the same effects",
                    "");
    program_answers(G "compare -- echo hi -- printf 'ho\\n'", 9, "the two differ in 1 place\n", "");
    program_answers(G "compare -- echo hi", 2, "", "the second command is missing");
}

/* Two runs at capture show what is chance: sort's threads. What is not is still compared. */
TEST(what_differs_between_two_runs_is_free)
{
    static const struct {
        const char *line;
        int status;
        const char *out, *err;
    } cases[] = {
        {"seq 200000 | sort -R >$D/many; cd $D; " G "capture" IN
         "--runs 6 many -- sort --parallel=2 -n many >/dev/null; " G "check" IN "many | grep many:",
         0, "many: as before", ""},
        {"echo 0 >>$D/many; cd $D; " G "check" IN "many | grep many:; test -s g/many.json", 0,
         "many: differs", ""},
        {G "capture" IN "name -- sh -c 'echo a >$D/of.$$; rm $D/of.$$; echo b'", 0,
         "name: free in names: ", ""},
        {G "check" IN "name", 0, "name: as before", ""},
        {G "check" IN "name -- sh -c 'echo a >$D/of.$$; rm $D/of.$$; echo c'", 9, "name: differs",
         ""},
        {G "capture" IN "ends -- sh -c 'echo >>$D/n; exit $(wc -l <$D/n)'", 3, "",
         "one run exited with 1, another exited with 2"},
        {"rm $D/n; " G "capture --runs 1" IN "once -- sh -c 'echo >>$D/n'; wc -l <$D/n", 0, "1",
         ""},
        {"rm $D/n; " G "capture" IN "twice -- sh -c 'echo >>$D/n'; wc -l <$D/n", 0, "2", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        program_answers(cases[i].line, cases[i].status, cases[i].out, cases[i].err);
}

/* Its files say which commands are run. */
TEST(a_folder_that_others_write_is_refused)
{
    program_answers("mkdir $D/theirs && cd $D/theirs && " G "capture t -- echo x && chmod o+w "
                    "golden_traces; " G "check t",
                    3, "", "others may write in it; it says which commands are run");
    program_answers("cd $D/theirs; " G "check --folder golden_traces t", 0, "t: as before", "");
    program_answers("cd $D/theirs; chmod o-w golden_traces; chmod o+w golden_traces/t.json; " G
                    "check t",
                    3, "", "t.json: others may write in it");
    program_answers("cd $D/theirs; chmod o-w golden_traces/t.json; test $(id -u) != 0 || chown 1 "
                    "golden_traces; " G "check t; s=$?; test $(id -u) = 0 && exit $s; exit 3",
                    3, "", "");
}

/* The trace is the same in a clone elsewhere. */
TEST(a_clone_elsewhere)
{
    program_answers("mkdir -p $D/here $D/a/longer/place; cd $D/here && echo x >in && " G
                    "capture --folder ../g c -- sh -c 'pwd >/dev/null; cat $PWD/in; cp $PWD/in "
                    "$PWD/out' && cp in ../a/longer/place && cd ../a/longer/place && " G
                    "check --folder $D/g c",
                    0, "c: as before", "");
}

/* A run that a signal to rooftop ended is stored by none of these. */
TEST(an_interrupted_run_is_not_stored)
{
    program_answers(G "capture" IN "cut -- sh -c 'kill -INT $PPID; exec sleep 600'", 130, "",
                    "nothing is stored");
    program_answers("test ! -e $D/g/cut.json", 0, "", "");
    program_answers(G "capture" IN "cut -- sh -c 'kill -TERM $PPID; exec sleep 600'", 143, "",
                    "nothing is stored");
    program_answers(G "capture" IN "cut -- echo whole", 0, "", "");
    program_answers("cp $D/g/cut.json $D/before; " G "accept" IN
                    "cut -- sh -c 'kill -INT $PPID; exec sleep 600'; echo $?; "
                    "cmp $D/before $D/g/cut.json",
                    0, "130", "nothing is stored");
    program_answers(G "check" IN "cut -- sh -c 'kill -INT $PPID; exec sleep 600' >$D/verdict; "
                      "echo $?; cat $D/verdict",
                    0, "130\n", "a signal ended the run");
    program_answers("wc -c <$D/verdict", 0, "0\n", "");
}

/* Between the runs a terminal shows which one it is; what the command prints removes that. */
TEST(the_runs_are_counted_on_a_terminal)
{
    char folder[200];
    snprintf(folder, sizeof folder, "%s/counted", temp_folder);
    const char *const argv[] = {program_rooftop(),
                                "check",
                                "golden",
                                "capture",
                                "--folder",
                                folder,
                                "--runs",
                                "3",
                                "slow",
                                "--",
                                "sh",
                                "-c",
                                "sleep 0.6; echo it ran",
                                NULL};
    struct pty p;
    assert_int_equal(pty_start(&p, &(struct pty_config){.argv = argv, .cols = 160}), 0);
    assert_true(pty_until_text(&p, "slow: run 2 of 3"));
    assert_true(pty_until_text(&p, "check a later run"));
    assert_true(pty_until_state(&p, PTY_GONE));
    assert_true(pty_until_no_text(&p, "slow: run"));
    assert_non_null(strstr(vt_text(p.vt), "it ran\nit ran\nit ran"));
    pty_end(&p);
}

/* As the terminal does it: the key reaches rooftop and the program at once. */
TEST(an_interrupt_key_stores_nothing)
{
    char folder[200], file[300];
    snprintf(folder, sizeof folder, "%s/keyed", temp_folder);
    snprintf(file, sizeof file, "%s/cut.json", folder);
    const char *const argv[] = {program_rooftop(),
                                "check",
                                "golden",
                                "capture",
                                "--folder",
                                folder,
                                "cut",
                                "--",
                                "sh",
                                "-c",
                                "echo it runs; exec sleep 600",
                                NULL};
    struct pty p;
    assert_true(pty_interrupted(&p, argv, "it runs", "nothing is stored"));
    assert_int_not_equal(access(file, F_OK), 0);
    pty_end(&p);
}

TEST(a_capture_says_what_it_wrote)
{
    program_answers("mkdir -p \"$D/of mine\"; $BIN check golden capture --folder \"$D/of mine\" t "
                    "-- true 2>$D/said; tail -n 1 $D/said",
                    0, "/of mine/t.json', ", "");
    program_answers("tail -n 1 $D/said", 0, "; check a later run: rooftop check golden --folder '/",
                    "");
    program_answers("sh -c \"$(sed -n 's/.*run: rooftop/$BIN/p' $D/said)\"", 0, "t: as before", "");
}

TEST_MAIN(temp_folder_make, temp_folder_remove)
