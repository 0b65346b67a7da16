/* rooftop compare, and the summary of a command, as a user runs them. (Forks: not for TSan.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include "support/program.h"
#include "support/pty.h"
#include "support/temp_folder.h"
#include "support/test.h"

/* Writes a document of n runs with this CPU time and elapsed time in seconds, with a spread of 1
 * %. */
static void document(const char *name, int n, double seconds)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s.json", temp_folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("{\"schema\":\"rooftop.snapshot/1\",\"runs\":[", f);
    for (int i = 0; i < n; i++) {
        double v = seconds * (1 + 0.01 * (i % 3 - 1));
        fprintf(f,
                "%s{\"command\":\"./prog\\u001b[31m\",\"hostname\":\"h\",\"began_ns\":1,\"others\":"
                "0,\"whole\":true,\"numbers\":[{\"id\":\"elapsed\",\"label\":\"elapsed\",\"group\":"
                "\"time\",\"unit\":\"s\",\"value\":%g},{\"id\":\"cpu\",\"label\":\"CPU time\","
                "\"group\":\"time\",\"unit\":\"s\",\"value\":%g}]}",
                i ? "," : "", v, v);
    }
    fputs("]}\n", f);
    fclose(f);
}

FIXTURE_STATUS(begin)
{
    if (temp_folder_make(NULL) != 0)
        return -1;
    document("a", 6, 1);
    document("same", 6, 1.001);
    document("slow", 6, 1.1);
    document("fast", 6, 0.9);
    document("a1", 1, 1);
    document("b1", 1, 1.1);
    return 0;
}

TEST(the_status_is_for_ci)
{
    static const struct {
        const char *line;
        int status;
        const char *sees;
    } cases[] = {
        {"$BIN compare $D/a.json $D/slow.json", 0, "B is slower: elapsed +10"},
        {"$BIN compare --fail-on slower $D/a.json $D/slow.json", 9, "B is slower"},
        {"$BIN compare --fail-on slower=5% $D/a.json $D/slow.json", 9, "B is slower"},
        {"$BIN compare --fail-on slower=20% $D/a.json $D/slow.json", 0, "B is slower"},
        {"$BIN compare --fail-on slower $D/a.json $D/fast.json", 0, "B is faster"},
        {"$BIN compare --fail-on slower $D/a.json $D/same.json", 0, "no difference found"},
        {"$BIN compare --fail-on slower $D/a1.json $D/b1.json", 9, "assumed"},
        {"$BIN compare $D/a1.json,$D/a1.json,$D/a.json $D/slow.json", 0, "8 runs"},
        {"$BIN compare --format json $D/a.json $D/slow.json", 0, "\"spread_from\":\t\"runs\""},
        {"sed 's/\"whole\"/\"stopped\":true,&/g' $D/fast.json >$D/cut.json; $BIN compare "
         "$D/a.json $D/cut.json",
         0, "no verdict: the runs did not do the same work"},
        {"$BIN compare --fail-on slower $D/a.json $D/cut.json", 3,
         "--for or a signal ended B; how much each did is not known"},
        {"$BIN compare --format csv $D/a.json $D/slow.json", 0, "runs,more\r\n"},
        /* the folders that both have are left out, what differs is not */
        {"d=$D/$(printf 'x%.0s' $(seq 90)); mkdir $d; cp $D/a.json $D/slow.json $d; "
         "$BIN compare --size 80x24 $d/a.json $d/slow.json",
         0, "slow.json  "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program p;
        program_expect(&p, cases[i].line, cases[i].status);
        program_sees(&p, cases[i].sees);
        assert_null(strchr(p.out, '\033')); /* a name in a file must not reach the terminal raw */
        program_free(&p);
    }
}

TEST(mistakes_are_one_line)
{
    static const struct {
        const char *line;
        int status;
        const char *words;
    } cases[] = {
        {"$BIN compare --fail-on faster $D/a.json $D/a.json", 2, "slower=5%"},
        {"$BIN compare --fail-on slower=x $D/a.json $D/a.json", 2, "slower=5%"},
        {"$BIN compare --fail-on slower=-5 $D/a.json $D/a.json", 2, "slower=5%"},
        {"$BIN compare , $D/a.json", 2, "no file on a side"},
        {"$BIN compare --from 1ms $D/a.json $D/a.json", 2, "are for profiles"},
        {"$BIN compare $D/a.json,$D/none.json $D/a.json", 3, "none.json"},
        {"head -c 200 $D/a.json >$D/cut.json; $BIN compare $D/cut.json $D/a.json", 3, "damaged"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program p;
        program_expect(&p, cases[i].line, cases[i].status);
        assert_string_equal(p.out, "");
        if (program_lines(p.err) != 1 || !strstr(p.err, cases[i].words))
            fail_msg("%s said: %s", cases[i].line, p.err);
        program_free(&p);
    }
}

/* Times of CPUs of one run each: no verdict, and each row says why it has no interval, or that its
 * interval is one of the calls of these runs. */
TEST(a_row_without_an_interval_says_why)
{
    static const char *const words[] = {
        "no verdict: one run each: no interval; rooftop compare -- A -- B measures one\n",
        " none: one run each ? too few\n", "]* ? too few\n", "\n * calls of one run each: "};
    struct program p;
    program_expect(
        &p,
        "for i in 1 2; do \"$BIN\" report tree --format chrome -o $D/t$i.json -- "
        "${BIN%/rooftop}/examples/transformer/transformer --tokens 6 --threads 1 --quiet "
        ">/dev/null 2>&1; done; \"$BIN\" compare "
        "--utf8 $D/t1.json $D/t2.json",
        0);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        program_sees(&p, words[i]);
    program_free(&p);
}

TEST(a_command_ends_with_its_summary)
{
    static const char *const words[] = {"elapsed",
                                        "CPU time",
                                        "user",
                                        "system",
                                        "largest RSS",
                                        "switches, waiting",
                                        "switches, preempted",
                                        "minor faults",
                                        "major faults",
                                        "3 runs"};
    struct program p;
    program_expect(&p, "$BIN --headless --size 80x24 -r 3 -- sh -c 'exit 4'", 4);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        program_sees(&p, words[i]);
    program_free(&p);
    /* the first of three runs is by far the longest: the interval must not go below zero */
    program_answers("$BIN --headless --size 80x24 -r 3 -- sh -c '[ -e '$D'/was ] || "
                    "{ : >'$D'/was; sleep 2; }'",
                    0, "mean in [0 s .. ", "");
    /* the memory of a program that uses 64 MiB; rooftop's own memory must not count */
    program_answers("$BIN --headless --format json -- sh -c 'x=$(head -c 33554432 /dev/zero | tr "
                    "\"\\\\0\" x); : $x' >$D/memory.json",
                    0, "", "");
    program_expect(&p, "cat $D/memory.json", 0);
    cJSON *doc = cJSON_Parse(p.out), *number;
    double rss = 0;
    cJSON *run = cJSON_GetArrayItem(cJSON_GetObjectItem(doc, "runs"), 0);
    cJSON_ArrayForEach(number, cJSON_GetObjectItem(run, "numbers"))
    {
        if (strcmp(cJSON_GetObjectItem(number, "id")->valuestring, "rss") == 0)
            rss = cJSON_GetObjectItem(number, "value")->valuedouble;
    }
    assert_true(rss > 32 << 20);
    cJSON_Delete(doc);
    program_free(&p);
}

TEST(only_the_target_is_told_of)
{
    struct program p;
    program_expect(&p,
                   "$BIN --headless --only target --format json -p $$ >$D/o.json; "
                   "for i in $PPID $$; do grep -c '\"pid\":.'$i'\\b' $D/o.json; done",
                   0);
    if (strcmp(p.out, "0\n1\n") != 0)
        fail_msg("the other process is told of: %s", p.out);
    program_free(&p);
    program_expect(&p, "$BIN --headless --only target --size 120x40 -- sleep 0.1", 0);
    assert_null(strstr(p.out, " root "));
    program_free(&p);
}

TEST(a_watch_ends_when_its_time_is_over)
{
    program_answers("$BIN --headless --for 0.3 --size 80x24 -- sleep 600", 0, "elapsed", "");
    program_answers("$BIN record --for 0.3 -d 0.05 -o $D/for.rooftop", 0, "", "");
    program_answers("$BIN compare $D/for.rooftop $D/for.rooftop", 0, "THE WHOLE MACHINE", "");
}

/* In a terminal the comparison is a view; with --fail-on it is text, for scripts. */
TEST(in_a_terminal_it_is_a_view)
{
    char a[64], b[64];
    struct pty p;
    snprintf(a, sizeof a, "%s/a.json", temp_folder);
    snprintf(b, sizeof b, "%s/slow.json", temp_folder);
    const char *const argv[] = {program_rooftop(), "compare", a, b, NULL};
    const char *const env[] = {"TERM=xterm-256color", NULL};
    assert_int_equal(pty_start(&p, &(struct pty_config){argv, env, 100, 30}), 0);
    if (!pty_until_text(&p, "9 bench"))
        fail_msg("%d %x: %.*s", p.state, p.status, (int)p.raw_len, p.raw);
    assert_true(pty_until_text(&p, "B is slower: elapsed +10"));
    pty_keys(&p, "Q");
    assert_true(pty_until_state(&p, PTY_GONE));
    assert_int_equal(p.status, 0);
    pty_end(&p);
    const char *const text[] = {program_rooftop(), "compare", "--fail-on", "slower", a, b, NULL};
    assert_int_equal(pty_start(&p, &(struct pty_config){text, env, 100, 30}), 0);
    assert_true(pty_until_state(&p, PTY_GONE));
    assert_true(WIFEXITED(p.status) && WEXITSTATUS(p.status) == 9);
    pty_end(&p);
}

/* The dashboard leaves the summary of its command behind. */
TEST(the_dashboard_leaves_the_summary)
{
    struct pty p;
    const char *const argv[] = {program_rooftop(), "--", "sh", "-c", "echo", NULL};
    const char *const env[] = {"TERM=xterm-256color", NULL};
    assert_int_equal(pty_start(&p, &(struct pty_config){argv, env, 100, 30}), 0);
    assert_true(pty_until_text(&p, "ended: sh"));
    pty_keys(&p, "Q");
    assert_true(pty_until_state(&p, PTY_GONE));
    assert_non_null(strstr(p.raw, "minor faults"));
    pty_end(&p);
}

TEST_MAIN(begin, temp_folder_remove)
