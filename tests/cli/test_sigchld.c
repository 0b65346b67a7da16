/*
 * rooftop started by a program that ignores SIGCHLD: the kernel then throws away how each child
 * ended, unless that is undone. Forks: not for TSan.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/program.h"
#include "support/temp_folder.h"
#include "support/test.h"

#define IGNORED "env --ignore-signal=CHLD "

FIXTURE_STATUS(begin)
{
    return temp_folder_make(NULL) != 0 ||
           system("cp tests/data/judge/saxpy.toml tests/data/judge/slow.c $D && "
                  "cp tests/data/judge/baseline.c $D/fast.c");
}

/* Else the cases below show nothing. */
TEST(it_is_ignored)
{
    program_answers(IGNORED "sed -n '/SigIgn/s/.*1....$/ignored/p' /proc/self/status", 0, "ignored",
                    "");
}

TEST(programs_that_judge_know_how_their_children_end)
{
    program_answers(IGNORED "$BIN judge --run 'echo wrong; exit 5; : {}' --baseline $D/slow.c "
                            "--candidate $D/fast.c; true",
                    0, "", "status 5: wrong");
    program_answers("cd $D && " IGNORED "$BIN optimize slow.c --harness saxpy.toml --no-store "
                    "--each 0.1 --max-iters 2 --proposer 'command:exit 3' --proposer "
                    "'command:cat slow.c'",
                    9, "it ended with status 3", "");
}

TEST(programs_that_measure_know_it)
{
    program_answers(IGNORED "$BIN bench --no-store -- sh -c 'exit 5'", 4, "",
                    "it ended with status 5");
    program_answers(IGNORED "$BIN -- sh -c 'exit 5'", 5, "", "");
    program_answers(IGNORED "$BIN trace -o $D/t.json -- sh -c 'exit 5'", 5, "", "");
}

TEST_MAIN(begin, temp_folder_remove)
