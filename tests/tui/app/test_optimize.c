/*
 * The view of a run of rooftop optimize: pictures of a log written here, and what it does with logs
 * that grow, end anywhere, vanish, are long, or were written by somebody hostile.
 */
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "engine/optimize/run_look.h"
#include "support/golden.h"
#include "support/stage.h"
#include "tui/canvas/render.h"
#include "tui/canvas/theme.h"
#include "support/test.h"

static struct stage s;
static char folder[64], before[512];

FIXTURE(setup)
{
    snprintf(folder, sizeof folder, "/tmp/rooftop-run-XXXXXX");
    assert_non_null(getcwd(before, sizeof before));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
}

FIXTURE_STATUS(teardown)
{
    char command[128];
    assert_int_equal(chdir(before), 0);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command); /* NOLINT(cert-env33-c): the path is made here */
}

static int close_stage(void **state)
{
    stage_close(&s);
    return teardown(state);
}

static void put(const char *path, const char *mode, const char *text)
{
    FILE *f = fopen(path, mode);
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

#define LINE(kind, second)                                                                         \
    "{\"schema\":\"rooftop.optimize/1\",\"kind\":\"" kind "\",\"time\":\"2026-01-02T03:04:" second \
    ".5Z\","
#define NONE "[null,null,null]"

static const char begin_line[] = LINE(
    "begin",
    "05") "\"source\":\"src/saxpy.c\",\"function\":\"saxpy\",\"build\":\"cc\","
          "\"source_hash\":\"1\",\"target\":\"harness\",\"target_hash\":\"2\",\"min_gain\":0.02}\n";
static const char end_line[] =
    LINE("end", "59") "\"reason\":\"no-improvement\",\"winner\":3,\"factor\":1.9}\n";

static const char *record_line(const char *kind, unsigned number, unsigned base,
                               const char *outcome, const char *warm, const char *rest)
{
    static char line[2048];
    snprintf(
        line, sizeof line,
        "{\"schema\":\"rooftop.optimize/1\",\"kind\":\"%s\",\"time\":\"2026-01-02T03:04:%02uZ\","
        "\"number\":%u,\"base\":%u,\"proposer\":\"command\",\"outcome\":\"%s\",\"warm\":%s,"
        "\"cold\":" NONE ",\"confirmed\":" NONE ",\"pairs\":40,\"metric\":\"time\"%s}\n",
        kind, 6 + number, number, base, outcome, warm, rest);
    return line;
}

/* A run that did everything. */
static void write_run(bool ended)
{
    mkdir("saxpy.c.optimize", 0700);
    put("saxpy.c.optimize/log.jsonl", "w", begin_line);
    const struct {
        const char *kind;
        unsigned number, base;
        const char *outcome, *warm, *rest;
    } records[] = {
        {"baseline", 0, 0, "equivalent", "[1.001,0.995,1.008]", ""},
        {"candidate", 1, 0, "faster", "[0.8,0.77,0.83]", ",\"note\":\"unrolled by 4\""},
        {"candidate", 2, 1, "refused", NONE,
         ",\"guard\":\"include\",\"evidence\":\"line 3 includes a file\""},
        {"candidate", 3, 1, "faster", "[0.65,0.6,0.7]", ",\"note\":\"vectors of 8\""},
        {"candidate", 4, 3, "does not build", NONE, ",\"evidence\":\"saxpy.c:3:5: error\""},
        {"candidate", 5, 3, "slower", "[1.3,1.2,1.4]", ""},
        {"candidate", 6, 3, "equivalent", "[1,0.99,1.01]", ""},
        {"candidate", 7, 3, "not decided", "[0.97,0.9,1.05]", ""},
        {"confirmation", 3, 0, "not decided", "[0.99,0.9,1.1]", ""},
        {"confirmation", 1, 0, "faster", "[0.81,0.79,0.84]", ""},
    };
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        put("saxpy.c.optimize/log.jsonl", "a",
            record_line(records[i].kind, records[i].number, records[i].base, records[i].outcome,
                        records[i].warm, records[i].rest));
    if (ended)
        put("saxpy.c.optimize/log.jsonl", "a", end_line);
    mkdir("saxpy.c.optimize/0001", 0700);
    mkdir("saxpy.c.optimize/0003", 0700);
    put("saxpy.c.optimize/0001/saxpy.c", "w", "void saxpy(void)\n{\n\tone();\n}\n");
    put("saxpy.c.optimize/0003/saxpy.c", "w", "void saxpy(void)\n{\n\ttwo();\n}\n");
    put("saxpy.c.optimize/0003/build.txt", "w", "saxpy.c:3: warning: two\n");
}

/* Handles what comes until the screen has this text. */
static void wait_for(const char *text)
{
    stage_look(&s);
    for (int i = 0; i < 600 && !stage_sees(&s, text); i++) {
        struct pollfd p = {.fd = app_job_fd(s.a), .events = POLLIN};
        poll(&p, 1, 100);
        app_job_done(s.a);
        stage_look(&s);
    }
    if (!stage_sees(&s, text))
        fail_msg("no '%s' in\n%s", text, s.screen);
}

static void open_view(int cols, int rows)
{
    stage_open(&s, "vm", cols, rows, 3);
    stage_view(&s, "optimize");
}

/* --- pictures --- */

static void pictures(const char *name)
{
    static const int sizes[][2] = {{80, 24}, {200, 50}};
    char path[1024], *text = NULL;
    size_t n = 0;
    struct canvas ascii;
    FILE *f = open_memstream(&text, &n);
    canvas_init(&ascii);
    for (size_t i = 0; i < 2; i++) {
        canvas_resize(&s.c, sizes[i][0], sizes[i][1]);
        stage_look(&s);
        s.a->host.ascii = true;
        canvas_resize(&ascii, sizes[i][0], sizes[i][1]);
        app_draw(s.a, &ascii);
        s.a->host.ascii = false;
        golden_add_screen(f, &s.c, &ascii);
    }
    canvas_free(&ascii);
    fclose(f);
    snprintf(path, sizeof path, "%s/tests/data/golden/%s.screen", before, name);
    golden_is(path, text);
    free(text);
}

TEST_WITH(a_run_that_ended_and_one_of_its_candidates, setup, close_stage)
{
    write_run(true);
    open_view(80, 24);
    wait_for("ended: no-improvement");
    assert_true(stage_sees(&s, "7 in 54 s: 2 accepted (1 rolled back), 1 not decided"));
    assert_true(stage_sees(&s, "1 does not build")); /* nothing is cut */
    assert_true(stage_sees(&s, "candidate 1: 1.23 times as fast"));
    assert_false(stage_sees(&s, "modelled"));
    assert_true(stage_sees(&s, "refused: include"));
    pictures("optimize-run");
    stage_command(&s, "view optimize");
    for (int i = 0; i < 6; i++)
        stage_key(&s, KEY_DOWN_);
    stage_key(&s, '\r');
    wait_for("+    two();");
    assert_true(stage_sees(&s, "-    one();"));
    pictures("optimize-candidate");
    stage_key(&s, KEY_END_);
    wait_for("\"kind\":\"candidate\"");
    assert_true(stage_sees(&s, "saxpy.c:3: warning: two"));
    stage_key(&s, 27);
    assert_false(stage_sees(&s, "Verdict"));
    stage_key(&s, 'i'); /* explains what the row says, as Enter does */
    wait_for("Verdict");
    stage_key(&s, 27);
    stage_view(&s, "lab");
    assert_true(stage_sees(&s, "lab: prediction"));
}

TEST_WITH(no_run_says_how_to_start_one, setup, close_stage)
{
    open_view(80, 24);
    wait_for("No run of rooftop optimize");
    pictures("optimize-none");
}

/* --- while it is shown --- */

TEST_WITH(a_log_that_grows_and_vanishes_is_followed, setup, close_stage)
{
    mkdir("a.c.optimize", 0700);
    put("a.c.optimize/log.jsonl", "w", begin_line);
    open_view(120, 40);
    wait_for("stopped without an end");
    const int fd = open("a.c.optimize/log.jsonl", O_RDWR | O_APPEND | O_CLOEXEC);
    struct flock all = {.l_type = F_WRLCK};
    assert_int_equal(fcntl(fd, F_OFD_SETLK, &all), 0);
    put("a.c.optimize/progress.json", "w",
        "{\"schema\":\"rooftop.optimize-progress/1\",\"doing\":\"pairs\",\"step\":\"candidate\","
        "\"number\":1,\"base\":0,\"proposer\":\"command\",\"estimate\":0.9,\"low\":0.6,\"high\":1."
        "2,"
        "\"pairs\":9,\"metric\":\"modelled\"}");
    wait_for("running: measures pairs: candidate 1");
    wait_for("0.900");
    assert_true(stage_sees(&s, ": costs are modelled"));
    put("a.c.optimize/log.jsonl", "a",
        record_line("candidate", 1, 0, "faster", "[0.5,0.4,0.6]", ""));
    wait_for("candidate 1: 2.00 times as fast (1.67 to 2.50), not confirmed yet");
    close(fd); /* killed */
    wait_for("stopped without an end");
    put("a.c.optimize/log.jsonl", "a", "{\"half\":");
    wait_for("was not finished: 8 bytes");
    mkdir("b.c.optimize", 0700);
    put("b.c.optimize/log.jsonl", "w", begin_line);
    wait_for("of 2: [ and ]");
    assert_true(stage_sees(&s, "optimize: a.c.optimize")); /* it stays until it is gone */
    stage_key(&s, ']');
    wait_for("optimize: b.c.optimize");
    unlink("b.c.optimize/log.jsonl");
    wait_for("optimize: a.c.optimize");
    unlink("a.c.optimize/log.jsonl");
    wait_for("No run of rooftop optimize");
}

/* --folder takes any name: what the log says counts. A log of something else is no run. */
TEST_WITH(a_folder_of_any_name_is_shown, setup, close_stage)
{
    mkdir("by-python", 0700);
    mkdir("other", 0700);
    put("other/log.jsonl", "w", "{\"schema\":\"other/1\",\"kind\":\"begin\"}\n");
    put("by-python/log.jsonl", "w", begin_line);
    open_view(80, 24);
    wait_for("optimize: by-python");
    assert_true(stage_sees(&s, "stopped without an end"));
    assert_false(stage_sees(&s, "run 1 of 2"));
}

TEST_WITH(hostile_texts_are_never_drawn_raw, setup, close_stage)
{
    mkdir("x.c.optimize", 0700);
    put("x.c.optimize/log.jsonl", "w",
        LINE("begin", "05") "\"source\":\"../../etc/"
                            "\\u001b]0;x\\u0007passwd\",\"function\":\"\\u009b2J\"}\n");
    put("x.c.optimize/log.jsonl", "a",
        record_line(
            "candidate", 1, 0, "refused", NONE,
            ",\"guard\":\"\\u001b[31m\",\"evidence\":\"\\u001b[2J\",\"note\":\"\\u202e\\r\\n\""));
    open_view(80, 24);
    wait_for("refused:");
    stage_key(&s, '\r');
    wait_for("Line of the log");
    for (int i = 0; i < s.c.cols * s.c.rows; i++) {
        const uint32_t ch = s.c.cells[i].ch;
        assert_true(ch >= ' ' && ch != 0x7f && !(ch >= 0x80 && ch < 0xa0) && ch != 0x202e);
    }
}

/* --- without a screen --- */

static struct run_snapshot *look_at_all(struct run_look *k)
{
    const struct run_request request = {.opened = false};
    struct run_snapshot *p = NULL;
    for (bool more = true; more;) {
        struct run_snapshot *next = run_look(k, &request, &more);
        if (next) {
            run_snapshot_free(p);
            p = next;
        }
    }
    assert_non_null(p);
    return p;
}

/* Cut at each byte, the whole lines count and the rest is said; read on, all of it is there. */
TEST_WITH(a_log_may_end_at_each_byte, setup, teardown)
{
    char *text = NULL;
    size_t n = 0;
    write_run(true);
    FILE *f = fopen("saxpy.c.optimize/log.jsonl", "r");
    assert_non_null(f);
    assert_true(getdelim(&text, &n, 0, f) > 0);
    fclose(f);
    n = strlen(text);
    FILE *out = fopen("saxpy.c.optimize/log.jsonl", "w");
    assert_non_null(out);
    struct run_look *k = run_look_new(".");
    run_snapshot_free(look_at_all(k));
    uint64_t lines = 0, start = 0;
    for (size_t i = 0; i < n; i++) {
        fputc(text[i], out);
        fflush(out);
        if (text[i] == '\n') {
            lines++;
            start = i + 1;
        }
        struct run_snapshot *p = look_at_all(k);
        assert_string_equal(p->failed, "");
        assert_int_equal(p->log.partial, i + 1 - start);
        assert_int_equal(p->log.n, lines < 1 ? 0 : lines - 1 - (i + 1 == n));
        assert_int_equal(p->log.stop, i + 1 == n ? OPTIMIZE_STOP_TRIES : OPTIMIZE_RUNS);
        run_snapshot_free(p);
    }
    assert_int_equal(lines, 12);
    fclose(out);
    run_look_free(k);
    free(text);
}

TEST_WITH(of_a_hundred_thousand_lines_the_last_are_kept_and_all_are_counted, setup, teardown)
{
    enum { LINES = 100000 };
    mkdir("long.c.optimize", 0700);
    FILE *f = fopen("long.c.optimize/log.jsonl", "w");
    assert_non_null(f);
    fputs(begin_line, f);
    for (int i = 1; i <= LINES; i++)
        fprintf(f,
                "{\"schema\":\"rooftop.optimize/"
                "1\",\"kind\":\"candidate\",\"number\":%d,\"outcome\":\"%s\"}\n",
                i, i % 4 ? "slower" : "refused");
    fclose(f);
    struct run_look *k = run_look_new(".");
    struct run_snapshot *p = look_at_all(k);
    assert_int_equal(p->tried, LINES);
    assert_int_equal(p->outcomes[OPTIMIZE_REFUSED], LINES / 4);
    assert_int_equal(p->log.n, RUN_KEPT);
    assert_int_equal(p->first, LINES - RUN_KEPT);
    assert_int_equal(p->log.list[0].number, LINES - RUN_KEPT + 1);
    assert_int_equal(p->log.list[RUN_KEPT - 1].number, LINES);
    run_snapshot_free(p);
    /* the line of a record is found by its place */
    bool more;
    const struct run_request request = {.opened = true, .record = LINES - 2};
    p = run_look(k, &request, &more);
    assert_non_null(p);
    assert_non_null(strstr(p->detail->line, "\"number\":99999,"));
    assert_null(p->detail->diff);
    assert_true(p->detail->why[0] != '\0');
    run_snapshot_free(p);
    run_look_free(k);
}

TEST_WITH(what_is_no_log_is_refused_and_said, setup, teardown)
{
    mkdir("bad.c.optimize", 0700);
    put("bad.c.optimize/log.jsonl", "w", begin_line);
    put("bad.c.optimize/log.jsonl", "a", "{\"schema\":\"other/1\"}\n");
    struct run_look *k = run_look_new(".");
    struct run_snapshot *p = look_at_all(k);
    assert_true(p && strstr(p->failed, "line 2"));
    run_snapshot_free(p);
    char *long_line = xcalloc(1, 70001);
    memset(long_line, ' ', 70000);
    put("bad.c.optimize/log.jsonl", "w", long_line);
    free(long_line);
    p = look_at_all(k);
    assert_true(p && strstr(p->failed, "64 KiB"));
    run_snapshot_free(p);
    unlink("bad.c.optimize/log.jsonl");
    assert_int_equal(symlink("/etc/passwd", "bad.c.optimize/log.jsonl"), 0);
    p = look_at_all(k);
    assert_int_equal(p->nfolders, 0);
    run_snapshot_free(p);
    run_look_free(k);
}

/* A source that is a pipe would never end; it is no file, and that is said. */
TEST_WITH(files_of_a_run_are_read_as_those_of_a_stranger, setup, teardown)
{
    bool more;
    write_run(false);
    unlink("saxpy.c.optimize/0003/saxpy.c");
    assert_int_equal(mkfifo("saxpy.c.optimize/0003/saxpy.c", 0600), 0);
    struct run_look *k = run_look_new(".");
    const struct run_request request = {.opened = true, .record = 3};
    struct run_snapshot *p = run_look(k, &request, &more);
    assert_non_null(p);
    assert_null(p->detail->diff);
    assert_non_null(strstr(p->detail->why, "it is no file"));
    run_snapshot_free(p);
    run_look_free(k);
}
