/* rooftop check, as a user runs it. (Forks: not for TSan.) */
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

static void write_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", temp_folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

FIXTURE_STATUS(begin)
{
    if (temp_folder_make(NULL) != 0)
        return -1;
    write_file("kept.toml", "[[assertion]]\nname=\"calls\"\ntype=\"span_count\"\nmax_spans=100000\n"
                            "[[assertion]]\nname=\"memory\"\ntype=\"memory_usage\"\n"
                            "tracking_mode=\"rss\"\nmax_bytes=1000000000\n");
    write_file("broken.toml", "[[assertion]]\nname=\"writes\"\ntype=\"syscall_count\"\n"
                              "syscall=\"write\"\nmax_count=1\n");
    write_file("warns.toml", "[[assertion]]\nname=\"writes\"\ntype=\"syscall_count\"\n"
                             "syscall=\"write\"\nmax_count=1\nfail_on_violation=false\n");
    write_file("status.toml", "[[assertion]]\nname=\"fails\"\ntype=\"exit_status\"\nstatus=3\n");
    write_file("bad.toml", "[[assertion]]\nname=\"x\"\ntype=\"span_cuont\"\n");
    write_file("pattern.toml", "[[assertion]]\nname=\"buffers\"\ntype=\"anti_pattern\"\n"
                               "pattern=\"one_byte_reads\"\n");
    return 0;
}

/* What is refused differs from its limit also in print, and a pattern that matches nothing is
 * told. */
TEST(verdicts_say_why)
{
    write_file("close.toml", "[[assertion]]\nname=\"io\"\ntype=\"io_bytes\"\nmax_bytes=24999\n"
                             "path_pattern=\".*zeros\"\n[[assertion]]\nname=\"none\"\n"
                             "type=\"files_opened\"\nmax_count=3\npath_pattern=\"/no/such\"\n");
    program_answers("$BIN assert $D/close.toml -- sh -c 'head -c 25000 /dev/zero >$D/zeros'", 9,
                    "FAIL  io: 25000 B, at most 24999 B", "");
    program_answers("$BIN assert $D/close.toml -- true", 0,
                    "pass  none: 0, at most 3; no file of the run matches the pattern", "");
    program_answers("$BIN assert $D/close.toml -- true", 0,
                    "at most 24.4 KiB; no file, pipe or socket of the run matches the pattern", "");
}

/* A mechanism that is asked for by name is used, or refused for a reason that can be helped. */
TEST(inject_by_name)
{
    struct program p;
    program_run(&p, "$BIN assert --by inject $D/kept.toml -- true");
    program_lacks(&p, "only if asked for");
    if (strstr(p.err, "only if asked for"))
        fail_msg("%s", p.err);
    program_free(&p);
}

/* The golden trace of the program is what [regression] compares with. */
TEST(regressions_are_judged_by_the_golden_trace)
{
    write_file("regression.toml", "[regression]\nsyscall_threshold_percent = 20\n"
                                  "time_threshold_percent = 1000000\n"
                                  "[golden_traces]\ndirectory = \"gt\"\n");
    program_answers("cd $D && $BIN assert regression.toml -- cat /dev/null", 0,
                    "-     syscall_regression: no golden trace to compare with: rooftop check "
                    "golden capture cat",
                    "");
    program_answers("cd $D && $BIN golden capture --folder gt --repeat 3 cat -- cat /dev/null && "
                    "$BIN assert regression.toml -- cat /dev/null && grep -c '\"wall_ms\": "
                    "\\[[0-9.]*, [0-9.]*, [0-9.]*\\]' gt/cat.json",
                    0, "pass  syscall_regression: 0.0 %, at most 20.0 %", "");
    program_answers(
        "cd $D && $BIN assert --repeat 2 regression.toml -- cat /dev/null $(yes /dev/null | "
        "head -50)",
        9, "FAIL  syscall_regression: ", "");
    program_answers(
        "cd $D && echo '{' >gt/cat.json && $BIN assert regression.toml -- cat /dev/null", 3, "",
        "cat.json");
    program_answers(
        "cd $D && $BIN golden capture --folder gt --repeat 2 --level order other -- sh -c "
        "'echo $$'",
        3, "", "differ in");
}

TEST(statuses)
{
    program_answers("$BIN assert $D/kept.toml -- true", 0, "pass  calls: ", "");
    program_answers("$BIN assert $D/kept.toml -- true", 0, "pass  memory: ", "");
    program_answers("$BIN assert $D/broken.toml -- sh -c 'echo a; echo b'", 9,
                    "FAIL  writes: 2, at most 1 (+100 %)", "");
    program_answers("$BIN assert $D/warns.toml -- sh -c 'echo a; echo b'", 0, "warn  writes: 2",
                    "");
    program_answers("$BIN assert $D/kept.toml -- sh -c 'exit 3'", 9,
                    "FAIL  exit status: 3, expected 0", "");
    program_answers("$BIN assert $D/kept.toml -- sh -c 'kill -9 $$'", 9, "was killed by SIGKILL",
                    "");
    program_answers("$BIN assert $D/status.toml -- sh -c 'exit 3'", 0, "pass  fails", "");
    program_answers("$BIN assert $D/bad.toml -- true", 3, "", "bad.toml:3:6");
    program_answers("$BIN assert $D/none.toml -- true", 3, "", "none.toml");
    program_answers("$BIN assert /dev/null -- true", 0,
                    "note  /dev/null: the file states no budget", "");
    program_answers("$BIN assert $D/kept.toml -- /none/such", 127, "", "/none/such");
    program_answers("$BIN assert -- true", 2, "", "a file of budgets is missing");
    program_answers("$BIN assert $D/kept.toml", 2, "", "a command after --");
    program_answers("$BIN assert $D/kept.toml --by nothing -- true", 2, "", "nothing");
}

TEST(warnings_of_patterns)
{
    program_answers("$BIN assert $D/pattern.toml -- dd if=/dev/zero of=/dev/null bs=1 count=3000 "
                    "status=none",
                    9, "WARNING: Reads of one byte detected (confidence: ", "");
    program_answers("$BIN assert $D/pattern.toml -- dd if=/dev/zero of=/dev/null bs=1k count=3000 "
                    "status=none",
                    0, "pass  buffers: not seen", "");
}

/* A run that a signal to rooftop cut short says nothing about the program: no verdict is printed.
 */
TEST(an_interrupted_run_is_not_judged)
{
    for (int how = 0; how < 4; how++) {
        static const char *const signals[] = {"INT", "TERM", "INT", "TERM"};
        static const char *const repeats[] = {"", "", "--repeat 5", "--repeat 5"};
        char line[400];
        snprintf(line, sizeof line,
                 "rm -f $D/n; $BIN assert %s $D/kept.toml -- sh -c 'echo >>$D/n; [ $(wc -l <$D/n) "
                 "-lt %d ] || { kill -%s $PPID; exec sleep 600; }' >$D/out; echo status $?; "
                 "cat $D/out",
                 repeats[how], how < 2 ? 1 : 3, signals[how]);
        struct program p;
        program_run(&p, line);
        program_sees(&p, how % 2 ? "status 143\n" : "status 130\n");
        program_lacks(&p, "pass");
        if (!strstr(p.err, "a signal ended the run: it is not judged"))
            fail_msg("%s", p.err);
        program_free(&p);
    }
    /* a program that ends well although it was interrupted was still cut short */
    program_answers("$BIN assert $D/kept.toml -- sh -c 'trap \"exit 0\" INT; kill -INT $PPID; "
                    "while :; do sleep 0.05; done'; echo status $?",
                    0, "status 130", "it is not judged");
}

/* As the terminal does it: the key reaches rooftop and its program at once. */
TEST(an_interrupt_key_ends_it_without_a_verdict)
{
    char budgets[128];
    snprintf(budgets, sizeof budgets, "%s/kept.toml", temp_folder);
    const char *const argv[] = {program_rooftop(),
                                "assert",
                                budgets,
                                "--",
                                "sh",
                                "-c",
                                "echo it runs; exec sleep 600",
                                NULL};
    struct pty p;
    program_needed();
    assert_true(pty_interrupted(&p, argv, "it runs", "it is not judged"));
    assert_null(strstr(p.raw, "pass"));
    pty_end(&p);
}

TEST(as_json)
{
    struct program p;
    program_expect(&p,
                   "$BIN assert --format json $D/broken.toml -- sh -c 'echo a; echo b' "
                   "| sed '/^[ab]$/d'",
                   0);
    cJSON *doc = cJSON_Parse(p.out);
    assert_non_null(doc);
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(doc, "passed")));
    const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(doc, "budgets"), 0);
    assert_string_equal(cJSON_GetObjectItem(first, "state")->valuestring, "violated");
    assert_true(cJSON_GetObjectItem(first, "measured")->valuedouble == 2);
    assert_true(cJSON_GetObjectItem(first, "limit")->valuedouble == 1);
    cJSON_Delete(doc);
    program_free(&p);
}

/* A trace of before, the seed's own files, and a profile of a GPU. */
TEST(saved_traces)
{
    program_answers("$BIN trace -f --format json -o $D/run.json -- sh -c 'echo a; echo b' && "
                    "$BIN assert $D/broken.toml $D/run.json",
                    9, "FAIL  writes: 2, at most 1", "");
    program_answers("$BIN assert tests/data/renacer/reprorusted-python-cli.toml "
                    "tests/data/renacer/rust/trivial_cli.json",
                    9, "pass  max_syscall_budget: 65, at most 150", "");
    program_answers("$BIN assert tests/data/renacer/reprorusted-python-cli.toml "
                    "tests/data/renacer/python/trivial_cli.json.gz",
                    9, "FAIL  max_syscall_budget: 1220, at most 150", "");
    program_answers("$BIN assert $D/kept.toml tests/data/renacer/backend_detection_source.json", 3,
                    "", "it has no trace");
}

/* What the program writes and what is said of it do not share a stream. */
TEST(the_report_is_alone_on_standard_output)
{
    struct program p;
    program_expect(&p, "$BIN assert $D/status.toml -- sh -c 'echo OUT; exit 3'", 0);
    program_lacks(&p, "OUT");
    assert_string_equal(p.err, "OUT\n");
    program_free(&p);
    program_expect(&p, "$BIN assert -o $D/report $D/status.toml -- sh -c 'echo OUT; exit 3'", 0);
    assert_string_equal(p.out, "OUT\n"); /* the report went to a file */
    program_free(&p);
}

TEST(what_is_no_trace_is_refused)
{
    program_answers("$BIN check $D/status.toml tests/data/session/frames-4.rooftop", 3, "",
                    "it is a session");
    program_answers("timeout 20 $BIN check $D/status.toml /dev/zero", 3, "", "/dev/zero");
}

TEST(annotations_are_for_github_only)
{
    static const char two_writes[] = "-- sh -c 'echo a; echo b' 2>&1 >/dev/null | grep ^:: >&2; :";
    char line[256];
    snprintf(line, sizeof line, "GITHUB_ACTIONS=true $BIN assert $D/broken.toml %s", two_writes);
    program_answers(line, 0, "", "/broken.toml,line=1,title=writes::2, at most 1");
    snprintf(line, sizeof line, "GITHUB_ACTIONS=true $BIN assert $D/warns.toml %s", two_writes);
    program_answers(line, 0, "", "::warning file=");
    struct program p;
    program_expect(&p, "$BIN assert $D/broken.toml -- sh -c 'echo a; echo b'", 9);
    assert_null(strstr(p.err, "::"));
    program_free(&p);
}

/* The short answer names what failed, also for programs. */
TEST(the_brief_answer)
{
    program_answers("$BIN assert --brief $D/broken.toml -- sh -c 'echo a; echo b' 2>/dev/null", 9,
                    "- writes: FAIL: 2, at most 1", "");
    program_answers("$BIN assert --format markdown $D/broken.toml -- sh -c 'echo a; echo b'", 9,
                    "| writes | FAIL: 2, at most 1", "");
    program_answers("$BIN assert --brief --format json $D/kept.toml -- true", 0,
                    "\"verdict\":\"passed: 0 of 3 budgets", "");
}

/* The short answer of a run that passes lists the budgets that are nearest to their limit first. */
TEST(the_brief_answer_of_what_passes)
{
    char text[1024] = "";
    for (int i = 1; i <= 7; i++)
        sprintf(text + strlen(text),
                "[[assertion]]\nname=\"b%d\"\ntype=\"processes\"\nmax_count=%d\n", i, i);
    write_file("many.toml", text);
    struct program p;
    program_expect(&p, "$BIN check --brief $D/many.toml -- true", 0);
    const char *rows = strstr(p.out, "- b1: pass: 1, at most 1 (100 % used)\n"
                                     "- b2: pass: 1, at most 2 (50 % used)\n"
                                     "- b3: pass: 1, at most 3 (33.3 % used)\n"
                                     "- b4: pass: 1, at most 4 (25 % used)\n"
                                     "- b5: pass: 1, at most 5 (20 % used)\n"
                                     "  and 3 more\n");
    if (!rows || !strstr(p.out, "many.toml -- true\nnext: rooftop trace -- true\n") ||
        !strstr(p.out, "next: rooftop check /"))
        fail_msg("%s", p.out);
    program_free(&p);
    program_answers("$BIN check --format markdown $D/many.toml -- echo --brief 2>/dev/null", 0,
                    "many.toml -- echo --brief\n    rooftop trace -- echo --brief\n", "");
    program_answers("$BIN trace --format json -o $D/run.json -- true; "
                    "$BIN check --brief $D/many.toml $D/run.json",
                    0, "\nnext: rooftop report /", "");
    program_answers("cat $D/run.json | $BIN check --brief $D/many.toml - | grep -c next:", 1, "0",
                    "");
}

TEST_MAIN(begin, temp_folder_remove)
