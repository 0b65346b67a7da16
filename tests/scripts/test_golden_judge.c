/* Golden traces of ordinary programs do not cry where nothing changed: scripts/golden-judge.sh with
 * one check of each. (Forks: not for TSan.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/program.h"
#include "support/skip.h"

static void judge(const char *names)
{
    struct program p;
    if (!program_rooftop())
        skip_because("rooftop was not built");
    setenv("NAMES", names, 1);
    program_run(&p, "sh scripts/golden-judge.sh \"$(dirname \"$BIN\")\" 1 $NAMES");
    if (p.status != 0)
        fail_msg("%s%s", p.out, p.err);
    program_sees(&p, ": 0 false alarms;");
    program_free(&p);
}

static void compilers_and_interpreters(void **state)
{
    (void)state;
    judge("cc-compile cc-link cxx clang javac rustc go python python-pool perl node tclsh");
}

static void shells_and_tools(void **state)
{
    (void)state;
    judge("awk sed sh bash sort sort-threads make xargs find grep ls cp diff bc ar");
}

static void archives_and_others(void **state)
{
    (void)state;
    judge("git-status git-clone tar tar-x gzip xz zip curl openssl sqlite split dd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compilers_and_interpreters),
        cmocka_unit_test(shells_and_tools),
        cmocka_unit_test(archives_and_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
