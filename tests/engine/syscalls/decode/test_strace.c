/*
 * The same programs under strace and under rooftop: calls, order, arguments and results are the
 * same text. What is allowed to differ is replaced in both (the table `replaced`), and the
 * differences that stay are in docs/SYSCALLS.md.
 * Not for TSan: its runtime makes calls of its own, at other moments with other mechanisms. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/program.h"
#include "support/skip.h"
#include "support/syscall_cases.h"
#include "support/temp_folder.h"
#include "support/test.h"

/* What differs from run to run, as extended regular expressions for sed. */
static const char REPLACED[] = "-e 's/\\) += /) = /' "
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
                               /* strace says the date of a time too. */
                               "-e 's/ \\/\\* [0-9]{4}-[0-9]{2}-[0-9]{2}T[^*]*\\*\\///g'";

/* Writes strace.clean and ours.clean: the pids of the traced programs, of both traces (a number of
 * one may be a pid of the other: 4096), are replaced in both; the part from the first marker on is
 * kept.
 */
static void clean(void)
{
    char command[2048];
    snprintf(
        command, sizeof command,
        "cd '%s' && pids=$(sed -nE 's/^(getp?pid|gettid|getpgid|getsid|getpgrp|clone|fork|"
        "set_tid_address)\\(.*\\) += ([0-9]{3,})$/\\2/p' strace ours | sort -u | paste -sd'|') && "
        "for name in strace ours; do sed -nE '/^chdir\\(\"\\/case\\//,$p' $name | sed -E %s -e "
        "\"s/\\b($pids)\\b/PID/g\" >$name.clean; done",
        temp_folder, REPLACED);
    program_answers(command, 0, "", "");
}

static void trace(const char *how, const char *output)
{
    char command[1024], self[512];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = 0;
    snprintf(command, sizeof command,
             "cd '%s' && rm -rf work %s && mkdir work && cd work && %s ../%s -- %s --cases",
             temp_folder, output, how, output, self);
    program_answers(command, 7, "", "");
}

static void compare_cleaned(const char *what)
{
    char command[256];
    struct program p;
    clean();
    snprintf(command, sizeof command, "cd '%s' && diff -U2 strace.clean ours.clean", temp_folder);
    program_run(&p, command);
    if (p.status != 0)
        fail_msg("%s\n%s%s", what, p.out, p.err);
    program_free(&p);
    snprintf(command, sizeof command, "cd '%s' && cat strace.clean", temp_folder);
    program_expect(&p, command, 0);
    assert_in_range(program_lines(p.out), 500, 5000);
    program_free(&p);
}

/* The lines of the task that runs the programs, without its pid and the signals it gets. Calls that
 * a signal interrupts are seen by ptrace before the kernel decides whether it makes them again. */
static void of_one_task(const char *name)
{
    char command[512];
    snprintf(command, sizeof command,
             "cd '%s' && pid=$(sed -nE 's/^\\[pid ([0-9]+)\\] chdir.*/\\1/p' %s | sed 1q) && "
             "sed -nE -e '/ rt_sigreturn/d; s/\\? ERESTART[A-Z_]+ .*/-1 EINTR (Interrupted system "
             "call)/' "
             "-e 's/\\{[^{}]*\\}\\) = -1 EINTR/LEFT) = -1 EINTR/' "
             "-e \"s/^\\[pid $pid\\] ([^-])/\\1/p\" %s >one && mv one %s",
             temp_folder, name, name, name);
    program_answers(command, 0, "", "");
}

static int own_folder(void **state)
{
    return temp_folder_make(state);
}

TEST_WITH(same_text_as_strace, own_folder, temp_folder_remove)
{
    if (system("strace -o /dev/null true 2>/dev/null") != 0)
        skip_because("the comparison with strace: it is not installed, or may not trace here");
    trace("strace -a1 -o", "strace");
    trace("\"$BIN\" trace --by ptrace -o", "ours");
    compare_cleaned("- strace, + rooftop");
}

/* The recorder sees no signals that are delivered; a handler's calls come before the return of the
 * call that the signal came in. */
TEST_WITH(same_text_injected, own_folder, temp_folder_remove)
{
    char command[512];
    struct program p;
    snprintf(command, sizeof command,
             "cd '%s' && \"$BIN\" trace -f --by inject --inject -o probe -- true", temp_folder);
    program_run(&p, command);
    const int status = p.status;
    char why[256];
    snprintf(why, sizeof why, "%.*s", (int)strcspn(p.err, "\n"), p.err);
    program_free(&p);
    if (status != 0)
        skip_because("the comparison of injected traces: %s", why);
    trace("\"$BIN\" trace -f --by ptrace -o", "strace");
    of_one_task("strace");
    trace("\"$BIN\" trace -f --by inject --inject -o", "ours");
    of_one_task("ours");
    compare_cleaned("by inject: - ptrace, + inject");
}

/* Memory that was in no page yet, and that the kernel had no reason to look at: programs in the
 * kernel cannot read it. */
static void without_untouched(const char *name)
{
    char command[256];
    snprintf(command, sizeof command, "cd '%s' && sed -i '/^getsockname(1000,/d' %s", temp_folder,
             name);
    program_answers(command, 0, "", "");
}

TEST_WITH(same_text_by_bpf, own_folder, temp_folder_remove)
{
    char command[512];
    struct program p;
    snprintf(command, sizeof command, "cd '%s' && \"$BIN\" trace --by bpf -o probe -- true",
             temp_folder);
    program_run(&p, command);
    const int status = p.status;
    char why[256];
    snprintf(why, sizeof why, "%.*s", (int)strcspn(p.err, "\n"), p.err);
    program_free(&p);
    if (status != 0)
        skip_because("the comparison of traces by BPF: %s", why);
    trace("\"$BIN\" trace --by ptrace -o", "strace");
    without_untouched("strace");
    trace("\"$BIN\" trace --by bpf -o", "ours");
    without_untouched("ours");
    compare_cleaned("by bpf: - ptrace, + bpf");
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--cases") == 0)
        return syscall_cases_run();
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* the leak sanitizer does not work under ptrace */
    return tests_run(NULL, NULL);
}
