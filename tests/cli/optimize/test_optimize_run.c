/*
 * rooftop optimize --run: programs that a command checks. One that does a hundredth of the work is
 * kept, one that answers wrongly is not; a check that always passes, or never, is said. A gain of
 * two steps is found from two bases, not from one; what a killed run leaves is known to be over.
 * Forks: not for TSan.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/program.h"
#include "support/pty.h"
#include "support/temp_folder.h"
#include "support/test.h"

#define OPTIMIZE "cd $D && $BIN optimize slow.c --no-store --allow review "
#define CHECKED  "--run 'sh check.sh {}' "
#define SAYS(n)  "--proposer 'command:cat >/dev/null; cat " n "' "

enum { TRIES = 4500, POLL_MS = 20 }; /* far more than a busy machine takes */

FIXTURE_STATUS(begin)
{
    return temp_folder_make(NULL) != 0 ||
           system(
               "cd $D && printf '#include <stdio.h>\\nint main(void)\\n{\\n    unsigned x = 1;\\n  "
               "  for "
               "(volatile int i = 0; i < 10000000; i++)\\n        x = x * 5 + 1;\\n    "
               "printf(\"right\\\\n\");\\n    return x == 7;\\n}\\n' >slow.c && cp slow.c was.c && "
               "sed s/10000000/100000/ slow.c >fast.c && sed s/right/wrong/ fast.c >wrong.c && "
               "printf 'test \"$(\"$1\")\" = right\\n' >check.sh");
}

/* A machine that is busy may not let it be decided; then the source stays as it was. */
TEST_WITH(what_is_right_and_faster_is_applied, begin, temp_folder_remove)
{
    struct program p;
    program_needed();
    program_run(&p, OPTIMIZE CHECKED "--each 1.5 --max-iters 2 --apply " SAYS("wrong.c")
                        SAYS("fast.c"));
    program_sees(&p, "1  command    refused: output: ");
    program_lacks(&p, "2  command    slower");
    program_lacks(&p, "2  command    refused");
    const int status = p.status;
    program_free(&p);
    assert_true(status == 0 || status == 9);
    program_answers(status == 0 ? "cd $D && cmp slow.c fast.c && cmp slow.c.orig was.c"
                                : "cd $D && cmp slow.c was.c && test ! -e slow.c.orig",
                    0, "", "");
    program_answers("head -1 $D/slow.c.optimize/log.jsonl | grep -q '\"target\":\"run\"'", 0, "",
                    "");
    /* another check is another target, and so is a harness */
    program_answers("cd $D && cp was.c slow.c && echo '# other' >>check.sh && $BIN optimize slow.c "
                    "--run 'sh check.sh {}' --resume --proposer command:true",
                    3, "", "the target has changed since");
    program_answers("P=$PWD && cd $D && $BIN optimize slow.c --harness "
                    "$P/tests/data/judge/saxpy.toml --resume --proposer command:true",
                    3, "", "another kind of target");
}

/*
 * The first step takes 0.7 of the time, and the least gain that counts is a factor of 1.9; only
 * whom the first step is shown knows the second, which is worth a factor of 200. A busy machine may
 * not let it be decided.
 */
TEST_WITH(a_gain_of_two_steps_needs_two_bases, begin, temp_folder_remove)
{
#define STEPS                                                                                      \
    OPTIMIZE CHECKED "--each 0.8 --min-gain 90% --max-iters 2 --proposer 'command:if grep -q "     \
                     "14000000; then cat fast.c; else cat step.c; fi' "
    struct program p;
    program_needed();
    program_answers(
        "cd $D && sed -i s/10000000/20000000/ slow.c && sed s/20000000/14000000/ slow.c >step.c", 0,
        "", "");
    program_run(&p, STEPS "--folder one");
    assert_int_equal(p.status, 9);
    program_sees(&p, "2  command    seen before: the same text as candidate 1");
    program_free(&p);
    program_run(&p, STEPS "--folder two --population 2");
    program_sees(&p, ": made from candidate 1");
    program_lacks(&p, "2  command    slower");
    program_lacks(&p, "2  command    refused");
    assert_true(p.status == 0 || strstr(p.out, "not decided"));
    program_free(&p);
    program_answers("cd $D && cmp two/0002/slow.c fast.c && "
                    "grep -q '\"number\":2,\"base\":1,\"against\":0,' two/log.jsonl",
                    0, "", "");
}

TEST_WITH(a_check_that_is_none_is_said, begin, temp_folder_remove)
{
    program_needed();
    program_answers(OPTIMIZE "--run 'true {}' --each 0.1 --proposer command:true", 9, "check-blind",
                    "a program that does nothing passes, too");
    program_answers(OPTIMIZE "--run 'false {}' --each 0.1 --folder other --proposer command:true",
                    3, "", "the baseline was refused");
    program_answers(OPTIMIZE "--run 'sh check.sh {}' --folder third --build true --proposer "
                             "command:true",
                    3, "", "the command made no {out}");
}

/* --- a run that is killed --- */

/* Whether nobody holds the lock of the log: then what progress.json says is over. */
static bool is_over(void)
{
    char path[128];
    struct flock all = {.l_type = F_WRLCK};
    snprintf(path, sizeof path, "%s/slow.c.optimize/log.jsonl", temp_folder);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(fcntl(fd, F_OFD_GETLK, &all), 0);
    close(fd);
    return all.l_type == F_UNLCK;
}

/* The other end of the pipe on which the proposer waits: it is asked now. */
static int hold_proposer(void)
{
    char path[80];
    int fd = -1;
    snprintf(path, sizeof path, "%s/never", temp_folder);
    for (int i = 0; i < TRIES && fd < 0; i++) {
        fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0)
            poll(NULL, 0, POLL_MS);
    }
    assert_true(fd >= 0);
    return fd;
}

/* A terminal has a line of what is done; a run that is killed leaves progress.json and no lock. */
TEST_WITH(what_a_killed_run_leaves_is_over, begin, temp_folder_remove)
{
    struct pty t;
    struct program p;
    char line[4400];
    program_needed();
    char *bin = realpath(program_rooftop(), NULL);
    snprintf(line, sizeof line,
             "cd %s && mkfifo never && exec %s optimize slow.c --no-store --each 0.1 " CHECKED
             "--proposer 'command:cat >/dev/null; cat never'",
             temp_folder, bin);
    free(bin);
    const char *const argv[] = {"/bin/sh", "-c", line, NULL};
    assert_int_equal(pty_start(&t, &(struct pty_config){.argv = argv}), 0);
    assert_true(pty_until_text(&t, "candidate 1 of 20, command: asks a proposer"));
    const int held = hold_proposer();
    assert_false(is_over());
    program_answers("grep '\"doing\":\"asks\"' $D/slow.c.optimize/progress.json", 0, "", "");
    pty_signal(&t, SIGKILL);
    assert_true(pty_until_state(&t, PTY_GONE));
    for (int i = 0; i < TRIES && !is_over(); i++)
        poll(NULL, 0, POLL_MS);
    assert_true(is_over());
    program_answers("test -s $D/slow.c.optimize/progress.json", 0, "", "");
    close(held);
    pty_end(&t);
    /* it goes on; without a terminal there is no line, and at the end no file */
    program_expect(&p, OPTIMIZE "--each 0.1 --resume " CHECKED "--proposer command:true", 9);
    assert_null(strstr(p.err, "asks a proposer"));
    assert_null(strchr(p.err, '\r'));
    program_free(&p);
    program_expect(&p, "ls $D/slow.c.optimize", 0);
    program_sees(&p, "log.jsonl");
    program_lacks(&p, "progress");
    program_free(&p);
}

TEST_WITH(a_log_that_is_no_file_is_refused, begin, temp_folder_remove)
{
    program_needed();
    program_answers("mkdir $D/r && mkfifo $D/r/log.jsonl && " OPTIMIZE CHECKED
                    "--folder r --resume --proposer command:true",
                    3, "", "it is no regular file");
    program_answers("rm $D/r/log.jsonl && ln -s ../was.c $D/r/log.jsonl && " OPTIMIZE CHECKED
                    "--folder r --resume --proposer command:true",
                    3, "", "r/log.jsonl");
    program_answers("rm $D/r/log.jsonl && mkdir $D/r/log.jsonl && " OPTIMIZE CHECKED
                    "--folder r --resume --proposer command:true",
                    3, "", "r/log.jsonl");
}
