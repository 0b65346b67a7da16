/* rooftop trace as a user types it. Forks: not for TSan. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include "support/program.h"
#include "support/skip.h"
#include "support/test.h"

static void sees_error(const struct program *p, const char *text)
{
    if (!strstr(p->err, text))
        fail_msg("no '%s' in\n%s", text, p->err);
}

TEST(doctor_has_a_row_for_each_mechanism)
{
    struct program p;
    program_expect(&p, "\"$BIN\" doctor --format json", 0);
    program_sees(&p, "\"trace.ptrace\"");
    program_sees(&p, "\"trace.seccomp\"");
    program_free(&p);
}

/* A set-user-ID program loses its rights under a tracer without rights; the trace says so. */
TEST(a_lost_set_user_id_is_said)
{
    struct program p;
    if (geteuid() != 0)
        skip_because("set-user-ID programs: only root can make one and become nobody");
    program_expect(
        &p,
        "d=$(mktemp -d); chmod 755 $d; cp \"$BIN\" $d/rooftop; cp \"$(command -v id)\" "
        "$d/who; chmod 4755 $d/who\n"
        "setpriv --reuid 65534 --clear-groups $d/rooftop trace -o /dev/null -- $d/who -u; "
        "s=$?; rm -r $d; exit $s",
        0);
    assert_string_equal(p.out, "65534\n");
    sees_error(&p, "its set-user-ID has no effect");
    program_free(&p);
}

TEST(output_and_status_are_the_programs)
{
    static const struct {
        const char *command;
        int status;
    } list[] = {{"echo out; echo err >&2; exit 42", 42},
                {"cat; exit 0", 0},
                {"kill -TERM $$", 143},
                {"kill -SEGV $$", 139},
                {"ls /proc/self/fd | wc -l", 0},
                {"umask; ulimit -a; trap; echo $-", 0},
                {"grep -E '^(SigIgn|SigBlk|NoNewPrivs|Seccomp:)' /proc/self/status", 0}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct program plain, traced;
        char line[512];
        snprintf(line, sizeof line, "echo input | sh -c \"%s\"", list[i].command);
        program_run(&plain, line);
        snprintf(line, sizeof line,
                 "trap '' USR1; echo input | \"$BIN\" trace -f -o /dev/null -- sh -c \"%s\"",
                 list[i].command);
        if (strstr(list[i].command, "SigIgn")) { /* signals that were ignored before stay so */
            program_free(&plain);
            char same[512];
            snprintf(same, sizeof same, "trap '' USR1; sh -c \"%s\"", list[i].command);
            program_run(&plain, same);
        }
        program_expect(&traced, line, list[i].status);
        assert_int_equal(plain.status, list[i].status);
        assert_string_equal(traced.out, plain.out);
        assert_string_equal(traced.err, plain.err);
        program_free(&plain);
        program_free(&traced);
    }
}

/* Whatever is written, and by whatever mechanism: the program has the descriptors that it would
 * have untraced. */
TEST(no_descriptor_of_ours_reaches_the_program)
{
    static const char *const ways[] = {
        "-f --format text",          "-f --format json",   "-f --format csv",
        "-f --format html",          "-f --format chrome", "-c --format json",
        "-f --stack --format json",  "--format json",      "--calls openat --format json",
        "--inject -f --format json", "--function-time"};
    struct program p, plain;
    program_expect(&plain, "ls /proc/self/fd", 0);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char line[256];
        snprintf(line, sizeof line, "\"$BIN\" trace %s -o /dev/null -- ls /proc/self/fd", ways[i]);
        program_run(&p, line);
        if (strcmp(p.out, plain.out) != 0)
            fail_msg("%s: the program has\n%snot\n%s", ways[i], p.out, plain.out);
        program_free(&p);
    }
    program_free(&plain);
}

TEST(the_trace_goes_to_standard_error_or_a_file)
{
    struct program p;
    program_expect(&p, "\"$BIN\" trace -- echo hello", 0);
    assert_string_equal(p.out, "hello\n");
    sees_error(&p, "write(1, \"hello\\n\", 6) = 6\n");
    sees_error(&p, "+++ exited with 0 +++\n");
    assert_null(strstr(p.err, " <0."));
    program_free(&p);
    program_expect(&p,
                   "d=$(mktemp -d); \"$BIN\" trace -T -o $d/t -- echo hello; cat $d/t >&2; "
                   "\"$BIN\" trace -o $d/t -- true; wc -l <$d/t; rm -r $d",
                   0);
    sees_error(&p, "write(1, \"hello\\n\", 6) = 6 <0.");
    program_free(&p);
}

/* Text in a file that is called t.json would not be opened: it is said how to get what would be. */
TEST(a_name_that_promises_another_format_is_told)
{
    struct program p;
    program_expect(&p, "d=$(mktemp -d); \"$BIN\" trace -o $d/t.json -- true; rm -r $d", 0);
    sees_error(&p, "/t.json is written as text; --format json makes it a trace that rooftop opens");
    program_free(&p);
    program_expect(&p, "d=$(mktemp -d); \"$BIN\" trace -o $d/t.txt -- true; rm -r $d", 0);
    assert_null(strstr(p.err, "is written as text"));
    program_free(&p);
    program_expect(
        &p, "d=$(mktemp -d); \"$BIN\" trace --format json -o $d/t.json -- true; rm -r $d", 0);
    assert_null(strstr(p.err, "is written as text"));
    program_free(&p);
}

/* The last line: word 2 is seconds, word 4 is calls. */
TEST(counts_equal_those_of_strace)
{
    static const char *const list[] = {"true", "ls /",
                                       "sh -c 'ls /; cat /nonexistent; (exit 3); exit 0'"};
    struct program p;
    program_run(&p, "strace -V");
    const bool there = p.status == 0;
    program_free(&p);
    if (!there)
        skip_because("the same counts as strace's: install strace");
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char line[900];
        /* Name, calls and errors, sorted; the fifth word is a number where calls failed. Two
         * signals may arrive as one, so their returns are left out. */
        snprintf(line, sizeof line,
                 "rows() { awk '/^ *[0-9.]+ +[0-9.]+ +[0-9]+ +[0-9]+/ {print $NF, $4, "
                 "(NF > 5 ? $5 : 0)}' | grep -v -e ^rt_sigreturn -e ^total | sort; }\n"
                 "d=$(mktemp -d); strace -f -c -o $d/a -- %s >/dev/null 2>&1; rows <$d/a >$d/as\n"
                 "\"$BIN\" trace -f -c -o $d/b -- %s >/dev/null 2>&1; rows <$d/b >$d/bs\n"
                 "test -s $d/as && diff $d/as $d/bs; s=$?; rm -r $d; exit $s",
                 list[i], list[i]);
        program_answers(line, 0, "", "");
    }
    program_expect(
        &p, "\"$BIN\" trace -c -- true 2>&1 | tail -n 1 | awk '{print ($2 > 0), ($4 > 5)}'", 0);
    assert_string_equal(p.out, "1 1\n");
    program_free(&p);
}

TEST(the_table_is_sorted_by_time_and_can_be_extended)
{
    struct program p;
    program_answers(
        "\"$BIN\" trace -c -- sh -c 'sleep 0.1; true' 2>&1 | awk 'NR > 2 && NF < 7 && "
        "$1 ~ /^[0-9.]+$/ { if (NR > 3 && $2 > last && $NF != \"total\") exit 1; last = "
        "$2 } /waiting/ { last = 1e9 }'",
        0, "", "");
    program_expect(&p, "\"$BIN\" trace -c --stats-extended -- ls / >/dev/null", 0);
    sees_error(&p, "% time     seconds  usecs/call     calls    errors syscall\n");
    sees_error(&p, "p95      p99    bytes syscall\n");
    sees_error(&p, "\ncalls seen: ");
    program_free(&p);
    program_expect(&p, "\"$BIN\" trace -c --stats-extended --by ptrace -- true", 0);
    sees_error(&p, " by ptrace\n");
    program_free(&p);
}

/* The shell's child reads a pipe that is empty for a while, and a file: only the first is waiting.
 * The time of the sleep is the oracle. */
TEST(a_read_that_waited_for_a_pipe_is_set_apart_from_those_of_files)
{
    struct program p;
    /* who writes waits until the other one has begun to read */
    program_expect(&p,
                   "d=$(mktemp -d); sh -c 'n=0; until grep -qsE \"^(0|63) 0x0 \" /proc/$(cat "
                   "$0/pid 2>/dev/null)/syscall || [ $n -ge 3000 ]; do n=$((n + 1)); sleep 0.02; "
                   "done; sleep 0.3; echo x' $d | "
                   "\"$BIN\" trace -f -c -- sh -c 'echo $$ >$0/pid; read x; cat /etc/hostname "
                   ">/dev/null' $d; s=$?; rm -r $d; exit $s",
                   0);
    const char *rule = strstr(p.err, "waiting --------\n");
    double percent, seconds = 0, work = 0;
    unsigned long long each, calls = 0, others = 0;
    const char *row = rule ? strstr(rule, " read\n") : NULL, *above = strstr(p.err, " read\n");
    if (!row || !above || above > rule)
        fail_msg("read is not in both parts:\n%s", p.err);
    for (const char *line = p.err; line && line < row; line = strchr(line, '\n')) {
        line += *line == '\n';
        char name[32];
        if (sscanf(line, "%lf %lf %llu %llu %31s", &percent, &work, &each, &others, name) == 5 &&
            strcmp(name, "read") == 0)
            line < rule ? (void)0 : (void)(seconds = work, calls = others);
    }
    if (seconds < 0.2 || calls < 1)
        fail_msg("%g s in %llu calls that waited:\n%s", seconds, calls, p.err);
    program_free(&p);
}

/* wait4 lasts as long as the child sleeps, and costs nothing: it is below the calls that work. */
TEST(calls_that_wait_are_set_apart)
{
    struct program p;
    program_expect(&p, "\"$BIN\" trace -f -c -- sh -c 'sleep 0.1; true'", 0);
    const char *rule = strstr(p.err, "waiting --------\n");
    if (!rule || !strstr(rule, " wait4\n") || !strstr(rule, "nanosleep\n") ||
        !strstr(rule, " total\n") || strstr(rule, " execve\n"))
        fail_msg("not set apart:\n%s", p.err);
    if (!strstr(p.err, " execve\n"))
        fail_msg("no call that works:\n%s", p.err);
    program_free(&p);
    program_answers("\"$BIN\" trace -f -c --format json -- sh -c 'sleep 0.1; true' 2>&1 | "
                    "grep '\"waits\": true' | grep -c wait4",
                    0, "1\n", "");
}

TEST(expressions_choose_calls)
{
    struct program p;
    program_expect(
        &p, "\"$BIN\" trace -f -e trace=write -- sh -c 'echo a; echo b | cat' >/dev/null", 0);
    for (const char *at = p.err; (at = strstr(at, "] ")); at++)
        if (strncmp(at + 2, "write(", 6) != 0 && at[2] != '-' && at[2] != '+')
            fail_msg("not only write:\n%s", p.err);
    sees_error(&p, "write(1, \"a\\n\", 2) = 2");
    program_free(&p);
    program_expect(&p, "\"$BIN\" trace --calls opennat -- true", 2);
    sees_error(&p, "openat");
    program_free(&p);
    program_expect(&p, "\"$BIN\" trace -f --by seccomp --calls %file -- ls / >/dev/null", 0);
    sees_error(&p, "openat(AT_FDCWD, ");
    assert_null(strstr(p.err, "close("));
    program_free(&p);
}

TEST(documents_are_read_by_others)
{
    struct program p;
    program_expect(
        &p,
        "d=$(mktemp -d); \"$BIN\" trace -f --format json -o $d/t -- sh -c 'cat </dev/null; "
        "exit 3'; echo $? >&2; cat $d/t; rm -r $d",
        0);
    assert_string_equal(p.err, "3\n");
    cJSON *doc = cJSON_Parse(p.out);
    assert_non_null(doc);
    assert_string_equal(cJSON_GetObjectItem(doc, "format")->valuestring, "renacer-json-v1");
    const cJSON *calls = cJSON_GetObjectItem(doc, "syscalls"),
                *events = cJSON_GetObjectItem(doc, "events"),
                *summary = cJSON_GetObjectItem(doc, "summary"), *call;
    assert_int_equal(cJSON_GetObjectItem(summary, "exit_code")->valueint, 3);
    assert_int_equal(cJSON_GetObjectItem(summary, "total_syscalls")->valueint,
                     cJSON_GetArraySize(calls));
    assert_true(cJSON_GetArraySize(events) >= 5); /* two starts, two programs, an end */
    cJSON_ArrayForEach(call, calls)
    {
        const cJSON *args = cJSON_GetObjectItem(call, "args");
        assert_true(cJSON_IsString(cJSON_GetObjectItem(call, "name")));
        assert_true(cJSON_IsNumber(cJSON_GetObjectItem(call, "result")));
        assert_true(cJSON_IsNumber(cJSON_GetObjectItem(call, "tid")));
        assert_int_equal(cJSON_GetArraySize(args),
                         cJSON_GetArraySize(cJSON_GetObjectItem(call, "decoded")));
    }
    cJSON_Delete(doc);
    program_free(&p);
    program_expect(&p, "\"$BIN\" trace --format chrome -- true 2>&1", 0);
    doc = cJSON_Parse(p.out);
    assert_non_null(doc);
    assert_true(cJSON_GetArraySize(cJSON_GetObjectItem(doc, "traceEvents")) > 10);
    cJSON_Delete(doc);
    program_free(&p);
    program_expect(&p, "\"$BIN\" trace --format json -c -- true 2>&1", 0);
    doc = cJSON_Parse(p.out);
    assert_non_null(doc);
    assert_true(cJSON_GetArraySize(cJSON_GetObjectItem(doc, "counts")) > 5);
    cJSON_Delete(doc);
    program_free(&p);
    program_answers("\"$BIN\" trace --format csv -T -- echo '=1,\"x' 2>&1 >/dev/null", 0,
                    "syscall,arguments,result,duration,", "");
    program_expect(&p, "\"$BIN\" trace --format html -- echo '<script>' 2>&1 >/dev/null", 0);
    program_sees(&p, "&lt;script&gt;");
    program_sees(&p, "</html>");
    program_free(&p);
}

TEST(what_cannot_be_done_is_said)
{
    static const struct {
        const char *line;
        int status;
        const char *sees;
    } list[] = {{"\"$BIN\" trace", 2, "a command after --"},
                {"\"$BIN\" trace -p 1 -- true", 2, "rooftop"},
                {"\"$BIN\" trace -- /nonexistent", 127, "command not found"},
                {"\"$BIN\" trace -- /etc/passwd", 126, "Permission denied"},
                {"\"$BIN\" trace -- /etc/passwd", 126, "exited with 126"},
                {"\"$BIN\" trace -- /nonexistent", 127, "exited with 127"},
                {"\"$BIN\" trace -p 4194300", 4, "4194300"},
                {"\"$BIN\" trace --by nothing -- true", 2, "there are"},
                {"\"$BIN\" trace --by seccomp -- true", 6, "all calls are wanted"},
                /* the leak sanitizer does not work under ptrace */
                {"ASAN_OPTIONS=detect_leaks=0 \"$BIN\" trace -f --by ptrace -o /dev/null -- "
                 "\"$BIN\" trace --by ptrace -- true",
                 6, "a program can have one tracer"},
                {"\"$BIN\" trace -c --format chrome -- true", 2, "--summary"},
                {"\"$BIN\" trace --stats-extended -- true", 2, "-c"},
                {"\"$BIN\" trace -o /nonexistent/x -- true", 7, "/nonexistent/x"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct program p;
        program_expect(&p, list[i].line, list[i].status);
        sees_error(&p, list[i].sees);
        program_free(&p);
    }
}

/* The program is not harmed where its trace cannot be written. */
TEST(a_full_disk_ends_the_trace_and_not_the_program)
{
    struct program p;
    if (access("/dev/full", W_OK) != 0)
        skip_because("a full disk: there is no /dev/full");
    program_expect(
        &p, "\"$BIN\" trace -f -o /dev/full -- sh -c 'for i in 1 2 3; do ls /; done; echo whole'",
        7);
    program_sees(&p, "whole\n");
    sees_error(&p, "No space left");
    program_free(&p);
    program_expect(&p, "\"$BIN\" trace -- sh -c 'echo whole' 2>&-", 7); /* nobody would see it */
    assert_string_equal(p.out, "");
    program_free(&p);
    program_answers("\"$BIN\" trace -o /dev/null -- sh -c 'echo x >&2 || echo closed' 2>&-", 0,
                    "closed\n", "");
    program_answers(
        "\"$BIN\" trace -- sh -c 'ls /; ls /; echo whole' 2>&1 >/dev/tty_none | head -n 1; "
        "\"$BIN\" trace -- sh -c 'sleep 0.1; exit 0' 2>&1 | true",
        0, "", "");
}

TEST(a_signal_goes_to_the_program_and_the_trace_is_whole)
{
    struct program p;
    /* The program handles TERM, which it gets once, and the trace has its end. */
    program_expect(
        &p,
        "d=$(mktemp -d); \"$BIN\" trace -o $d/t -- sh -c 'trap \"echo told; exit 5\" TERM; "
        "echo go >$0/go; while :; do sleep 0.01; done' $d & "
        "until test -s $d/go; do sleep 0.01; done; kill -TERM $!; wait $!; echo $?; "
        "tail -n 1 $d/t; rm -r $d",
        0);
    assert_string_equal(p.out, "told\n5\n+++ exited with 5 +++\n");
    program_free(&p);
}

/* As strace -f does: the program gets the signal, and what it leaves behind goes on untraced. */
static void expect_end_by_term(const char *how)
{
    struct program p;
    char line[768];
    snprintf(line, sizeof line,
             "d=$(mktemp -d); \"$BIN\" trace -f %s -o $d/t -- sh -c '(while ! test -e $0/end; do "
             "sleep 0.01; done; echo went on; echo >$0/done) & echo $! >$0/go; wait' $d & "
             "until test -s $d/go; do sleep 0.01; done; kill -TERM $!; wait $!; echo $?; "
             "kill -0 $(cat $d/go) && echo is there; touch $d/end; "
             "until test -s $d/done; do sleep 0.01; done; rm -r $d",
             how);
    program_expect(&p, line, 0);
    assert_string_equal(p.out, "143\nis there\nwent on\n");
    program_free(&p);
}

TEST(a_program_that_is_ended_leaves_what_it_started)
{
    expect_end_by_term("");
    expect_end_by_term("--by ptrace");
}

TEST(a_process_goes_on_after_it_was_looked_at)
{
    struct program p;
    program_expect(
        &p,
        "d=$(mktemp -d); sh -c 'while ! test -e '$d'/end; do sleep 0.01; done; exit 9' & g=$!\n"
        "\"$BIN\" trace -f -o $d/t -p $g & t=$!\n"
        "until test -s $d/t; do sleep 0.01; done; kill -TERM $t; wait $t; echo $?\n"
        "touch $d/end; wait $g; echo $?; grep -c wait4 $d/t >/dev/null && echo seen; rm -r $d",
        0);
    assert_string_equal(p.out, "0\n9\nseen\n");
    program_free(&p);
}

/* A call that lasts is shown while it lasts. */
TEST(a_call_that_waits_is_shown)
{
    struct program p;
    program_expect(&p,
                   "d=$(mktemp -d); mkfifo $d/f; sleep 60 <$d/f & exec 3>$d/f; cat <$d/f & g=$!\n"
                   "\"$BIN\" trace -o $d/t -p $g & t=$!\n"
                   "until grep -q 'read(0, .*<unfinished ...>' $d/t; do sleep 0.05; done\n"
                   "kill -TERM $t; wait $t; kill $g %1; rm -r $d; echo shown",
                   0);
    assert_string_equal(p.out, "shown\n");
    program_free(&p);
}
