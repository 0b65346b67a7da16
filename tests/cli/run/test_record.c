/* Records, plays, compares and damages sessions with the real program. (Forks: not for TSan.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/program.h"
#include "support/pty.h"
#include "support/temp_folder.h"
#include "support/test.h"

/* The command keeps its output and status; the session has every sample. */
TEST(a_command_is_recorded_and_played)
{
    struct program p;
    program_expect(&p,
                   "$BIN record -d 0.05 -o $D/a.rooftop -- sh -c 'echo hello; until [ $($BIN "
                   "$D/a.rooftop --format jsonl | wc -l) -ge 3 ]; do :; done; exit 3'",
                   3);
    assert_string_equal(p.out, "hello\n");
    program_free(&p);
    program_expect(&p, "$BIN $D/a.rooftop --format jsonl", 0);
    size_t samples = program_lines(p.out);
    assert_true(samples >= 3);
    program_free(&p);
    program_expect(&p, "$BIN $D/a.rooftop --format jsonl --frames 2", 0);
    assert_int_equal(program_lines(p.out), 2);
    program_free(&p);
    program_expect(&p, "$BIN $D/a.rooftop --headless --size 160x30", 0);
    assert_non_null(strstr(p.out, "ended: sh -c"));
    assert_non_null(strstr(p.out, "0.05 s"));
    program_free(&p);
}

/* What a session says is its first view on a terminal, and its report. */
TEST(a_session_says_what_it_recorded)
{
    static const char *const env[] = {"TERM=xterm-256color", "LC_ALL=C.UTF-8", "TZ=UTC",
                                      "ROOFTOP_CONFIG=/dev/null", NULL};
    const char *started[] = {program_rooftop(), "tests/data/session/frames-4.rooftop", NULL};
    struct pty p;
    assert_int_equal(pty_start(&p, &(struct pty_config){.argv = started, .env = env}), 0);
    assert_true(pty_until_text(&p, "the host's CPUs are busy: 97.1 % on average"));
    assert_true(pty_until_text(&p, "mean 97.1 %, peak 100.0 % at 18:51:13"));
    pty_keys(&p, "1");
    assert_true(pty_until_text(&p, "host: cpu ")); /* view 1 of what was watched */
    pty_keys(&p, "\003");
    assert_true(pty_until_state(&p, PTY_GONE) && p.status == 0);
    pty_end(&p);
    program_answers("$BIN record -o $D/failed -d 0.05 -- sh -c 'sleep 0.2; exit 3'; $BIN report "
                    "$D/failed",
                    0, "verdict       the command failed: exit 3", "");
    program_answers("$BIN report --brief $D/failed", 0, "- watched: sh -c sleep 0.2; exit 3", "");
}

TEST(a_killed_recorder_leaves_a_session)
{
    struct program p;
    program_expect(
        &p,
        "$BIN record -d 0.1 -o $D/k.rooftop & recorder=$!;"
        "while kill -0 $recorder && "
        "test $($BIN $D/k.rooftop --format jsonl 2>/dev/null | wc -l) -lt 2; do sleep 0.2; done;"
        "kill -9 $recorder; wait $recorder 2>/dev/null;"
        "$BIN $D/k.rooftop --format jsonl | wc -l",
        0);
    assert_true(strtol(p.out, NULL, 10) >= 2);
    program_free(&p);
}

/* A second recorder is refused, and the first one continues undisturbed. */
TEST(a_live_recording_is_not_replaced)
{
    struct program p;
    program_expect(&p,
                   "$BIN record -d 0.1 -o $D/l.rooftop & "
                   "until [ $($BIN $D/l.rooftop --format jsonl 2>/dev/null | wc -l) -ge 3 ]; "
                   "do :; done; "
                   "$BIN record -d 0.1 --replace -o $D/l.rooftop -- true; echo $?;"
                   "kill -TERM $!; wait $!; ls $D | grep ^l;"
                   "$BIN $D/l.rooftop --format jsonl | wc -l",
                   0);
    assert_non_null(strstr(p.err, "another rooftop records into it; end that one"));
    assert_int_equal(strncmp(p.out, "7\nl.rooftop\n", 12), 0);
    assert_true(strtol(p.out + 12, NULL, 10) >= 3);
    program_free(&p);
}

TEST(interrupted_by_hand_it_is_complete)
{
    struct program p;
    program_expect(&p,
                   "(trap - INT; exec $BIN record -d 0.1 -o $D/i.rooftop) & "
                   "until test -s $D/i.rooftop; do :; done; kill -INT $!; wait $!; "
                   "ls $D | grep ^i",
                   0);
    assert_string_equal(p.out, "i.rooftop\n"); /* SQLite's log was removed */
    program_free(&p);
}

TEST(two_sessions_are_compared)
{
    struct program p;
    program_answers("$BIN record -d 0.05 --frames 8 -o $D/1.rooftop", 0, "", "");
    program_answers("$BIN record -d 0.05 --frames 8 -o $D/2.rooftop", 0, "", "");
    program_expect(&p, "$BIN compare $D/1.rooftop $D/2.rooftop", 0);
    assert_non_null(strstr(p.out, "memory used"));
    assert_non_null(strstr(p.out, "false discovery rate"));
    program_free(&p);
    program_expect(&p, "$BIN compare --format json $D/1.rooftop $D/1.rooftop", 0);
    assert_non_null(strstr(p.out, "rooftop.compare/2"));
    assert_null(strstr(p.out, "\"more\"")); /* a run does not differ from itself */
    assert_null(strstr(p.out, "\"less\""));
    program_free(&p);
}

TEST(mistakes_are_one_line_and_lose_nothing)
{
    static const struct {
        const char *line;
        int status;
        const char *words;
    } cases[] = {
        {"$BIN $D/none.rooftop --headless", 3, "No such file"},
        {"$BIN /etc/passwd --headless", 3, "none of the formats"},
        {"$BIN $D/1.rooftop $D/2.rooftop", 2, "one file at a time"},
        {"$BIN $D/1.rooftop -- true", 2, "exclude each other"},
        {"$BIN record --frames 1 -o $D/1.rooftop", 7, "--replace"},
        {"$BIN record --frames 1 --replace -o $D/keep.txt", 7, "no session"},
        {"$BIN record --frames 1 -o /no/such/dir/x.rooftop", 7, "/no/such/dir"},
        {"$BIN record --frames 1 --max-size 5 -o $D/m.rooftop", 2, "--max-size"},
        {"$BIN record --frames 1 --max-size 5furlongs -o $D/m.rooftop", 2, "furlongs"},
        {"$BIN compare $D/1.rooftop", 2, "two sides are needed, 1 given"},
        {"$BIN compare $D/1.rooftop /etc/passwd", 3, "/etc/passwd"},
        {"$BIN --headless --format json -o $D/a.json && $BIN compare $D/a.json $D/a.json", 3,
         "it holds no run of a command"},
        {"$BIN $D/a.json --headless", 3, "rooftop record keeps samples"},
        {"$BIN compare --format svg $D/1.rooftop $D/2.rooftop", 2, "svg"},
    };
    struct program p;
    program_answers("echo mine >$D/keep.txt", 0, "", "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        program_expect(&p, cases[i].line, cases[i].status);
        if (program_lines(p.err) != 1 || !strstr(p.err, cases[i].words))
            fail_msg("%s: %s", cases[i].line, p.err);
        program_free(&p);
    }
    program_expect(&p, "cat $D/keep.txt; $BIN $D/1.rooftop --format jsonl | wc -l", 0);
    assert_int_equal(strncmp(p.out, "mine\n", 5), 0);
    assert_true(strtol(p.out + 5, NULL, 10) >= 8);
    program_free(&p);
}

TEST_MAIN(temp_folder_make, temp_folder_remove)
