/* The view of the history of benchmarks: threads read it beside the screen; series, their runs, the
 * samples of a run, and two runs compared. (Threads of the app: also for TSan.) */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/bench/history_loader.h"
#include "engine/statistics/noise.h"
#include "support/stage.h"
#include "tui/views/history/history.h"
#include "support/test.h"

static struct stage s;
static char dir[64], path[128];

/* A run of a series with 20 samples. */
static void add_run_of_host(struct bench_history *h, const char *name, size_t hour, double level,
                            const char *kernel, const char *host)
{
    struct error err = ERROR_INIT;
    double v[20];
    noise_fill(CONSTANT, v, 20);
    for (size_t i = 0; i < 20; i++)
        v[i] = level * exp(v[i] / 4);
    struct bench_result one = {
        .name = name, .unit = "s", .v = v, .n = 20, .value = level, .load = 0.5};
    struct bench_results r = {.tool = "rooftop", .list = &one, .n = 1};
    r.wall_ns = 1767225600000000000u + hour * 3600000000000u; /* 2026-01-01 */
    snprintf(r.conditions.kernel, sizeof r.conditions.kernel, "%s", kernel);
    snprintf(r.conditions.host, sizeof r.conditions.host, "%s", host);
    assert_int_equal(bench_history_add(h, &r, NULL, &err), 0);
}

static void add_run(struct bench_history *h, const char *name, size_t hour, double level,
                    const char *kernel)
{
    add_run_of_host(h, name, hour, level, kernel, "h");
}

static struct bench_history *open_history(void)
{
    char note[256];
    struct error err = ERROR_INIT;
    struct bench_history *h;
    assert_int_equal(bench_history_open(&h, path, false, note, sizeof note, &err), 0);
    return h;
}

/* 50 runs, from the 41st on 10 % slower, and a series of one run with a hostile name. */
FIXTURE_STATUS(set_up)
{
    snprintf(dir, sizeof dir, "/tmp/rooftop-benchmarks-XXXXXX");
    if (!mkdtemp(dir))
        return -1;
    setenv("XDG_STATE_HOME", dir, 1);
    snprintf(path, sizeof path, "%s/rooftop", dir);
    if (mkdir(path, 0700) != 0)
        return -1;
    snprintf(path, sizeof path, "%s/rooftop/bench.db", dir);
    noise_seed = 3;
    struct bench_history *h = open_history();
    for (size_t i = 0; i < 50; i++)
        add_run(h, "./prog", i, i < 40 ? 1 + 0.001 * (double)(i % 3) : 1.1, i < 40 ? "6.1" : "6.2");
    add_run(h, "\033[31m_red_\n", 0, 1, "6.1");
    bench_history_close(h);
    return 0;
}

FIXTURE_STATUS(tear_down)
{
    char command[128];
    stage_close(&s);
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    return system(command);
}

/* Handles what comes until the screen has this text. */
static void wait_for(const char *text)
{
    for (int i = 0; i < 300 && !stage_sees(&s, text); i++) {
        struct pollfd p = {.fd = app_job_fd(s.a), .events = POLLIN};
        poll(&p, 1, 100);
        app_job_done(s.a);
        stage_look(&s);
    }
    if (!stage_sees(&s, text))
        fail_msg("no '%s' in\n%s", text, s.screen);
}

static void expect(const char *text)
{
    if (!stage_sees(&s, text))
        fail_msg("no '%s' in\n%s", text, s.screen);
}

TEST_WITH(from_series_to_runs_to_samples_and_back, set_up, tear_down)
{
    static const int sizes[][2] = {{80, 24}, {200, 50}};
    for (size_t i = 0; i < 2; i++) {
        stage_open(&s, "vm", sizes[i][0], sizes[i][1], 3);
        stage_key(&s, 'H');
        wait_for("SERIES");
        assert_null(strchr(s.screen, '\033'));
        expect("?[31m_red_?");
        stage_key(&s, 'j'); /* names in order of bytes: ESC is first */
        expect("1: worse, 1.00 s to 1.10 s (+9.9 %), run 41 of 50; kernel 6.1 to 6.2");
        stage_key(&s, '\n');
        expect("./prog: runs");
        expect("run 50 (2026-01-03 01:00) compared with run 49 (2026-01-03 00:00), before it");
        wait_for("equivalent: ");
        expect("20 and 20 samples");
        expect("nothing that is known differs");
        stage_key(&s, '\n');
        expect("./prog: samples of run 50");
        wait_for("FROM MEDIAN");
        expect("governor");
        stage_key(&s, '\033');
        expect("./prog: runs");
        stage_key(&s, KEY_BACKSPACE_);
        expect("SERIES");
        expect("1: worse"); /* the cursor is where it was */
        if (i == 0)
            stage_close(&s);
    }
}

/* Where there is no room for a column of hosts, the names have them. */
TEST_WITH(a_series_of_several_hosts_is_named_with_its_host, set_up, tear_down)
{
    static const int widths[] = {80, 160};
    struct bench_history *h = open_history();
    add_run_of_host(h, "./prog", 0, 1, "6.1", "epyc2");
    bench_history_close(h);
    for (size_t i = 0; i < 2; i++) {
        stage_open(&s, "vm", widths[i], 24, 3);
        stage_key(&s, 'H');
        wait_for("SERIES");
        stage_key(&s, 'j');
        expect("./prog on epyc2: last run");
        expect(i ? " epyc2 " : "│ ./prog on h ");
        stage_key(&s, '\n');
        expect("./prog on epyc2: runs");
        if (i == 0)
            stage_close(&s);
    }
}

TEST_WITH(a_marked_run_is_compared_with_others, set_up, tear_down)
{
    stage_open(&s, "vm", 100, 30, 3);
    stage_key(&s, 'H');
    wait_for("SERIES");
    stage_key(&s, 'j');
    stage_key(&s, '\n');
    stage_key(&s, 'x');
    wait_for("20 samples by rooftop"); /* nothing to compare it with but itself */
    for (int i = 0; i < 10; i++)
        stage_key(&s, 'j');
    expect("run 40 (2026-01-02 15:00) compared with run 50 (2026-01-03 01:00), marked");
    wait_for("better: -9");
    expect("what differs: kernel 6.2 to 6.1");
    expect("1.10 s to 1.00 s");
    stage_key(&s, 'k');
    expect("run 41 (2026-01-02 16:00) compared with run 50");
    stage_key(&s, 'G');
    expect("run 1 (2026-01-01 00:00) compared with run 50");
    stage_key(&s, 'x');
    stage_key(&s, 'x'); /* no mark any more: the first run has none before it */
    expect("run 1 (2026-01-01 00:00)");
    assert_false(stage_sees(&s, "compared with"));
}

/* On a screen that has no room for the list of runs, the cursor stays inside it. */
TEST_WITH(keys_stay_inside_a_list_without_room, set_up, tear_down)
{
    for (int rows = 10; rows < 20; rows++) {
        stage_open(&s, "vm", 80, rows, 3);
        stage_key(&s, 'H');
        wait_for("SERIES");
        stage_key(&s, 'j');
        stage_key(&s, '\n');
        expect("./prog: runs");
        for (int i = 0; i < 60; i++)
            stage_key(&s, 'j');
        expect("run 1 (2026-01-01 00:00)");
        for (int i = 0; i < 70; i++)
            stage_key(&s, 'k');
        expect("run 50 (2026-01-03 01:00)");
        if (rows < 19)
            stage_close(&s);
    }
}

/* H reads again what was stored meanwhile; the cursor stays on its run. */
TEST_WITH(the_key_reads_it_again, set_up, tear_down)
{
    stage_open(&s, "vm", 100, 30, 3);
    stage_key(&s, 'H');
    wait_for("SERIES");
    stage_key(&s, 'j');
    stage_key(&s, '\n');
    stage_key(&s, 'j');
    expect("run 49 (");
    struct bench_history *h = open_history();
    add_run(h, "./prog", 50, 1.1, "6.2");
    bench_history_close(h);
    stage_key(&s, 'H');
    wait_for("    51 2026-01-03");
    expect("run 49 (");
}

/* Names of any bytes and of 10 kB: no control character and no broken UTF-8 gets to the screen. */
TEST_WITH(names_of_any_bytes_and_length_are_shown, set_up, tear_down)
{
    static const uint32_t keys[] = {'j', '\n', 'j', '\n', '\033', '\033', 'j', '\n', '\033', 'k'};
    static char longest[10241];
    memset(longest, 'a', sizeof longest - 1);
    struct bench_history *h = open_history();
    add_run(h, "\xff\xfe bad \xe2\x82", 0, 1, "\xc3\x28");
    add_run(h,
            "\x9b"
            "2J\x1b]0;x\a",
            0, 1, "6.1");
    for (size_t i = 0; i < 2; i++)
        add_run(h, longest, i, 1, "6.1");
    bench_history_close(h);
    stage_open(&s, "vm", 80, 24, 3);
    stage_key(&s, 'H');
    wait_for("aaaaaaaa");
    expect(" bad ");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        stage_key(&s, keys[i]);
        app_job_done(s.a);
        stage_look(&s);
        for (const char *c = s.screen; *c; c++)
            if (((unsigned char)*c < ' ' && *c != '\n') || *c == 127)
                fail_msg("byte %d after key %zu in\n%s", *c, i, s.screen);
        assert_null(strstr(s.screen, "\xff"));
        assert_null(strchr(s.screen, '\x07'));
        assert_null(strstr(s.screen, "\xc3\x28"));
    }
}

/* The longest unit of rooftop's own series is not cut at 80 columns; at the graph, which has less
 * room, the number stands alone. */
TEST_WITH(a_long_unit_is_not_cut, set_up, tear_down)
{
    double v[2] = {0.4267, 0.4267};
    struct error err = ERROR_INIT;
    struct bench_result one = {
        .name = "lab", .unit = "vTPU ops/cycle", .v = v, .n = 2, .value = 0.4267};
    struct bench_results r = {
        .tool = "rooftop", .list = &one, .n = 1, .wall_ns = 1767225600000000000u};
    unlink(path);
    struct bench_history *h = open_history();
    assert_int_equal(bench_history_add(h, &r, NULL, &err), 0);
    bench_history_close(h);
    stage_open(&s, "vm", 80, 24, 3);
    stage_key(&s, 'H');
    wait_for("0.4267 vTPU ops/cycle");
    assert_null(strstr(s.screen, "vTPU…"));
    assert_null(strstr(s.screen, "0.4267 vT…"));
    assert_null(strstr(s.screen, "0.4267 v…"));
}

TEST_WITH(nothing_stored_is_said, set_up, tear_down)
{
    unlink(path);
    stage_open(&s, "vm", 80, 24, 3);
    stage_key(&s, 'H');
    wait_for("No benchmark was stored yet");
}

TEST_WITH(a_file_that_is_no_history_is_told, set_up, tear_down)
{
    char beside[140];
    for (const char *const *e = (const char *const[]){"-wal", "-shm", NULL}; *e; e++) {
        snprintf(beside, sizeof beside, "%s%s", path, *e);
        unlink(beside);
    }
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("my diary, which is long enough to be looked at", f);
    fclose(f);
    stage_open(&s, "vm", 100, 24, 3);
    stage_key(&s, 'H');
    wait_for("is damaged");
    assert_false(stage_sees(&s, "No benchmark was stored"));
    stage_close(&s);
    stage_open(&s, "vm", 100, 24, 3);
    app_set_at_once(s.a); /* as without a terminal */
    stage_key(&s, 'H');
    expect("is damaged");
    assert_false(stage_sees(&s, "No benchmark was stored"));
}

/* Esc ends the reading of what takes long. The thread may be quicker than the key: then again. */
TEST_WITH(reading_is_given_up, set_up, tear_down)
{
    for (int i = 0; i < 50; i++) {
        stage_open(&s, "vm", 100, 24, 3);
        app_perform(s.a, ACTION_VIEW_HISTORY, 0);
        app_perform(s.a, ACTION_BACK, 0);
        const struct history_state *own = s.a->state[s.a->view].own;
        for (int k = 0; k < 300 && own->share >= 0; k++) {
            struct pollfd p = {.fd = app_job_fd(s.a), .events = POLLIN};
            poll(&p, 1, 100);
            app_job_done(s.a);
        }
        stage_look(&s);
        if (stage_sees(&s, "Reading was given up: H reads it again")) {
            stage_key(&s, 'H');
            wait_for("SERIES");
            return;
        }
        expect("SERIES");
        stage_close(&s);
    }
    fail_msg("never given up");
}

/* A screen that is closed while threads read does not wait for them. */
TEST_WITH(closing_waits_for_nothing, set_up, tear_down)
{
    for (int i = 0; i < 20; i++) {
        struct history_loader *l = history_loader_new(path);
        const int64_t id[2] = {1, 2};
        history_loader_start(l);
        history_loader_start(l);
        history_loader_ask_pair(l, id);
        assert_true(history_loader_share(l) >= 0 && history_loader_reads_pair(l));
        history_loader_free(l);
    }
    stage_open(&s, "vm", 80, 24, 3);
}
