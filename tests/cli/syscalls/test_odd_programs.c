/*
 * Programs that do rare things, by strace and by each mechanism: each call as often, with the same
 * results, and an end as without a tracer. Forks: not for TSan.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/compiled.h"
#include "support/program.h"
#include "support/recorder_library.h"
#include "support/skip.h"
#include "support/test.h"

/*
 * Name and result of each call, and how often. Results of more than two digits are addresses and
 * sizes. Calls that a tracer's stops make again, and those of a libc that waits, differ from run to
 * run.
 */
#define COUNTS                                                                                     \
    "sed -nE 's/^([0-9]+ +)?(\\[pid +[0-9]+\\] )?(<\\.\\.\\. )?([a-z_0-9]+)(\\(| resumed>).*\\) "  \
    "+= (-?[0-9a-fx]+|\\?).*/\\4 \\6/p' trace.txt | sed -E 's/ (0x[0-9a-f]+|[0-9]{3,})$/ N/; "     \
    "s/^(set_tid_address|getp?pid|gettid|clone3?|v?fork) [0-9N].*/\\1 P/; /^(futex|wait4|"         \
    "restart_syscall|rt_sigreturn|getrandom|tgkill|exit|exit_group|read) /d' | sort | uniq -c"

enum { NOT_ALLOWED = 77 };

static bool works(const char *how)
{
    char line[160];
    struct program p;
    snprintf(line, sizeof line, "%s true", how);
    program_run(&p, line);
    const bool ok = p.status == 0;
    program_free(&p);
    return ok;
}

/* Runs the program in its folder; its status is that of the shell. The counts are printed. */
static void trace(struct program *p, const char *tracer, const char *name)
{
    char line[1400];
    snprintf(line, sizeof line,
             "BIN=$(realpath \"$BIN\"); cd %s && %s ./odd %s < /dev/null > out.txt 2> err.txt; "
             "s=$?; " COUNTS "; grep -E '^rooftop: .*(was|were) lost' err.txt >&2; exit $s",
             compiled_dir(), tracer, name);
    program_run(p, line);
}

/* Returns false where calls were lost each time. */
static bool compare(const char *name, const char *by, const struct program *strace, int status)
{
    enum { TIMES = 5 };
    char tracer[128];
    snprintf(tracer, sizeof tracer, "$BIN trace --no-config -f --by %s -o trace.txt --", by);
    for (int i = 0; i < TIMES; i++) {
        struct program p;
        trace(&p, tracer, name);
        const bool lost = strstr(p.err, " lost");
        if (!lost && p.status != status)
            fail_msg("%s by %s ends with %d, untraced with %d", name, by, p.status, status);
        if (!lost && strcmp(p.out, strace->out) != 0)
            fail_msg("%s by %s:\n%s\nby strace:\n%s", name, by, p.out, strace->out);
        program_free(&p);
        if (!lost)
            return true;
    }
    return false;
}

static void begin(void)
{
    char here[2048], line[4096];
    assert_non_null(getcwd(here, sizeof here));
    program_needed();
    recorder_library_use();
    compiled_new();
    setenv("XDG_STATE_HOME", compiled_path("state"), 1);
    snprintf(line, sizeof line,
             "cc -O1 -D_GNU_SOURCE -o odd %s/tests/recorder/programs/odd.c -pthread", here);
    assert_true(compiled_shell(line));
}

TEST(the_calls_are_those_of_strace)
{
    static const char *const names[] = {"shares",     "sibling", "long-paths", "descriptors",
                                        "overflow",   "strict",  "answered",   "first-ends",
                                        "other-user", "unknown"};
    static const char *const ways[] = {"ptrace", "bpf", "inject"};
    int lossy = 0;
    if (!works("strace -o /dev/null"))
        skip_because("strace is not installed, or may not trace");
    begin();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct program untraced, strace;
        trace(&untraced, "", names[i]);
        trace(&strace, "strace -f -qq -o trace.txt", names[i]);
        if (!strstr(strace.out, "execve 0\n"))
            fail_msg("strace saw nothing of %s: %s%s", names[i], strace.out, strace.err);
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
            char probe[128];
            snprintf(probe, sizeof probe, "\"$BIN\" trace --by=%s -f -o /dev/null --", ways[k]);
            if (untraced.status != NOT_ALLOWED && works(probe))
                lossy += !compare(names[i], ways[k], &strace, untraced.status);
        }
        program_free(&untraced);
        program_free(&strace);
    }
    compiled_free();
    if (lossy)
        skip_because("calls were lost %d times: the machine is too busy; all others are the same",
                     lossy);
}
