/* Files of CPU profilers, as a user opens, converts and compares them. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/program.h"
#include "support/pty.h"
#include "support/temp_folder.h"
#include "support/test.h"

static int begin(void **state)
{
    const int rc = temp_folder_make(state);
    temp_folder_put("a.folded", "main;hot 700\nmain;warm 300\n");
    temp_folder_pack("b.folded", "main;hot 500\nmain;warm 500\n");
    return rc;
}

TEST_WITH(functions_of_a_file, begin, temp_folder_remove)
{
    program_answers("$BIN --headless $D/a.folded", 0, "1000 samples", "");
    program_answers("cat $D/b.folded | $BIN --headless --format json /dev/stdin", 0,
                    "\"weight\":\t\"samples\"", "");
    program_answers("$BIN --headless --format folded $D/a.folded", 0, "main;hot 700\n", "");
}

/* 1000 samples in all: hot 700, warm 300; main has all of them, none itself. */
TEST_WITH(the_report_says_what_is_hot, begin, temp_folder_remove)
{
    program_answers("$BIN report $D/a.folded", 0,
                    "hottest       hot: self 70.0 %, 700 samples; total 70.0 %", "");
    program_answers("$BIN report $D/a.folded", 0, "samples of a CPU · 1000 samples", "");
    program_answers("$BIN report --brief $D/a.folded", 0, "- hottest: hot: self 70.0 %", "");
    program_answers("$BIN report --brief --format json $D/a.folded", 0,
                    "\"verdict\":\"one hot function: hot has 70.0 %", "");
    program_answers("$BIN report --format json $D/a.folded", 0,
                    "\"schema\":\t\"rooftop.summary/1\"", "");
    program_answers("$BIN report --format csv $D/a.folded", 0, "label,text,more", "");
    program_answers("$BIN report --format svg $D/a.folded", 2, "", "only profiles of GPUs");
}

TEST_WITH(conversions_keep_the_sums, begin, temp_folder_remove)
{
    program_answers(
        "for f in speedscope pprof; do $BIN export --format $f $D/a.folded >$D/x && $BIN export "
        "--format folded $D/x; done | sort | uniq -c",
        0, "2 main;warm 300", "");
    program_answers("for f in speedscope pprof; do $BIN --headless --format $f -o $D/x $D/a.folded "
                    "&& $BIN --headless --format folded $D/x; done | sort | uniq -c",
                    0, "2 main;warm 300", "");
}

/* What was chosen among several values is a row of the summary, and the footer has its keys. */
TEST_WITH(what_was_chosen_covers_no_keys, begin, temp_folder_remove)
{
    struct program p;
    program_expect(&p,
                   "$BIN --headless --view summary --size 120x30 "
                   "tests/data/samples/go_cpu.pprof",
                   0);
    program_sees(&p, "cpu is shown, --value NAME shows another");
    program_sees(&p, "? Help");
    program_free(&p);
}

/* A file without mappings has names all the same. */
TEST_WITH(what_was_converted_says_the_same, begin, temp_folder_remove)
{
    program_answers(
        "$BIN export --format pprof -o $D/x.pb $D/a.folded 2>/dev/null && $BIN report $D/x.pb", 0,
        "one hot function: hot has 70.0 %", "");
    program_answers("$BIN report $D/a.folded", 0, "one hot function: hot has 70.0 %", "");
}

TEST_WITH(two_files_are_compared, begin, temp_folder_remove)
{
    program_answers("$BIN compare $D/a.folded $D/b.folded", 0, "hot", "");
    program_answers("$BIN compare --format svg $D/a.folded $D/b.folded", 0,
                    "hot  500 samples, 50.00 %, before 70.00 %", "");
    program_answers("$BIN compare --format svg $D/a.folded tests/data/chrome/two_programs.json", 2,
                    "", "two_programs.json is none");
}

TEST_WITH(what_needs_calls_says_so, begin, temp_folder_remove)
{
    program_answers("$BIN tree $D/a.folded", 3, "", "it has samples of a CPU");
    program_answers("$BIN export $D/a.folded", 3, "",
                    "rooftop export --format svg, folded, speedscope or pprof");
}

/* One of the events or values of a file is chosen by name; a name that it does not have is refused,
 * with those that it has. */
TEST_WITH(the_value_that_is_wanted, begin, temp_folder_remove)
{
    temp_folder_put("s.txt", "a 12/12 1.0: 1 cycles:u:\n 1f main (/bin/a)\n\n"
                             "a 12/12 2.0: 1 cache-misses:\n 2f miss (/bin/a)\n\n"
                             "a 12/12 3.0: 1 cycles:u:\n 1f main (/bin/a)\n\n");
    program_answers("$BIN export --format folded $D/s.txt", 0, "main 2\n",
                    "its events are cycles:u, cache-misses; --value NAME");
    program_answers("$BIN export --format folded --value cycles $D/s.txt", 0, "main 2\n", "");
    program_answers("$BIN export --format folded --value cache-misses $D/s.txt", 0, "miss 1\n", "");
    program_answers("$BIN export --format folded --value cycle $D/s.txt", 2, "",
                    "no samples of 'cycle', but of cycles:u, cache-misses");
    program_answers(
        "$BIN report tests/data/samples/go_cpu.pprof 2>&1 | grep -c 'each sample has 2'", 0, "1\n",
        ""); /* standard error has it */
    program_answers("$BIN export --format folded --value cpu tests/data/samples/go_cpu.pprof", 0,
                    "main.leaf", "each sample has 2 values (samples, cpu): cpu is shown");
    program_answers("$BIN export --format folded --value samples tests/data/samples/go_cpu.pprof |"
                    " awk '{ n += $NF } END { print n }'",
                    0, "60\n", "samples is shown");
    program_answers("$BIN --headless --value x $D/a.folded", 2, "",
                    "no events or values to choose");
    program_answers("$BIN --headless --value x", 2, "", "none is opened");
}

/* A file with the ending of a document is opened, even where it may be executed. */
TEST_WITH(a_document_is_not_started, begin, temp_folder_remove)
{
    program_answers("printf '#!/bin/sh\\necho ran\\n' >$D/x.json && chmod +x $D/x.json && $BIN "
                    "--headless $D/x.json",
                    3, "", "it is a script");
    program_answers("$BIN assert renacer.toml $D/a.folded", 3, "", "it has samples of a CPU");
}

/* The functions stay when the first numbers of this host have come. */
TEST_WITH(the_screen_keeps_the_functions, begin, temp_folder_remove)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/a.folded", temp_folder);
    const char *const argv[] = {program_rooftop(), "-d", "0.1", path, NULL};
    static const char *const env[] = {"TERM=xterm-256color", "LC_ALL=C.UTF-8",
                                      "ROOFTOP_CONFIG=/dev/null", NULL};
    struct pty p;
    program_needed();
    assert_int_equal(pty_start(&p, &(struct pty_config){.argv = argv, .env = env}), 0);
    assert_true(pty_until_text(&p, "one hot function: hot has 70.0 %"));
    usleep(500000); /* some samples of the host come */
    pty_keys(&p, "f");
    pty_keys(&p, "i");
    assert_true(pty_until_text(&p, "70.00 %"));
    pty_keys(&p, "\003");
    assert_true(pty_until_state(&p, PTY_GONE) && p.status == 0);
    pty_end(&p);
}
