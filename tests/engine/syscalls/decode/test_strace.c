/*
 * The same programs under strace and under rooftop: calls, order, arguments and results are the
 * same text. What is allowed to differ is replaced in both (the table `replaced`), and the
 * differences that stay are in docs/SYSCALLS.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/program.h"
#include "support/skip.h"
#include "support/syscall_cases.h"
#include "support/temp_folder.h"

/* What differs from run to run, as extended regular expressions for sed. */
static const char REPLACED[] =
    "-e 's/\\) += /) = /' "
    "-e 's/0x[0-9a-f]{5,16}/ADDRESS/g' "
    "-e 's/htons\\([0-9]{5}\\)/htons(PORT)/g' "
    "-e 's/([rs])u_([us])time=\\{[^}]*\\}/\\1u_\\2time=TIME/g' "
    "-e 's/tv_(n?sec|usec)=[0-9]{3,}/tv_\\1=N/g' "
    "-e 's/si_[us]time=[0-9]+/si_time=N/g' "
    "-e 's/\\{tv_sec=[0-9]+, tv_nsec=[0-9N]+\\}\\) = \\?/LEFT) = ?/' "
    "-e 's/^time\\(NULL\\) = .*/time(NULL) = N/' "
    "-e 's/^((sem|msg|shm)(get|op|ctl|snd|rcv|at)\\()[0-9]+/\\1ID/' "
    "-e 's/^((sem|msg|shm)get\\(.*) = [0-9]+$/\\1 = ID/' "
    /* A call that lasts is shown before it ends too. */
    "-e '/<unfinished \\.\\.\\.>$/d' "
    /* strace says which mask is restored, and the date of a time; rooftop does not. */
    "-e 's/^rt_sigreturn\\(\\{mask=[^}]*\\}\\)/rt_sigreturn()/' "
    "-e 's/ \\/\\* [0-9]{4}-[0-9]{2}-[0-9]{2}T[^*]*\\*\\///g'";

/* The traced programs' pids, found in both traces, are replaced too; then the part between the
 * first and the last marker is kept. */
static void clean(const char *name)
{
    char command[2048];
    struct program p;
    snprintf(command, sizeof command,
             "cd '%s' && pids=$(sed -nE 's/^(getp?pid|gettid|getpgid|getsid|getpgrp|clone|fork|"
             "set_tid_address)\\(.*\\) += ([0-9]{3,})$/\\2/p' %s | sort -u | paste -sd'|') && "
             "sed -nE '/^chdir\\(\"\\/case\\//,$p' %s | sed -E %s -e \"s/\\b($pids)\\b/PID/g\" "
             ">%s.clean",
             temp_folder, name, name, REPLACED, name);
    program_expect(&p, command, 0);
    program_free(&p);
}

static void trace(const char *how, const char *output)
{
    char command[1024], self[512];
    struct program p;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = 0;
    snprintf(command, sizeof command,
             "cd '%s' && rm -rf work %s && mkdir work && cd work && %s ../%s -- %s --cases",
             temp_folder, output, how, output, self);
    program_expect(&p, command, 7);
    program_free(&p);
}

static void compare(const char *how)
{
    char command[256];
    struct program p;
    trace(how, "ours");
    clean("ours");
    snprintf(command, sizeof command, "cd '%s' && diff -U2 strace.clean ours.clean", temp_folder);
    program_run(&p, command);
    if (p.status != 0)
        fail_msg("%s: - strace, + rooftop\n%s%s", how, p.out, p.err);
    program_free(&p);
    snprintf(command, sizeof command, "cd '%s' && cat strace.clean", temp_folder);
    program_expect(&p, command, 0);
    assert_in_range(program_lines(p.out), 500, 5000);
    program_free(&p);
}

static int own_folder(void **state)
{
    return temp_folder_make(state);
}

static void same_text_as_strace(void **state)
{
    (void)state;
    if (system("strace -o /dev/null true 2>/dev/null") != 0)
        skip_because("the comparison with strace: it is not installed, or may not trace here");
    trace("strace -a1 -o", "strace");
    clean("strace");
    compare("\"$BIN\" trace --by ptrace -o");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_text_as_strace, own_folder, temp_folder_remove),
    };
    if (argc > 1 && strcmp(argv[1], "--cases") == 0)
        return syscall_cases_run();
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* the leak sanitizer does not work under ptrace */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
