/* The view of a comparison, driven by keys. Draws only: not for TSan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/compare/compare.h"
#include "engine/compare/run_gather.h"
#include "engine/session/ring.h"
#include "support/compared_scene.h"
#include "support/profile_scene.h"
#include "support/scenes.h"
#include "support/stage.h"
#include "support/trace_text.h"
#include "support/test.h"

static struct stage s;
static struct compared_scene compared;

FIXTURE(begin)
{
    compared_scene_open(&compared);
}

FIXTURE(end)
{
    compared_scene_close(&compared);
}

FIXTURE(opened)
{
    stage_open(&s, "vm", 120, 40, 2);
    app_compare(s.a, &compared.shown);
    stage_look(&s);
}

FIXTURE(closed)
{
    stage_close(&s);
}

static void expect(const char *text, bool there)
{
    if (stage_sees(&s, text) != there)
        fail_msg("%s'%s' on\n%s", there ? "no " : "", text, s.screen);
}

/* Moves to the row of the kernel that differs. */
static void to_softmax(void)
{
    stage_key(&s, '/');
    stage_type(&s, "softmax");
    stage_key(&s, KEY_ENTER_);
}

TEST_WITH(without_one_there_is_no_tab, opened, closed)
{
    stage_close(&s);
    stage_open(&s, "vm", 120, 40, 2);
    expect("9 bench", false);
    stage_key(&s, 'C');
    expect("Nothing is compared", true);
}

TEST_WITH(differences_come_first_with_their_interval, opened, closed)
{
    int x, y, gemm;
    expect("before.json", true);
    expect("1 of its parts differ", true);
    expect("KERNELS, A CALL", true);
    assert_true(stage_find(&s, "softmax", &x, &y));
    assert_non_null(strstr(stage_row(&s, y), "more"));
    assert_non_null(strstr(stage_row(&s, y), "[+"));
    assert_true(stage_find(&s, "cutlass", &x, &gemm));
    assert_true(gemm > y);
    stage_command(&s, "sort name");
    assert_true(stage_find(&s, "softmax", &x, &y) && stage_find(&s, "cutlass", &x, &gemm));
    expect("KERNELS, A CALL", false); /* only the order by group has headings */
    stage_command(&s, "sort sure");
    assert_non_null(strstr(stage_row(&s, 6), "softmax"));
}

TEST_WITH(a_filter_keeps_rows_and_their_headings, opened, closed)
{
    stage_command(&s, "filter verdict=more and change>1%");
    expect("KERNELS, A CALL", true);
    expect("softmax", true);
    expect("cutlass", false);
    stage_command(&s, "filter cutlass");
    expect("softmax", false);
    expect("cutlass", true);
}

/* The column of the first cell of the marked span, in the box with this title. */
static int marked_column(const char *title)
{
    int x, y;
    if (!stage_find(&s, title, &x, &y))
        fail_msg("no %s on\n%s", title, s.screen);
    for (int row = y + 1; row < y + 5; row++)
        for (int i = 0; i < s.c.cols; i++)
            if (s.c.cells[row * s.c.cols + i].style.role == STYLE_TITLE)
                return i;
    fail_msg("nothing is marked below %s on\n%s", title, s.screen);
    return -1;
}

TEST_WITH(both_begin_in_the_same_column, opened, closed)
{
    static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 50}};
    expect("A from its begin", true);
    to_softmax();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int ascii = 0; ascii < 2; ascii++) {
            s.c.ascii = ascii;
            canvas_resize(&s.c, sizes[i][0], sizes[i][1]);
            stage_look(&s);
            assert_int_equal(marked_column(" A 1 of 20"), marked_column(" B 1 of 20"));
        }
    stage_key(&s, KEY_RIGHT_);
    assert_int_equal(marked_column(" A 2 of 20"), marked_column(" B 2 of 20"));
    stage_key(&s, '+');
    assert_int_equal(marked_column(" A 2 of 20"), marked_column(" B 2 of 20"));
    for (int i = 0; i < 40; i++)
        stage_key(&s, '-');
    expect("A 2 of 20", true);
    for (int i = 0; i < 40; i++)
        stage_key(&s, KEY_RIGHT_);
    expect("A 20 of 20", true); /* there are no more */
    for (int i = 0; i < 40; i++)
        stage_key(&s, KEY_LEFT_);
    expect("B 1 of 20", true);
}

/* Comparisons are about the GPU: its lane is above the threads. */
TEST_WITH(devices_come_before_threads, opened, closed)
{
    static const char *const titles[] = {" A from its begin", " B from its begin"};
    int x, y;
    for (int i = 0; i < 2; i++) {
        assert_true(stage_find(&s, titles[i], &x, &y));
        if (!strstr(stage_row(&s, y + 1), "stream"))
            fail_msg("first below%s:\n%s", titles[i], s.screen);
    }
}

/* Writes the trace of the nth rank: a process with that PID, with work on a stream whose name both
 * ranks use. */
static void write_rank(char path[64], int pid)
{
    char text[900];
    int n = snprintf(
        text, sizeof text,
        "{\"traceEvents\":[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":"
        "{\"name\":\"train\"}},{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":"
        "\"cudaLaunchKernel\",\"pid\":%d,\"tid\":%d,\"ts\":1,\"dur\":5,\"args\":"
        "{\"correlation\":1}},{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,"
        "\"tid\":7,\"ts\":9,\"dur\":40,\"args\":{\"device\":0,\"stream\":7,"
        "\"correlation\":1}}]}",
        pid, pid, pid);
    trace_text_file(path, text, (size_t)n, false);
}

/* Streams of two ranks with the same name are two lanes with different names. */
TEST_WITH(lanes_of_two_ranks_are_told_apart, opened, closed)
{
    static const int sizes[][2] = {{80, 40}, {120, 40}, {200, 50}};
    char paths[2][64];
    const char *list[2] = {paths[0], paths[1]};
    struct analysis ranks = {.memory = {0}};
    struct shown_comparison both = compared.shown;
    for (int i = 0; i < 2; i++)
        write_rank(paths[i], 4711 + i);
    assert_int_equal(analysis_open(&ranks, list, 2, NULL), 0);
    for (int i = 0; i < 2; i++) {
        unlink(paths[i]);
        both.profiles[i] = &ranks;
    }
    app_compare(s.a, &both);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int x, y;
        canvas_resize(&s.c, sizes[i][0], sizes[i][1]);
        stage_look(&s);
        assert_true(stage_find(&s, " A from its begin", &x, &y));
        char first[200], second[200];
        snprintf(first, sizeof first, "%.60s", stage_row(&s, y + 1));
        snprintf(second, sizeof second, "%.60s", stage_row(&s, y + 2));
        if (!strstr(first, "GPU 0") || !strstr(second, "GPU 0") || strcmp(first, second) == 0)
            fail_msg("two lanes: %s and %s", first, second);
    }
    app_compare(s.a, &compared.shown);
    stage_look(&s);
    analysis_close(&ranks);
}

TEST_WITH(a_row_opens_in_either_side, opened, closed)
{
    to_softmax();
    stage_key(&s, KEY_ENTER_);
    expect("open it in A", true);
    stage_key(&s, 'b');
    expect("kernels: by name", true);
    assert_ptr_equal(s.a->model.profile, &compared.profiles[1]);
    stage_key(&s, 'C');
    stage_key(&s, KEY_ENTER_);
    stage_key(&s, 'a');
    assert_ptr_equal(s.a->model.profile, &compared.profiles[0]);
    stage_command(&s, "side C");
    expect("'C' is no side", true);
}

TEST_WITH(a_side_without_a_profile_says_so, opened, closed)
{
    struct shown_comparison numbers = compared.shown;
    numbers.profiles[1] = NULL;
    app_compare(s.a, &numbers);
    stage_look(&s);
    to_softmax();
    stage_key(&s, KEY_ENTER_);
    stage_key(&s, 'b');
    expect("numbers only: give a profile, or a session", true);
    stage_key(&s, KEY_ESCAPE);
    stage_command(&s, "side B");
    expect("B has numbers only", true);
    app_compare(s.a, &compared.shown);
}

/* A row of two sessions opens in either of them, at the end of that session. */
TEST_WITH(a_row_opens_in_either_session, opened, closed)
{
    struct recording *played[2];
    struct runs side[2] = {{.n = 0}, {.n = 0}};
    struct error err = ERROR_INIT;
    for (int i = 0; i < 2; i++) {
        played[i] = ring_new(RING_BYTES);
        for (int t = 0; t < 12; t++) {
            struct snapshot *moment = scene("vm", t);
            moment->time_ns = (uint64_t)(100 * i + t + 1) * 1000000000u;
            ring_push(played[i], moment);
            snapshot_unref(moment);
        }
        assert_int_equal(run_of_recording(runs_add(&side[i]), played[i], &err), 0);
    }
    struct comparison *c = compare_runs(&side[0], &side[1]);
    const struct shown_comparison k = {
        .c = c, .names = {"a.rooftop", "b.rooftop"}, .sessions = {played[0], played[1]}};
    app_compare(s.a, &k);
    stage_look(&s);
    stage_key(&s, '/');
    stage_type(&s, "minor-faults");
    stage_key(&s, KEY_ENTER_);
    stage_key(&s, KEY_ENTER_);
    expect("open it in A: counters", true);
    expect("open it in A: path", false); /* a session has no path */
    stage_key(&s, 'b');
    expect("WHAT IT IS", true);
    assert_string_equal(s.a->state[s.a->view].search, "minor-faults");
    assert_int_equal(s.a->model.snap->time_ns, 112000000000u);
    assert_true(s.a->model.playback);
    stage_key(&s, 'C');
    stage_key(&s, KEY_ENTER_);
    stage_key(&s, 'a');
    expect("WHAT IT IS", true);
    assert_int_equal(s.a->model.snap->time_ns, 12000000000u);
    stage_command(&s, "side B");
    assert_int_equal(s.a->model.snap->time_ns, 112000000000u);
    app_compare(s.a, &compared.shown);
    stage_close(&s); /* before what it borrows is freed */
    stage_open(&s, "vm", 120, 40, 2);
    comparison_free(c);
    for (int i = 0; i < 2; i++) {
        recording_free(played[i]);
        runs_free(&side[i]);
    }
}

int main(void)
{
    int rc = tests_run(begin, end);
    snapshot_pool_drain();
    return rc;
}
