/* What built a program: this one says so itself, by a macro of the compiler. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/bench/runner.h"
#include "support/test.h"

/* "12.2.0" of "12.2.0" and of "Debian Clang 14.0.6". */
static void version_number(char out[32])
{
    const char *at = __VERSION__;
    while (*at && !isdigit((unsigned char)*at))
        at++;
    snprintf(out, 32, "%.*s", (int)strspn(at, "0123456789."), at);
}

TEST(this_program_names_its_compiler)
{
    char out[BENCH_COMPILER], version[32];
    version_number(version);
    runner.compiler("/proc/self/exe", out, sizeof out);
    if (!strstr(out, version))
        fail_msg("'%s' has no %s", out, version);
}

/* Without debug information, .comment says it; a program without either, a script, a pipe, a folder
 * and nothing say nothing. */
TEST(what_is_left_says_it_or_nothing)
{
    char dir[] = "/tmp/rooftop-compiler-XXXXXX", command[512], out[BENCH_COMPILER], version[32];
    assert_non_null(mkdtemp(dir));
    version_number(version);
    snprintf(command, sizeof command,
             "cd %s && objcopy -g /proc/%d/exe bare && objcopy -g -R .comment /proc/%d/exe none && "
             "echo '#!/bin/sh' >script && mkfifo pipe && head -c 3000 bare >cut && mkdir folder",
             dir, (int)getpid(), (int)getpid());
    assert_int_equal(system(command), 0);
    static const char *const names[] = {"none", "script", "pipe", "cut", "folder", "nothing"};
    char path[128];
    snprintf(path, sizeof path, "%s/bare", dir);
    runner.compiler(path, out, sizeof out);
    if (!strstr(out, version))
        fail_msg("'%s' has no %s", out, version);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        runner.compiler(path, out, sizeof out);
        assert_string_equal(out, "");
    }
    setenv("PATH", dir, 1); /* a name without a slash is searched for */
    runner.compiler("bare", out, sizeof out);
    assert_non_null(strstr(out, version));
    snprintf(command, sizeof command, "/bin/rm -rf %s", dir);
    assert_int_equal(system(command), 0);
}
