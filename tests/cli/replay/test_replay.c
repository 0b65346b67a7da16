/* rooftop gpu replay without a GPU: what it refuses, how it supervises its child (a shell script
 * here), what it prints, and what starts a round of edit. */
#include "cli/replay/replay.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/watch.h"
#include "cli/run/build_command.h"
#include "cli/replay/replay_watch.h"
#include "export/brief.h"
#include "support/made_capture.h"
#include "support/program.h"
#include "support/test.h"

static char folder[64], script[96], count_file[96];
static struct replay_outcome out;
static int events;

FIXTURE(start)
{
    snprintf(folder, sizeof folder, "/tmp/rooftop-replay-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(script, sizeof script, "%s/self", folder);
    snprintf(count_file, sizeof count_file, "%s/count", folder);
    out = (struct replay_outcome){0};
    events = 0;
}
FIXTURE_STATUS(finish)
{
    char command[128];
    replay_outcome_free(&out);
    unsetenv("ROOFTOP_SELF");
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* Writes the script that stands for the child. */
static void child(const char *body)
{
    FILE *f = fopen(script, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\necho x >>%s\n%s\n", count_file, body);
    fclose(f);
    assert_int_equal(chmod(script, 0755), 0);
    setenv("ROOFTOP_SELF", script, 1);
}

static long starts(void)
{
    char text[64] = "";
    FILE *f = fopen(count_file, "r");
    const size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    return (long)n / 2;
}

static void count_event(void *ctx, const cJSON *event, const char *line)
{
    (void)ctx;
    assert_non_null(event);
    assert_int_equal(*line, '{');
    events++;
}

static void supervise(double limit_s)
{
    struct error err = ERROR_INIT;
    char *words[] = {"rooftop", "replay", "full-vm", NULL};
    assert_int_equal(replay_supervise(words, limit_s, count_event, NULL, &out, &err), 0);
}

static const char *text_of(const cJSON *j, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(j, key));
}

#define STAGE(name) "echo '{\"event\":\"stage\",\"name\":\"" name "\"}';"

TEST_WITH(test_a_result_comes_back, start, finish)
{
    child(STAGE("check") "echo noise; echo; " STAGE(
        "run") "echo '{\"event\":\"result\",\"result\":{\"x\":1}}'; exit 9");
    supervise(600);
    assert_int_equal(events, 2);
    assert_int_equal(out.status, 9);
    assert_non_null(cJSON_GetObjectItemCaseSensitive(out.result, "x"));
    assert_null(out.error);
}

TEST_WITH(test_an_error_comes_back, start, finish)
{
    child("echo '{\"event\":\"error\",\"kind\":\"fault\",\"message\":\"m\"}'; exit 10");
    supervise(600);
    assert_int_equal(out.status, 10);
    assert_string_equal(text_of(out.error, "message"), "m");
}

TEST_WITH(test_a_hang_is_ended, start, finish)
{
    child(STAGE("initialise") "sleep 60 & sleep 60");
    supervise(0.3);
    assert_int_equal(out.status, 11);
    assert_string_equal(text_of(out.error, "kind"), "timeout");
    assert_non_null(strstr(text_of(out.error, "message"), "in stage initialise"));
}

/* Checking a capture has no time limit, because a disk may be slow. */
TEST_WITH(test_checking_is_not_hurried, start, finish)
{
    child(STAGE("check") "sleep 0.6; echo '{\"event\":\"result\",\"result\":{}}'");
    supervise(0.2);
    assert_int_equal(out.status, 0);
}

static bool has_not_started(void *ctx)
{
    (void)ctx;
    return starts() == 0;
}

/* Who is interrupted does not wait for what has no limit. */
TEST_WITH(test_what_is_given_up_is_ended, start, finish)
{
    static const struct watch watch = {has_not_started, NULL};
    child("sleep 1000");
    const struct watch *before = watch_set(&watch);
    supervise(900);
    watch_set(before);
    assert_int_equal(starts(), 1);
    assert_null(out.result);
}

TEST_WITH(test_a_crash_is_explained, start, finish)
{
    child(STAGE("load") "echo 'assertion failed' >&2; kill -SEGV $$");
    supervise(600);
    assert_int_equal(out.status, 1);
    assert_string_equal(text_of(out.error, "kind"), "internal");
    assert_non_null(strstr(text_of(out.error, "message"), "signal 11"));
    assert_non_null(strstr(text_of(out.error, "message"), "in stage load: assertion failed"));
    replay_outcome_free(&out);
    child("echo 'Memory access fault by GPU node-1 on address 0x7000. Reason: Unknown.' >&2; kill "
          "-ABRT $$");
    supervise(600);
    assert_int_equal(out.status, 10);
    assert_string_equal(text_of(out.error, "kind"), "fault");
}

/* If the child's own memory occupies an address of the capture, another process is tried, which
 * has another layout. */
TEST_WITH(test_taken_addresses_are_tried_again, start, finish)
{
    child("if [ $(wc -l <$0.n 2>/dev/null || echo 0) -lt 2 ]; then echo >>$0.n; "
          "echo '{\"event\":\"error\",\"kind\":\"relocated\",\"message\":\"m\",\"again\":true}'; "
          "exit 1; fi; "
          "echo '{\"event\":\"result\",\"result\":{}}'");
    supervise(600);
    assert_int_equal(out.status, 0);
    assert_int_equal(starts(), 3);
    replay_outcome_free(&out);
    child("echo '{\"event\":\"error\",\"kind\":\"relocated\",\"message\":\"m\",\"again\":true}'; "
          "exit 1");
    supervise(600);
    assert_int_equal(out.status, 1);
    assert_int_equal(starts(), 3 + 8);
}

/* --- the command */

static void refuses(const char *words, int status, const char *text)
{
    struct program p;
    char line[512];
    snprintf(line, sizeof line, "$BIN --no-config 2>/dev/null; $BIN replay %s", words);
    program_run(&p, strchr(line, ';') + 2);
    if (p.status != status || !strstr(p.err, text))
        fail_msg("'%s': status %d, '%s'", words, p.status, p.err);
    program_free(&p);
}

TEST_WITH(test_usage, start, finish)
{
    program_needed();
    refuses("", 2, "one of reserve-check, full-vm, compare, edit must follow");
    refuses("half-vm", 2,
            "'gpu replay half-vm': rooftop has no such command; did you mean 'full-vm'?");
    refuses("full-vm", 2, "which capture?");
    refuses("reserve-check --capture-dir x --verify", 1,
            "not an option of rooftop gpu replay reserve-check");
    /* for reserve-check, status 2 means relocated */
    refuses("reserve-check --nosuch", 1, "--nosuch");
    refuses("reserve-check --timeout x", 1, "--timeout");
    refuses("full-vm --nosuch", 2, "--nosuch");
    refuses("full-vm --capture-dir x --once", 2, "not an option of rooftop gpu replay full-vm");
    refuses("full-vm --capture-dir x a.hsaco", 2, "takes no file");
    refuses("full-vm --capture-dir x --tolerance f99", 2, "f99");
    refuses("full-vm --capture-dir x --iterations 0", 2, "--iterations");
    /* the same limit as in the dashboard */
    refuses("full-vm --capture-dir x --iterations 1000001", 2, "1000000");
    refuses("compare --capture-dir x", 2, "one to 31 code objects");
    refuses("edit --capture-dir x --build 'true {out}'", 2, "which file is edited?");
    refuses("edit --capture-dir x --source /etc/passwd", 2, "how is it built?");
    refuses("edit --capture-dir x --source /etc/passwd --build true", 2, "{out}");
}

/* With a valid capture but no GPU, the capture is checked first, then the missing GPU is
 * reported. */
TEST_WITH(test_without_a_gpu, start, finish)
{
    struct made_capture made;
    struct program p;
    char line[256];
    program_needed();
    made_capture_make(&made);
    snprintf(line, sizeof line, "$BIN replay reserve-check --capture-dir %s --progress", made.dir);
    program_run(&p, line);
    if (p.status == 6) { /* otherwise this machine has a GPU */
        if (!strstr(p.out, "was built without its headers"))
            assert_non_null(strstr(p.out, "{\"event\":\"stage\",\"name\":\"hold\"}\n"));
        assert_non_null(strstr(p.out, "\"kind\":\"runtime\""));
    } else {
        assert_true(p.status >= 0 && p.status <= 2);
    }
    program_free(&p);
    snprintf(line, sizeof line, "$BIN replay full-vm --capture-dir %s --json", made.dir);
    made_capture_write(&made, "kernel.hsaco", "xyz", 3);
    program_run(&p, line);
    assert_int_equal(p.status, 3);
    assert_non_null(strstr(p.out, "\"kind\":\"capture\""));
    program_free(&p);
    made_capture_remove(&made);
}

/* --- texts */

TEST_WITH(test_texts, start, finish)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    cJSON *j = cJSON_Parse(
        "{\"base\":139637976727552,\"size\":8192,\"status\":\"RELOCATED\",\"address\":4096}");
    replay_text_region(f, j);
    cJSON_Delete(j);
    j = cJSON_Parse("{\"regions\":2,\"total_bytes\":70,\"page_size\":4096}");
    replay_text_check(f, j);
    cJSON_Delete(j);
    j = cJSON_Parse(
        "{\"kernel\":{\"name\":\"k\"},\"execution\":{\"iterations\":3,\"mode\":\"stateful\"},"
        "\"timing\":"
        "{\"average\":2.5,\"min\":1,\"max\":4,\"stddev\":1.5,\"median\":2},\"verify\":{\"equal\":"
        "false,"
        "\"type\":\"f32\",\"regions_compared\":1,\"differences\":[{\"region\":4096,\"offset\":8,"
        "\"address\":4104,\"expected\":1,\"found\":2,\"count\":3}]},\"notes\":[\"one\"]}");
    replay_text_full_vm(f, j);
    cJSON_Delete(j);
    fclose(f);
    static const char *const wanted[] = {
        "Region 0x7f0000000000 size 8192 -> RELOCATED (0x1000)\n",
        "\nSummary:\n  Regions: 2\n  Total bytes: 70\n  Page size: 4096\n",
        "Iterations: 3\nMode: stateful\nAverage GPU time: 2.50 us\nMin GPU time: 1.00 us\n",
        "Max GPU time: 4.00 us\nStddev GPU time: 1.50 us\n",
        "region 0x1000 offset 8 (0x1008): expected 0x1, found 0x2; 3 elements (f32) differ\n",
        "Note: one\n"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(text, wanted[i]))
            fail_msg("no '%s' in\n%s", wanted[i], text);
    free(text);
}

/* The short answers, of the same documents. */
TEST(short_answers)
{
    struct brief b = {.command = "replay full-vm"};
    cJSON *j = cJSON_Parse(
        "{\"kernel\":{\"name\":\"k\"},\"execution\":{\"iterations\":3},\"timing\":{\"median\":2},"
        "\"verify\":{\"equal\":false,\"regions_compared\":1,\"bytes_compared\":8},\"notes\":["
        "\"one\"]}");
    replay_brief(&b, j, "replay full-vm");
    assert_string_equal(b.verdict, "k computes something else than captured");
    assert_string_equal(b.evidence[0], "8 bytes of 1 regions compared");
    assert_string_equal(b.evidence[1], "one");
    assert_string_equal(b.rows[0].measure, "2.00 us");
    cJSON_Delete(j);
    b = (struct brief){.command = "replay reserve-check"};
    j = cJSON_Parse("{\"regions\":2,\"failed\":1,\"total_bytes\":70,\"page_size\":4096}");
    replay_brief(&b, j, "replay reserve-check");
    assert_string_equal(b.verdict, "2 regions: 1 could not be reserved, 0 only at another address");
    cJSON_Delete(j);
    b = (struct brief){.command = "replay compare"};
    j = cJSON_Parse("{\"kernel\":{\"name\":\"k\"},\"variants\":[{\"name\":\"captured\",\"timing\":"
                    "{\"average\":4}},{\"name\":\"new\",\"timing\":{\"average\":2}}],"
                    "\"comparisons\":[{\"variant\":1,\"ratio\":0.5,\"verdict\":\"faster\"}]}");
    replay_brief(&b, j, "replay compare");
    assert_string_equal(b.verdict, "2 variants of k");
    assert_string_equal(b.rows[1].measure, "faster: 0.5000 of the first, 2.00 us");
    cJSON_Delete(j);
}

/* --- edit */

TEST_WITH(test_build, start, finish)
{
    struct build_command b;
    const volatile sig_atomic_t no = 0;
    char path[128];
    snprintf(path, sizeof path, "%s/it's", folder);
    child("exit 0");
    build_command_run(&b, "cp {source} {out}; echo done", script, path, 600, &no);
    assert_true(b.ok);
    assert_string_equal(b.output, "done\n");
    assert_int_equal(access(path, F_OK), 0);
    build_command_run(&b, "printf 'bad: {out'; exit 4", script, path, 600, &no);
    assert_false(b.ok);
    assert_string_equal(b.status, "exit 4");
    assert_string_equal(b.output, "bad: {out\n");
    build_command_run(&b, "sleep 60 & sleep 60", script, path, 0.2, &no);
    assert_false(b.ok);
    assert_string_equal(b.status, "ended after 0.2 s");
    build_command_run(&b, "yes 0123456789 | head -n 1000000", script, path, 600, &no);
    const size_t n = strlen(b.output);
    assert_true(n > 0 && n <= BUILD_OUTPUT && b.output[n - 1] == '\n');
}

static void save(const char *path, const char *how)
{
    char command[300];
    snprintf(command, sizeof command, "f=%s; %s", path, how);
    assert_int_equal(system(command), 0);
}

TEST_WITH(test_saves_are_seen, start, finish)
{
    struct replay_watch w = {.fd = -1};
    struct error err = ERROR_INIT;
    const volatile sig_atomic_t no = 0, yes = 1;
    char path[128];
    snprintf(path, sizeof path, "%s/a.hip", folder);
    save(path, "echo 1 >$f");
    assert_int_equal(replay_watch_open(&w, path, &err), 0);
    save(path, "echo 2 >>$f");
    assert_int_equal(replay_watch_wait(&w, &no), 0);
    save(path, "echo 3 >$f.new && mv $f.new $f"); /* editors replace the file */
    assert_int_equal(replay_watch_wait(&w, &no), 0);
    save(path, "echo 4 >$f.other");
    assert_int_equal(replay_watch_wait(&w, &yes), -1);
    replay_watch_close(&w);
    snprintf(path, sizeof path, "%s/nowhere/a.hip", folder);
    assert_int_not_equal(replay_watch_open(&w, path, &err), 0);
}

#define FOUR "4,4,4,4,4,4"
#define TWO  "2,2,2,2,2,2"
#define ONE  "1,1,1,1,1,1"
#define VARIANT(average, samples)                                                                  \
    "{\"timing\":{\"average\":" average ",\"samples\":[" samples "]},\"verify\":{\"equal\":true}}"
#define RESULT(variants)                                                                           \
    "echo '{\"event\":\"result\",\"result\":{\"variants\":[" variants "],\"comparisons\":[]}}'"

static void edit_once(struct program *p, const char *more)
{
    char line[600];
    snprintf(line, sizeof line,
             "cd %s && echo ok >a.hip && $BIN replay edit --capture-dir x --source a.hip --once "
             "--build 'cp {source} {out}' %s",
             folder, more);
    program_run(p, line);
    assert_int_equal(p->status, 0);
}

/* Prints the measured numbers, and one ratio for the single pair, in text and JSON alike. */
TEST_WITH(test_edit_prints_its_numbers, start, finish)
{
    struct program p;
    program_needed();
    child(RESULT(VARIANT("4", FOUR) "," VARIANT("2", TWO)));
    edit_once(&p, "");
    assert_non_null(strstr(p.out, "2.00 us, 0.500 x captured (faster), 0.500 x best (faster), "
                                  "output equal, the best so far"));
    program_free(&p);
    edit_once(&p, "--json");
    assert_non_null(strstr(p.out, "\"ratio_captured\":0.5,"));
    assert_non_null(strstr(p.out, "\"ratio_best\":0.5,"));
    program_free(&p);
}

/* A build with a lower mean is not the best if chance explains the difference, or if there were
 * too few launches. */
TEST_WITH(test_edit_calls_best_what_is_faster, start, finish)
{
    struct program p;
    program_needed();
    child(RESULT(VARIANT("5", "5,3,6,4,5,7,4,6") "," VARIANT("4.75", "4,7,3,5,4,6,5,4")));
    edit_once(&p, "");
    assert_non_null(strstr(p.out, "x captured (same)"));
    assert_non_null(strstr(p.out, "x best (same)"));
    assert_null(strstr(p.out, "the best so far"));
    program_free(&p);
    child(RESULT(VARIANT("4", "4,4") "," VARIANT("2", "2,2")));
    edit_once(&p, "");
    assert_non_null(strstr(p.out, "0.500 x best (too few)"));
    assert_null(strstr(p.out, "the best so far"));
    program_free(&p);
}

/* Each save starts a round: the child's document is used, a failed build is reported, the loop
 * continues. */
TEST_WITH(test_edit_goes_on, start, finish)
{
    char line[1000];
    struct program p;
    program_needed();
    /* in the third round the child gets the best build between the captured one and the new one */
    child("case \" $* \" in *round-*round-*) " RESULT(
        VARIANT("4", FOUR) "," VARIANT("2", TWO) "," VARIANT(
            "1", ONE)) " ;; *) " RESULT(VARIANT("4", FOUR) "," VARIANT("2", TWO)) " ;; esac");
    snprintf(line, sizeof line,
             "cd %s && mkdir tmp && export TMPDIR=$PWD/tmp && echo ok >a.hip && : >log && { "
             "timeout -s INT "
             "600 $BIN replay edit --capture-dir x "
             "--source a.hip --json "
             "--build 'grep -q ok {source} && cp {source} {out}' >log & } && "
             "i=0; for n in 1 2 3; do while [ $(wc -l <log) -lt $n ] && [ $i -lt 3000 ]; do sleep "
             "0.1; i=$((i+1)); done; "
             "[ $n = 1 ] && echo no >a.hip; [ $n = 2 ] && echo ok >a.new && mv a.new a.hip; done; "
             "kill -INT $!; wait $!; "
             "echo status $?; cat log; echo left: $(ls tmp).",
             folder);
    program_run(&p, line);
    assert_non_null(strstr(p.out, "left: .")); /* no temporary build is left */
    assert_non_null(strstr(p.out, "\"round\":1,\"built\":true"));
    assert_non_null(
        strstr(p.out, "\"microseconds\":2,\"ratio_captured\":0.5,\"verdict_captured\":\"faster\","
                      "\"ratio_best\":0.5,\"verdict_best\":\"faster\""));
    assert_non_null(strstr(p.out, "\"best\":true"));
    assert_non_null(strstr(p.out, "\"round\":2,\"built\":false"));
    assert_non_null(strstr(p.out, "\"build_status\":\"exit 1\""));
    assert_non_null(strstr(p.out, "\"round\":3,\"built\":true"));
    assert_non_null(strstr(p.out, "\"microseconds\":1,\"ratio_captured\":0.25,"
                                  "\"verdict_captured\":\"faster\",\"ratio_best\":0.5,"));
    program_free(&p);
}
