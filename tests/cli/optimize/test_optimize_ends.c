/*
 * rooftop optimize in trouble: it is killed at each change of a file, in builds and in judgements;
 * no room, a folder that is none or cannot be written; a source that is another thing when it is to
 * be replaced. The source is always whole, and the run goes on.
 * The "sources" are shell scripts, of which one sleeps: so which is faster does not depend on how
 * busy the machine is. Where that is not decided nevertheless, the source stays.
 * Forks: not for TSan.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/program.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

#define IN_D "cd $D && "
#define OPTIMIZE                                                                                   \
    "$BIN optimize slow.sh --no-store --allow review --run 'sh check.sh {}' --each 0.8 "           \
    "--max-iters 1 --proposer 'command:cat fast.sh' "
#define COPIED "--build 'cp {source} {out}' "

FIXTURE_STATUS(begin)
{
    if (temp_folder_make(NULL) != 0)
        return -1;
    setenv("TMPDIR", temp_folder, 1); /* who is killed leaves its files there */
    return system("cp tests/data/optimize/ends/* $D && cd $D && "
                  "printf 'sleep 0.02\\necho right\\n' >slow.sh && cp slow.sh was.sh && "
                  "printf 'echo right\\n' >fast.sh && "
                  "printf 'test \"$(sh \"$1\")\" = right\\n' >check.sh && "
                  "printf 'cp $1 $2 && (echo exit; yes \"#\" | head -c 40000) >>$2\\n' >large.sh");
}

/* With mounts of its own. */
static void need_mounts(void)
{
    struct program p;
    program_needed();
    program_run(&p, "unshare -rm sh -c 'mount -t tmpfs t /mnt'");
    const int status = p.status;
    program_free(&p);
    if (status != 0)
        skip_because("nothing can be mounted here");
}

TEST_WITH(a_kill_at_each_change_of_a_file_leaves_the_source, begin, temp_folder_remove)
{
    struct program p;
    program_needed();
    program_run(&p, "command -v ${CC:-cc}");
    const int found = p.status;
    program_free(&p);
    if (found != 0)
        skip_because("there is no C compiler");
    program_run(&p, IN_D "${CC:-cc} -shared -fPIC -o kill.so kill.c");
    if (p.status != 0)
        fail_msg("%s", p.err);
    program_free(&p);
    program_run(&p, IN_D "ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0 sh chain.sh");
    if (p.status != 0)
        fail_msg("exit %d: %s%s", p.status, p.out, p.err);
    program_free(&p);
}

/* The build command, or the check, ends rooftop when it is run for the nth time. */
static void killed_by(const char *what, int n, const char *build)
{
    struct program p;
    char line[1024];
    snprintf(line, sizeof line,
             IN_D
             "rm -rf left *.times; echo %d >nth; " OPTIMIZE "--build '%s' $(test -e "
             "slow.sh.optimize && echo --resume); status=$?; cmp slow.sh was.sh || exit 1; "
             "test -e left || exit $status; for i in $(seq 3000); do case \"$(sed -n "
             "s/^State:.//p /proc/$(cat left)/status 2>&1)\" in '' | sed* | Z*) exit $status;; "
             "esac; sleep 0.02; done; kill -9 $(cat left); echo it is left; exit 2",
             n, build);
    program_run(&p, line);
    if (p.status != 137 && (n == 1 || (p.status != 9 && p.status != 0)))
        fail_msg("killed by %s %d: exit %d: %s%s", what, n, p.status, p.out, p.err);
    program_free(&p);
}

TEST_WITH(a_kill_in_builds_and_judgements_leaves_nothing, begin, temp_folder_remove)
{
    static const char build[] = "sh kill.sh build $(cat nth); cp {source} {out}";
    program_needed();
    for (int n = 1; n <= 4; n++) /* the source twice, the candidate, the candidate again */
        killed_by("build", n, build);
    program_answers(IN_D "rm -r slow.sh.optimize && echo 'sh kill.sh check $(cat nth)' >>check.sh",
                    0, "", "");
    for (int n = 1; n <= 13; n += 4) {
        killed_by("check", n, "cp {source} {out}");
        program_answers(IN_D "rm -rf slow.sh.optimize", 0, "", "");
    }
}

/* Whichever file does not fit: the status says so, and with room the run goes on. */
TEST_WITH(a_full_disk_is_said, begin, temp_folder_remove)
{
    static const int kib[] = {4, 64, 120, 136};
    char line[1024];
    need_mounts();
    for (size_t i = 0; i < sizeof kib / sizeof *kib; i++) {
        snprintf(line, sizeof line,
                 IN_D "mkdir -p room && unshare -rm sh -c '"
                      "run() { $BIN optimize slow.sh --no-store --allow review --run \"sh check.sh "
                      "{}\" --each 0.8 --max-iters 1 --proposer \"command:cat fast.sh\" --folder "
                      "room/run --build \"sh large.sh {source} {out}\" $1; }; "
                      "mount -t tmpfs -o size=%dk t room && run; test $? = 7 || exit 1; "
                      "cmp slow.sh was.sh && mount -o remount,size=4m room && run --resume >&2; "
                      "status=$?; test $status = 9 -o $status = 0 && cmp slow.sh was.sh'",
                 kib[i]);
        program_answers(line, 0, "", "No space left on device");
    }
}

TEST_WITH(a_limit_of_files_is_said, begin, temp_folder_remove)
{
    program_needed();
    program_answers(IN_D "(ulimit -f 8; " OPTIMIZE "--build 'sh large.sh {source} {out}')", 7, "",
                    "rooftop: slow.sh.optimize: a build failed, and ");
    program_answers(IN_D "cmp slow.sh was.sh && " OPTIMIZE COPIED "--folder other --resume", 3, "",
                    "rooftop: other/log.jsonl: No such file");
    program_answers(IN_D "(ulimit -f 0; " OPTIMIZE COPIED "--folder other 2>&1) | cat; exit "
                         "${PIPESTATUS[0]}",
                    7, "rooftop: the log of the run: File too large", "");
}

TEST_WITH(a_folder_that_is_none_is_said, begin, temp_folder_remove)
{
    program_needed();
    program_answers(IN_D "echo x >file && " OPTIMIZE COPIED "--folder file", 7, "",
                    "rooftop: file: it is there, and is no folder; name another with --folder");
    program_answers(IN_D OPTIMIZE COPIED "--folder file --resume", 3, "",
                    "rooftop: file/log.jsonl: Not a directory");
    program_answers(IN_D "ln -s /no/such link && " OPTIMIZE COPIED "--folder link", 7, "",
                    "rooftop: link: it is there, and is no folder");
    program_answers(IN_D "mkdir else && ln -sf else link && " OPTIMIZE COPIED "--folder link", 7,
                    "", "rooftop: link: it is there; go on with --resume, or name another");
    program_answers(IN_D "test -z \"$(ls else)\" && " OPTIMIZE COPIED "--folder no/where", 7, "",
                    "rooftop: no/where: No such file or directory");
    program_answers(IN_D "mkdir run && ln -s ../slow.sh run/log.jsonl && " OPTIMIZE COPIED
                         "--folder run --resume",
                    3, "", "rooftop: run/log.jsonl: ");
    program_answers(IN_D "cmp slow.sh was.sh && test ! -e slow.sh.optimize", 0, "", "");
}

TEST_WITH(a_folder_that_cannot_be_written_is_said, begin, temp_folder_remove)
{
    need_mounts();
    program_answers(
        IN_D "mkdir room && unshare -rm sh -c 'mount -t tmpfs -o ro t room && $BIN optimize "
             "slow.sh --no-store --run \"sh check.sh {}\" --proposer command:true --folder room/r'",
        7, "", "rooftop: room/r: Read-only file system");
    program_answers(IN_D
                    "mkdir room/r && touch room/r/log.jsonl && unshare -rm sh -c 'mount --bind "
                    "room room && mount -o remount,ro,bind room && $BIN optimize slow.sh "
                    "--no-store --run \"sh check.sh {}\" --proposer command:true --folder "
                    "room/r --resume'",
                    7, "", "rooftop: room/r/log.jsonl: Read-only file system");
}

/* While the candidate is built, something happens to the source. */
static void changes_to(const char *how, const char *after, const char *says)
{
    struct program p;
    char line[1024];
    snprintf(line, sizeof line,
             IN_D "rm -rf slow.sh*; cp was.sh slow.sh; echo '%s' >how.sh; " OPTIMIZE
                  "--apply --build 'case {source} in */0001/*) sh how.sh;; esac; "
                  "cp {source} {out}'",
             how);
    program_run(&p, line);
    if (p.status != 9 && (p.status != 7 || !strstr(p.err, says)))
        fail_msg("%s: exit %d: %s%s", how, p.status, p.out, p.err);
    program_free(&p);
    snprintf(line, sizeof line, IN_D "%s && test ! -e slow.sh.orig && test ! -e slow.sh.rooftop-*",
             after);
    program_answers(line, 0, "", "");
}

TEST_WITH(a_source_that_is_another_thing_is_left_alone, begin, temp_folder_remove)
{
    program_needed();
    changes_to("echo : >>slow.sh", "grep -qx : slow.sh", "it has changed since it was read");
    changes_to("rm -f slow.sh", "test ! -e slow.sh", "rooftop: slow.sh: No such file");
    changes_to("rm -rf slow.sh; mkdir slow.sh", "test -d slow.sh", "it has changed since");
    changes_to("rm -f slow.sh; mkfifo slow.sh", "test -p slow.sh", "it has changed since");
    changes_to("ln -sf check.sh slow.sh", "test -h slow.sh && ! cmp -s check.sh fast.sh",
               "it has changed since");
}
