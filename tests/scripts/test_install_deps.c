/* scripts/install-deps.sh, with an apt-get that does nothing. Forks: not for TSan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/compiled.h"
#include "support/program.h"
#include "support/test.h"

/* Makes a list of one package; its program exists after apt-get has installed it. */
FIXTURE_STATUS(begin)
{
    compiled_new();
    setenv("D", compiled_dir(), 1);
    return !compiled_shell("mkdir -p scripts bin") ||
           system("cp scripts/install-deps.sh $D/scripts/") != 0; /* NOLINT: a test's own command */
}

FIXTURE(end)
{
    compiled_free();
}

/* Sets what apt-get does when it installs; $D/calls counts its calls. */
static void apt_get(const char *installing)
{
    char script[2048];
    snprintf(script, sizeof script,
             "#!/bin/sh\n[ \"$5\" != install ] && [ \"$4\" != install ] || { echo x >>$D/calls; "
             "n=$(wc -l <$D/calls)\n%s\n}\n",
             installing);
    compiled_write("bin/apt-get", script);
    compiled_write("bin/sleep", "#!/bin/sh\necho $1 >>$D/slept\n");
    compiled_write("bin/apt-cache", "#!/bin/sh\n");
    compiled_write("bin/id", "#!/bin/sh\necho 0\n");
    compiled_write("scripts/deps.tsv", "build\tthing-dev\tcmd:no-such-thing\ta thing\n");
    assert_true(compiled_shell("chmod +x bin/*; rm -f calls slept; touch slept"));
}

static void install(struct program *p, int status)
{
    program_run(p, "PATH=$D/bin:$PATH sh $D/scripts/install-deps.sh build; s=$?; cat $D/calls | wc "
                   "-l; wc -l <$D/slept; exit $s");
    if (p->status != status)
        fail_msg("exit %d, not %d:\n%s%s", p->status, status, p->out, p->err);
}

#define LOCKED "echo 'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held' >&2; exit 100"

TEST(a_lock_is_waited_for)
{
    struct program p;
    apt_get("[ $n -gt 3 ] || { " LOCKED "; }");
    install(&p, 0);
    assert_non_null(strstr(p.out, "4\n3\n")); /* four calls, with three pauses between them */
    assert_non_null(strstr(p.err, "Waiting for another installation"));
    program_free(&p);
}

TEST(but_not_for_ever)
{
    struct program p;
    apt_get(LOCKED);
    install(&p, 1);
    assert_non_null(strstr(p.err, "held apt's lock for 300 s"));
    assert_non_null(strstr(p.err, "apt-get install thing-dev"));
    program_free(&p);
}

TEST(other_failures_are_reported_at_once)
{
    struct program p;
    apt_get("echo 'E: Unable to locate package thing-dev' >&2; exit 100");
    install(&p, 1);
    assert_non_null(strstr(p.err, "Unable to locate package"));
    /* once more after updating the lists, without a pause */
    assert_non_null(strstr(p.out, "2\n0\n"));
    program_free(&p);
}

TEST_MAIN(begin, end)
