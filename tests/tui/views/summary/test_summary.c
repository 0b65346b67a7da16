/* The summary of an opened file, driven by keys. Draws only: not for TSan. */
#include <stdio.h>
#include <string.h>

#include "engine/summary/subject.h"
#include "support/golden.h"
#include "support/made_capture.h"
#include "support/stage.h"
#include "support/stage_picture.h"
#include "support/subjects.h"
#include "support/test.h"

static struct stage s;
static struct analysis opened;

static void open_summary(const char *path, int cols, int rows)
{
    opened = (struct analysis){.memory = {0}};
    assert_int_equal(analysis_open(&opened, &path, 1, NULL), 0);
    stage_open(&s, "vm", cols, rows, 2);
    app_set_profile(s.a, &opened);
    stage_key(&s, '1');
}

FIXTURE(two_kernels)
{
    open_summary("tests/data/chrome/two_kernels.json", 80, 24);
}

FIXTURE(closed)
{
    stage_close(&s);
    analysis_close(&opened);
}

static void expect(const char *text, bool there)
{
    if (stage_sees(&s, text) != there)
        fail_msg("%s'%s' on\n%s", there ? "no " : "", text, s.screen);
}

/* Moves the cursor to the row with this text and presses Enter. */
static void enter_on(const char *text)
{
    int x, y;
    assert_true(stage_find(&s, text, &x, &y));
    stage_click(&s, x, y, MOUSE_LEFT);
    stage_key(&s, KEY_ENTER_);
}

TEST_WITH(one_kernel_is_one, NULL, closed)
{
    open_summary("tests/data/chrome/two_programs.json", 80, 24);
    expect("most of the time, of 1 kernel or copy ", true);
}

TEST_WITH(the_verdict_comes_first_and_nothing_of_this_host, two_kernels, closed)
{
    expect("1 summary", true);
    expect("X · 109 us · 2 dispatches", true);
    expect("verdict      Device bound, confidence high", true);
    expect("no device at work: 8.3 % (rule: 20 % or less)", true);
    /* by hand: of 109 us the gemm takes 50 us, half of it is 25 us, 22.9 % */
    expect("gemm twice as fast saves 25.0 us, 22.9 %", true);
    expect("GPU idle     8.3 %, 9.00 us", true);
    expect("communicates 45.9 % of the GPUs' time, 50.0 us in 1 call;", true);
    expect("   1         gemm", true);
    expect("50.0 us  50.0 %        1 x", true);
    expect("processes by", false);
}

TEST_WITH(the_same_key_widens_to_the_host_and_back, two_kernels, closed)
{
    stage_key(&s, '1');
    expect("processes by", true);
    expect("what it says", false);
    stage_key(&s, '1');
    expect("what it says", true);
    stage_command(&s, "view overview");
    expect("processes by", true);
}

TEST_WITH(enter_opens_the_view_that_knows_more, two_kernels, closed)
{
    enter_on("saves most");
    expect("critical path: step by step", true);
    stage_key(&s, '1');
    enter_on("allreduce7");
    expect("kernels: by name", true);
    assert_int_equal(s.a->state[s.a->view].selected, 1); /* the second longest */
    stage_key(&s, '1');
    enter_on("not recorded");
    expect("no view has more about this line", true);
}

/* Presses K with the cursor on the row of this kernel, which shows that key. */
static void open_kernel(const char *name, int row)
{
    int x, y;
    stage_key(&s, '1');
    assert_true(stage_find(&s, name, &x, &y));
    assert_non_null(strstr(stage_row(&s, y), "→ K"));
    stage_click(&s, x, y, MOUSE_LEFT);
    stage_key(&s, 'K');
    expect("kernels: by name", true);
    assert_int_equal(s.a->state[s.a->view].selected, row);
}

TEST_WITH(each_kernel_has_the_key_that_opens_it, two_kernels, closed)
{
    stage_key(&s, '2');
    open_kernel("allreduce7", 1);
    open_kernel("   1         gemm", 0);
    open_kernel("allreduce7", 1);
}

TEST_WITH(lines_are_explained, two_kernels, closed)
{
    int x, y;
    assert_true(stage_find(&s, "verdict", &x, &y));
    stage_click(&s, x, y, MOUSE_LEFT);
    stage_key(&s, 'i');
    expect("The first rule whose evidence is complete", true);
    expect("rooftop --view kernels FILE", true);
    stage_key(&s, KEY_ESCAPE);
    assert_true(stage_find(&s, "   1         gemm", &x, &y));
    stage_click(&s, x, y, MOUSE_LEFT);
    stage_key(&s, 'i');
    expect("What bounds it", true);
}

TEST_WITH(without_a_profile_the_key_shows_the_host, NULL, closed)
{
    open_summary("tests/data/chrome/two_kernels.json", 80, 24);
    app_set_profile(s.a, NULL);
    stage_key(&s, '2');
    stage_key(&s, '1');
    expect("processes by", true);
    stage_command(&s, "view summary");
    expect("No file was opened: rooftop FILE", true);
}

/* The file lasts 5.92 ms. GPU 0 is idle for 18.1 % of it, GPU 1 for 20.9 %. */
TEST_WITH(idle_time_is_that_of_all_devices, NULL, closed)
{
    open_summary("tests/data/chrome/kineto_steps.json", 120, 40);
    expect("2 x NVIDIA H100 · 5.92 ms · 36 dispatches · 6 copies", true);
    expect("GPU idle     19.5 % of the GPUs' time, 2.31 ms", true);
    expect("GPU 1 is idle longest", true);
}

TEST_WITH(a_trace_of_system_calls_has_a_summary, NULL, closed)
{
    open_summary("tests/data/renacer/pipe.json", 80, 24);
    expect("verdict      God process, 51 % sure", true);
    expect("calls        6, 0 errors, 122 us in them; 2 processes", true);
    expect("read 107 us, 87.7 % of the time in calls: 2 calls", true);
    enter_on("most time");
    expect("system calls: by call", true);
}

TEST_WITH(what_has_no_gpu_says_why_there_is_no_verdict, NULL, closed)
{
    open_summary("tests/data/path/cases/v_cpu_only.json", 80, 24);
    expect("verdict      n/a: no GPU did work in it", true);
    expect("main twice as fast saves 500 us, 50.0 %", true);
}

/* --- files of other kinds --- */

static struct subject other;
static struct att_set traces;

static void open_other(const char *path, int cols, int rows)
{
    const enum subject_kind kind = subject_recognise(path);
    stage_open(&s, "vm", cols, rows, 2);
    if (kind == SUBJECT_TRACES) {
        assert_int_equal(att_set_open(&traces, path, 16, NULL), 0);
        app_set_att(s.a, &traces);
    } else {
        assert_int_equal(subject_open(&other, kind, path, NULL), 0);
        app_set_opened(s.a, &other);
    }
    stage_key(&s, '1');
}

FIXTURE(other_closed)
{
    stage_close(&s);
    subject_free(&other);
    att_set_free(&traces);
    traces = (struct att_set){.n = 0};
}

static void close_other(void)
{
    other_closed(NULL);
}

TEST(each_kind_of_file_has_a_first_view)
{
    static const struct {
        const char *path, *verdict, *line;
    } kinds[] = {
        {"tests/data/session/frames-4.rooftop", "verdict      the host's CPUs are busy: 97.1 %",
         "watched      "},
        {"tests/data/gpu/hsaco/typed.gfx942.v5.hsaco", "verdict      nothing stands out",
         "variables    5"},
        {"tests/data/att", "verdict      it waits: 92.5 %", "hottest      s_waitcnt vmcnt(0)"},
    };
    static const int sizes[][2] = {{80, 24}, {60, 20}, {120, 40}, {200, 50}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            open_other(kinds[i].path, sizes[k][0], sizes[k][1]);
            expect(kinds[i].verdict, true);
            expect(k == 1 ? "what it is" : kinds[i].line, true);
            expect("processes by", false);
            stage_key(&s, '1');
            expect("processes by", true);
            stage_key(&s, '1');
            expect(kinds[i].verdict, true);
            close_other();
        }
}

TEST_WITH(a_capture_opens_the_menu_of_replays, NULL, other_closed)
{
    struct made_capture m;
    made_capture_make(&m);
    open_other(m.dir, 80, 24);
    made_capture_remove(&m);
    expect("captured dispatch", true);
    expect("verdict      incomplete: 1 piece of memory could not be read", true);
    expect("grid         (16384) work-items in groups of (256): 64 groups", true);
    enter_on("grid  ");
    expect("what it is and what it says", false);
}

TEST_WITH(a_line_that_no_view_knows_more_about_names_the_command, NULL, other_closed)
{
    open_other("tests/data/gpu/hsaco/typed.gfx942.v5.hsaco", 120, 40);
    enter_on("kernels      ");
    expect("rooftop gpu code object FILE has more", true);
    stage_key(&s, 'i');
    expect("From the metadata of the compiler", true);
}

/* What is wrapped below the last line was never on the screen: the cursor stops above it. */
TEST_WITH(the_last_wrapped_line_can_be_reached, NULL, other_closed)
{
    open_other("tests/data/att", 60, 20);
    expect("source_0_axpy.cpp", false);
    stage_key(&s, KEY_END_);
    expect("it is not there", true);
    stage_key(&s, KEY_HOME_);
    expect("verdict", true);
}

TEST_WITH(keys_are_whole, NULL, other_closed)
{
    char key[16], text[32];
    open_other("tests/data/att", 80, 24);
    snprintf(text, sizeof text, "→ %s", view_key("att", key));
    expect(text, true);
}

TEST_WITH(keys_that_do_nothing_are_not_offered, two_kernels, closed)
{
    expect("Filter", false);
    expect("Sort", false);
    stage_key(&s, '\\');
    expect("this view has no rows to filter", true);
    stage_key(&s, 'q'); /* the key is for the app, not for a line that is typed */
    assert_true(s.asked & APP_QUIT);
}

TEST_WITH(the_columns_of_kernels_have_heads, two_kernels, closed)
{
    int x, y, at;
    assert_true(stage_find(&s, "TIME", &x, &y));
    assert_true(stage_find(&s, "50.0 us  50.0 %", &at, &y));
    assert_int_equal(x + 4, at + 7); /* both end in the same cell */
    expect("SHARE", true);
    expect("CALLS", true);
}

TEST_WITH(each_size_has_the_verdict, two_kernels, closed)
{
    static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 50}, {40, 10}, {40, 12}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        canvas_resize(&s.c, sizes[i][0], sizes[i][1]);
        stage_look(&s);
        expect("Device bound", true);
    }
}

/* --- dumps of a hang --- */

static void open_hang(int cols, int rows)
{
    subject_stage_open(&s, "hang", cols, rows);
    stage_key(&s, '1');
}

FIXTURE(hang_closed)
{
    subject_stage_close(&s);
}

TEST_WITH(a_hang_says_who_is_missing_and_then_its_ranks, NULL, hang_closed)
{
    open_hang(80, 24);
    expect("8 dumps of a hang · 15 calls · 1 group", true);
    expect("verdict      rank 5 never entered all_reduce #1234 of group", true);
    expect("waiting since 2025-11-29T20:07:46Z", true);
    expect("group        default_pg in all_reduce #1234: 7 of 8 wait, 1 absent", true);
    expect("rank 5       absent     all_reduce #1233 [[4096]], completed", true);
    expect("rank 0       waits      all_reduce #1234 [[4096]], started", true);
    stage_picture(&s, "hang-summary");
}

TEST_WITH(i_explains_where_a_rank_waits, NULL, hang_closed)
{
    int x, y;
    open_hang(120, 40);
    assert_true(stage_find(&s, "rank 0 ", &x, &y));
    stage_click(&s, x, y, MOUSE_LEFT);
    stage_key(&s, 'i');
    expect("where rank 0 called all_reduce #1234", true);
    expect("backward  /home/user/train.py:188", true);
    stage_picture(&s, "hang-explain");
}

int main(void)
{
    return golden_end(tests_run(NULL, NULL));
}
