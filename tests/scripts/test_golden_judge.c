/* Golden traces of ordinary programs do not cry where nothing changed: scripts/golden-judge.sh with
 * one check of each. (Forks: not for TSan.) */
#include <stdio.h>
#include <stdlib.h>

#include "support/program.h"
#include "support/test.h"

static void judge(const char *names)
{
    struct program p;
    program_needed();
    setenv("NAMES", names, 1);
    program_run(&p, "sh scripts/golden-judge.sh \"$(dirname \"$BIN\")\" 1 $NAMES");
    if (p.status != 0)
        fail_msg("%s%s", p.out, p.err);
    program_sees(&p, ": 0 false alarms;");
    program_free(&p);
}

TEST(compilers_and_interpreters)
{
    judge("cc-compile cc-link cxx clang javac rustc go python python-pool perl node tclsh");
}

TEST(shells_and_tools)
{
    judge("awk sed sh bash sort sort-threads make xargs find grep ls cp diff bc ar");
}

TEST(archives_and_others)
{
    judge("git-status git-clone tar tar-x gzip xz zip curl openssl sqlite split dd");
}
