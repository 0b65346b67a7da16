/*
 * rooftop optimize with programs that propose: rubbish, other files, too much, nothing, never; one
 * that is truly faster; signals at the wrong moment; a source that changes underneath.
 * Forks: not for TSan.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/libclang.h"
#include "support/program.h"
#include "support/temp_folder.h"
#include "support/test.h"

/* In a folder of its own: slow.c takes many times as long as fast.c. */
#define OPTIMIZE                                                                                   \
    "cd $D && $BIN optimize slow.c --harness saxpy.toml --no-store --allow review,cold --each 8 "

/* A program stands two below rooftop: between them is the process that ends what it leaves. */
#define ROOFTOP "$(sed -n \"s/^PPid:.//p\" /proc/$PPID/status)"

FIXTURE_STATUS(begin)
{
    return temp_folder_make(NULL) != 0 ||
           system("cp tests/data/judge/saxpy.toml tests/data/judge/slow.c $D && "
                  "sed -i 's/k < 200;/k < 20000;/' $D/slow.c && "
                  "cp tests/data/judge/baseline.c $D/fast.c && cp $D/slow.c $D/was.c");
}

TEST_WITH(what_is_no_answer_is_said, begin, temp_folder_remove)
{
    struct program p;
    program_needed();
    program_run(&p, OPTIMIZE "--each 0.1 --max-iters 7 --tries 9 "
                             "--proposer 'command:echo rubbish >&2; exit 3' "
                             "--proposer 'command:printf -- \"--- /etc/passwd\\n+++ "
                             "/etc/passwd\\n@@ -1 +1 @@\\n-a\\n+b\\n\"' "
                             "--proposer 'command:yes | head -c 100000000' "
                             "--proposer 'command:true' "
                             "--proposer 'command:kill -9 $$' "
                             "--proposer 'command:sleep 1000 & cat slow.c' "
                             "--proposer 'command:printf \"a\\0b\"' "
                             "--proposer 'command:ulimit -d >&2; /no/such/program'");
    if (p.status != 9)
        fail_msg("exit %d: %s", p.status, p.err);
    program_sees(&p, "1  command    no answer: echo rubbish >&2; exit 3: it ended with status 3");
    program_sees(&p, "2  command    no answer: diff, line 1: it names another file");
    program_sees(&p, "its answer has more than 1048576 bytes");
    program_sees(&p, "4  command    no answer: kill -9 $$: signal 9 ended it");
    program_sees(&p, "5  command    seen before: the same text as the source");
    program_sees(&p, "6  command    no answer: it is no text");
    program_sees(&p, "it ended with status 127");
    program_sees(&p, "ended: iterations");
    program_free(&p);
    program_answers("grep -qx rubbish $D/slow.c.optimize/0001/messages.txt && "
                    "grep -qxE '[0-9]+' $D/slow.c.optimize/0007/messages.txt && "
                    "cmp $D/slow.c $D/was.c",
                    0, "", "");
}

/* By libclang's message where it looks before the build, else by the compiler's; twice at most. */
TEST_WITH(what_does_not_build_goes_back_in_every_mode, begin, temp_folder_remove)
{
    static const char *const modes[] = {
        "--harness saxpy.toml", "--harness saxpy.toml --allow parse",
        "--run 'nm {} | grep -q saxpy' --build 'cc -O1 -c -o {out} {source}'"};
    program_needed();
    need_libclang();
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        char command[1024];
        struct program p;
        snprintf(
            command, sizeof command,
            "cp tests/data/optimize/mends.sh $D && cd $D && rm -rf slow.c.optimize asked count "
            "&& $BIN optimize slow.c %s --no-store --each 0.1 --max-iters 3 --tries 9 "
            "--proposer 'command:sh mends.sh'; cat asked",
            modes[i]);
        program_run(&p, command);
        program_sees(&p, "1  command    does not build: ");
        program_sees(&p, "2  command    does not build: ");
        program_lacks(&p, "3  command    does not build");
        program_lacks(&p, "refused: parse");
        program_sees(&p, "1: no repair");
        program_lacks(&p, "2: no repair");
        program_lacks(&p, "3: no repair");
        for (int k = 1; k <= 2; k++) {
            char line[64];
            snprintf(line, sizeof line, "typo_%d", k); /* only messages are written down */
            program_sees(&p, line);
        }
        program_free(&p);
    }
}

/* A candidate says that it stands in another file, and does not build: that file's line goes
 * nowhere, neither where the guard looks nor where it is switched off. (Of a captured kernel:
 * tests/platform/gpu/test_optimize.c.) */
TEST_WITH(no_line_of_another_file_goes_out, begin, temp_folder_remove)
{
    static const char *const modes[] = {
        "--harness saxpy.toml", "--harness saxpy.toml --allow parse",
        "--run 'nm {} | grep -q saxpy' --build 'cc -O1 -c -o {out} {source}'",
        "--run 'nm {} | grep -q saxpy' --build 'cc -O1 -c -o {out} {source}' --function saxpy"};
    program_needed();
    need_libclang();
    for (size_t i = 0; i < 2 * sizeof modes / sizeof *modes; i++) {
        char command[1024];
        const char *mode = modes[i / 2];
        const bool allowed = i % 2;
        struct program p;
        snprintf(
            command, sizeof command,
            "cp tests/data/optimize/leaks.sh $D && cd $D && rm -rf slow.c.optimize asked count "
            "&& printf 'one\nthe-hidden-word\n' >secret && $BIN optimize slow.c %s%s "
            "--no-store --each 0.1 --max-iters 2 --tries 9 --proposer 'command:sh leaks.sh'; "
            "cat asked",
            mode,
            !allowed                  ? ""
            : strstr(mode, "--allow") ? ",include"
                                      : " --allow include");
        program_run(&p, command);
        program_sees(&p, allowed ? "1  command    does not build: "
                                 : "1  command    refused: include: a line with a line marker");
        program_sees(&p, "\"repair\":");
        program_free(&p);
        program_answers("cd $D && ! grep -r the-hidden-word asked slow.c.optimize/000*/q*", 0, "",
                        "");
    }
}

/* A program is no word of its own check. */
TEST_WITH(what_a_program_says_goes_nowhere, begin, temp_folder_remove)
{
    struct program p;
    program_needed();
    program_run(&p, "cd $D && rm -rf slow.c.optimize asked && $BIN optimize slow.c --run "
                    "'nm {} | grep -q saxpy || { echo the-hidden-word; exit 3; }' --build "
                    "'cc -O1 -c -o {out} {source}' --no-store --each 0.1 --max-iters 2 --tries 9 "
                    "--proposer 'command:cat >>asked; sed s/saxpy/other/ was.c; echo \"int "
                    "a$(wc -l <asked);\"'; grep evidence asked");
    program_sees(&p, "1  command    refused: output: its check fails with status 3: the-hidden");
    program_sees(&p, "\"evidence\":\t\"its check fails with status 3\"");
    program_free(&p);
    program_answers("cd $D && ! grep the-hidden-word asked", 0, "", "");
}

/* However busy the machine is, these take longer than a second. */
TEST_WITH(what_comes_too_late_is_said, begin, temp_folder_remove)
{
    struct program p;
    program_needed();
    program_run(&p, OPTIMIZE "--each 0.1 --max-iters 2 --answer-time 1 "
                             "--proposer 'command:sleep 1000' "
                             "--proposer 'command:while :; do sleep 0.1; echo rubbish >&2; done'");
    assert_int_equal(p.status, 9);
    program_sees(&p, "1  command    no answer: sleep 1000: no answer within 1 s");
    program_sees(&p, "done: no answer within 1 s");
    program_free(&p);
}

/* A machine that is busy may not let it be decided; then the source stays as it was. */
TEST_WITH(what_is_faster_is_applied, begin, temp_folder_remove)
{
    struct program p;
    program_needed();
    program_run(&p, OPTIMIZE "--max-iters 1 --format json --apply --proposer "
                             "'command:cat >/dev/null; diff -u slow.c fast.c | sed "
                             "\"s/fast.c/slow.c/\"'");
    program_sees(&p, "\"reason\":\t\"iterations\"");
    program_lacks(&p, "\"outcome\":\t\"slower\"");
    const int status = p.status;
    program_free(&p);
    assert_true(status == 0 || status == 9);
    program_answers(status == 0 ? "cd $D && cmp slow.c fast.c && cmp slow.c.orig was.c"
                                : "cd $D && cmp slow.c was.c && test ! -e slow.c.orig",
                    0, "", "");
    program_answers(
        "cd $D && grep -q '\"function\":.*\"saxpy\"' slow.c.optimize/0001/question.json", 0, "",
        "");
}

TEST_WITH(a_source_that_changed_is_left_alone, begin, temp_folder_remove)
{
    struct program p;
    program_needed();
    program_run(&p, OPTIMIZE "--max-iters 1 --apply --proposer "
                             "'command:echo \"/* mine */\" >>slow.c; cat fast.c'");
    assert_true(p.status == 7 || p.status == 9);
    assert_true(p.status == 9 || strstr(p.err, "it has changed since it was read"));
    program_free(&p);
    program_answers("cd $D && tail -1 slow.c | grep -qx '/. mine ./' && test ! -e slow.c.orig", 0,
                    "", "");
}

/* The program asks for the end of rooftop while it is asked itself. */
TEST_WITH(an_end_at_any_time_leaves_the_source, begin, temp_folder_remove)
{
    struct program p;
    program_needed();
    program_run(&p, "(" OPTIMIZE "--each 0.1 --proposer 'command:kill -9 " ROOFTOP "; sleep 60'); "
                    "exit $?");
    assert_int_equal(p.status, 137);
    program_free(&p);
    program_run(&p, "(" OPTIMIZE "--each 0.1 --resume --proposer 'command:kill -TERM " ROOFTOP
                    "; sleep 60'); exit $?");
    assert_int_equal(p.status, 143);
    program_free(&p);
    program_answers("cd $D && cmp slow.c was.c && tail -1 slow.c.optimize/log.jsonl | grep -q "
                    "interrupted",
                    0, "", "");
    program_answers("printf '{\"schema\":' >>$D/slow.c.optimize/log.jsonl", 0, "", "");
    program_answers(OPTIMIZE "--each 0.1 --resume --proposer command:true", 9,
                    "ended: pool-exhausted", "the log's last line was not finished: 10 bytes");
}

/* Neither a build nor a program that proposes leaves a process behind. */
TEST_WITH(what_they_leave_behind_is_ended, begin, temp_folder_remove)
{
    program_needed();
    program_answers("cd $D && printf 'setsid sh -c \"echo \\$\\$ >$1; exec sleep 1000\" &\n"
                    "while [ ! -s $1 ]; do sleep 0.01; done\n' >leave.sh",
                    0, "", "");
    program_answers(OPTIMIZE "--each 0.1 --max-iters 1 --folder left --proposer "
                             "'command:sh leave.sh '$D'/asked; cat slow.c' --build 'sh '$D'/"
                             "leave.sh '$D'/built; cc -O2 -shared -fPIC -o {out} {source}'",
                    9, "seen before: the same text", "");
    program_answers("cd $D && test -s asked -a -s built && ! kill -0 $(cat asked) && "
                    "! kill -0 $(cat built)",
                    0, "", "");
}

/* Build IDs and lines of debug information differ, the code does not; and what is compiled in. */
TEST_WITH(builds_that_differ_are_explained_or_refused, begin, temp_folder_remove)
{
    struct program p;
    program_needed();
    program_run(&p, OPTIMIZE "--each 0.1 --max-iters 1 --proposer 'command:echo; cat slow.c' "
                             "--build 'cc -O2 -g -shared -fPIC -Wl,--build-id=uuid -o {out} "
                             "{source}'");
    assert_int_equal(p.status, 9);
    if (!strstr(p.err, "two builds of it differ only in .note.gnu.build-id\n"))
        fail_msg("%s", p.err);
    program_sees(&p, "the machine code is the same; the files differ only in .note.gnu.build-id, ");
    program_free(&p);
    program_answers("echo 'const unsigned long long when = W;' >$D/w.h", 0, "", "");
    program_answers(OPTIMIZE "--each 0.1 --folder timed --proposer command:true --build "
                             "'cc -O2 -shared -fPIC -DW=$(date +%s%N) -include w.h -o {out} "
                             "{source}'",
                    9, "two builds of the source gave different code: byte ", "");
}

/* Its answer passes the guards of the source and is built; whether it is faster, the CPU says. */
TEST_WITH(loops_are_unrolled, begin, temp_folder_remove)
{
    struct program p;
    program_needed();
    need_libclang();
    program_run(&p,
                OPTIMIZE "--each 0.1 --max-iters 2 --folder unrolled --proposer unroll "
                         "--proposer pragma; "
                         "cd $D/unrolled && grep -q 'unrolled the loop at line 6 by 4' "
                         "log.jsonl && test -s 0001/object.so && "
                         "grep -q '__attribute__((optimize' 0002/slow.c && test -s 0002/object.so "
                         "&& cmp ../slow.c ../was.c && cd .. && rm -r unrolled");
    if (p.status != 0)
        fail_msg("exit %d: %s%s", p.status, p.out, p.err);
    program_free(&p);
    /* unless others are named */
    program_answers("cd $D && $BIN optimize slow.c --harness saxpy.toml --dry-run | grep "
                    "^proposer | cut -d: -f1 | tr -s ' \\n' ' '",
                    0, "proposer accumulators proposer pragma proposer unroll ", "");
}

TEST_WITH(usage, begin, temp_folder_remove)
{
    program_needed();
    program_answers("$BIN optimize", 2, "", "one source is needed");
    program_answers("$BIN optimize a.c", 2, "",
                    "one of --harness, --capture-dir and --run is needed");
    program_answers("$BIN optimize a.c --harness x --run 'x {}'", 2, "", "one of --harness, ");
    program_answers("$BIN optimize a.c --run 'x {}'", 2, "", "need a function");
    program_answers("$BIN optimize a.c --run x --function f", 2, "", "there is no {}");
    program_answers("$BIN optimize a.c --harness x --function f", 2, "", "it goes with --run");
    program_answers("$BIN optimize a.c --harness x --vary 0=f32", 2, "", "goes with --capture-dir");
    program_answers("$BIN optimize a.c --capture-dir /nonesuch", 3, "", "/nonesuch");
    program_answers("cd $D && $BIN optimize slow.c --harness saxpy.toml --proposer what", 2, "",
                    "there is no proposer 'what'; there are: ");
    program_answers("cd $D && $BIN optimize slow.c --harness saxpy.toml --proposer command", 2, "",
                    "'command' needs ':PROG'");
    program_answers("cd $D && $BIN optimize slow.c --harness saxpy.toml --proposer command:true "
                    "--allow what",
                    2, "", "there is no guard 'what'");
    program_answers("cd $D && $BIN optimize no.c --harness saxpy.toml --proposer command:true", 3,
                    "", "no.c");
    program_answers("cd $D && $BIN optimize slow.c --harness saxpy.toml --proposer command:true "
                    "--dry-run && test ! -e slow.c.optimize",
                    0, "proposer   command: ", "");
    program_answers("P=$PWD && cd $D && $BIN optimize slow.c --harness saxpy.toml --proposer "
                    "command:true --dry-run --evidence "
                    "$P/tests/data/rocpd/synthetic_schema3.db",
                    0, "priority 0.717; worth a try\n", "");
    program_answers("cd $D && $BIN optimize slow.c --harness saxpy.toml --proposer command:true "
                    "--dry-run --kernel gemm",
                    2, "", "--evidence or --capture-dir, which are missing");
}
