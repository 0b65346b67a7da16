/*
 * Programs that people use, by strace and by each mechanism: the same calls in the same order with
 * the same results. Each is skipped where it, or strace, is not installed. Forks: not for TSan.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/program.h"
#include "support/skip.h"
#include "support/test.h"

/* Name and result of each call. Results of more than two digits are addresses and sizes; process
 * numbers have any number of digits; who wants random numbers may ask again. */
#define CALLS                                                                                      \
    "sed -nE 's/^([0-9]+ +)?(\\[pid +[0-9]+\\] )?([a-z_0-9]+)\\(.*\\) += (-?[0-9a-fx]+|\\?).*/"    \
    "\\3 \\4/p' trace.txt | sed -E 's/ (0x[0-9a-f]{3,}|[0-9]{3,})$/ N/; s/ 0x([0-9])$/ \\1/; "     \
    "s/^(set_tid_address|getp?pid|gettid|getpgrp|getpgid|getsid) .*/\\1 P/; /^getrandom /d'"

static bool is_there(const char *name)
{
    char line[128];
    struct program p;
    snprintf(line, sizeof line, "command -v %s", name);
    program_run(&p, line);
    const bool there = p.status == 0;
    program_free(&p);
    return there;
}

static bool works(const char *by)
{
    char line[128];
    struct program p;
    snprintf(line, sizeof line, "\"$BIN\" trace --by=%s -o /dev/null -- true", by);
    program_run(&p, line);
    const bool ok = p.status == 0;
    program_free(&p);
    return ok;
}

/* The calls of the program, which runs in a folder of its own. */
static void calls_of(struct program *p, const char *tracer, const char *command)
{
    char line[1024];
    snprintf(line, sizeof line,
             "exe=$(realpath \"$BIN\"); d=$(mktemp -d) && cd $d && seq 500 > in.txt && %s -o "
             "trace.txt -- %s < /dev/null > "
             "out.txt 2>&1; " CALLS "; grep -E '^rooftop: .*(was|were) lost' out.txt >&2; rm -r $d",
             tracer, command);
    program_run(p, line);
}

/* The same by rooftop, again where its ring was full: nothing can be compared then. False: calls
 * were lost each time. */
static bool all_calls_of(struct program *p, const char *by, const char *command)
{
    enum { TIMES = 5 };
    char tracer[128];
    snprintf(tracer, sizeof tracer, "\"$exe\" trace --no-config --by=%s -f", by);
    for (int i = 0; i < TIMES; i++) {
        calls_of(p, tracer, command);
        if (!strstr(p->err, " lost"))
            return true;
        program_free(p);
    }
    return false;
}

/* Returns the number of mechanisms that lost calls each time. */
static int compare(const char *command)
{
    static const char *const ways[] = {"ptrace", "bpf"};
    struct program theirs, ours;
    int lossy = 0;
    calls_of(&theirs, "strace -f -qq", command);
    if (strlen(theirs.out) < 100)
        fail_msg("strace saw nothing of %s: %s", command, theirs.err);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (!works(ways[i]))
            continue;
        if (!all_calls_of(&ours, ways[i], command)) {
            lossy++;
            continue;
        }
        size_t at = 0, line = 1;
        while (theirs.out[at] && theirs.out[at] == ours.out[at])
            line += theirs.out[at++] == '\n';
        if (theirs.out[at] != ours.out[at])
            fail_msg("%s by %s: line %zu is\n%.60s\nand by strace\n%.60s", command, ways[i], line,
                     ours.out + at, theirs.out + at);
        program_free(&ours);
    }
    program_free(&theirs);
    return lossy;
}

/* Programs of one thread, which do the same each time. */
TEST(the_calls_are_those_of_strace)
{
    static const struct {
        const char *program, *command;
    } list[] = {
        {"perl", "perl -e 'open F, \"<\", \"in.txt\"; $n++ while <F>; print $n; unlink \"none\"'"},
        {"git", "git init -q repository"},
        {"sqlite3", "sqlite3 a.db 'create table t(a); insert into t values(1); select * from t'"},
        {"openssl", "openssl dgst -sha256 in.txt"},
        {"find", "find . -name '*.txt'"},
        {"sort", "sort -r in.txt -o sorted.txt"},
        {"gzip", "gzip -k in.txt"},
        {"tar", "tar cf a.tar in.txt"},
        {"curl", "curl -s -o out.html file:///etc/hostname"},
        {"sh", "sh -c 'cd / && exit 3'"},
    };
    int lossy = 0;
    if (!is_there("strace"))
        skip_because("strace is not installed");
    if (!works("ptrace"))
        skip_because("programs cannot be traced here");
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (is_there(list[i].program))
            lossy += compare(list[i].command);
    if (lossy)
        skip_because("calls were lost %d times: the machine is too busy; all others are the same",
                     lossy);
}
