/* The view of the critical path: its list, its timeline, and what runs in parallel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/graph/graph_syscalls.h"
#include "support/opened.h"
#include "support/stage.h"
#include "support/test.h"

static struct stage s;

FIXTURE(set_up)
{
    stage_open(&s, "bricks", 160, 44, 3);
    stage_key(&s, '4');
}

FIXTURE(tear_down)
{
    stage_close(&s);
}

static int row_of(const char *text)
{
    int x, y;
    if (!stage_find(&s, text, &x, &y))
        fail_msg("no \"%s\" on\n%s", text, s.screen);
    return y;
}

TEST_WITH(steps_in_order_add_up_to_the_path, set_up, tear_down)
{
    assert_true(stage_sees(&s, "forward took 1.00 ms · path 1.00 ms, 100.0 % · 9 steps"));
    assert_true(row_of("    1 forward") < row_of("    2   RmsNorm"));
    assert_true(row_of("    7   DownProjection") < row_of("    8     gemv_down"));
    int y = row_of("    8     gemv_down");
    assert_non_null(strstr(stage_row(&s, y), "474 us     505 us ████      50.5"));
    y = row_of("    4     batched_q4k_gemv");
    assert_non_null(strstr(stage_row(&s, y), "300 us ██▍       30.0"));
}

TEST_WITH(names_are_summed, set_up, tear_down)
{
    stage_key(&s, 'm');
    assert_true(stage_sees(&s, "critical path: by name"));
    assert_true(stage_sees(&s, "x2 forward"));
    assert_true(stage_sees(&s, "70.8 us")); /* 50.0 + 20.8 */
    assert_true(row_of("   x1 gemv_down") < row_of("   x1 batched_q4k_gemv"));
    stage_key(&s, 'r');
    assert_true(row_of("   x1 gemv_down") > row_of("   x1 batched_q4k_gemv"));
    stage_key(&s, 's');
    assert_true(row_of("x2 forward") > row_of("   x1 AttentionScore")); /* sorted by name */
    stage_key(&s, 'm');
    assert_true(stage_sees(&s, "step by step"));
}

TEST_WITH(what_is_beside_says_its_slack_and_what_runs_meanwhile, set_up, tear_down)
{
    int y = row_of("BESIDE THE PATH");
    assert_non_null(strstr(stage_row(&s, y + 1), "H2D"));
    assert_non_null(strstr(stage_row(&s, y + 1), "580 us"));
    assert_non_null(strstr(stage_row(&s, y + 1), "batched_q4k_gemv"));
    y = row_of("205 us");
    assert_non_null(strstr(stage_row(&s, y), "gemv_down"));
    assert_non_null(strstr(stage_row(&s, y), "300 us"));
}

TEST_WITH(the_timeline_zooms_to_the_selected_step, set_up, tear_down)
{
    assert_true(stage_sees(&s, "1.00 ms"));
    stage_key(&s, KEY_END_); /* the last step is all of forward */
    stage_key(&s, KEY_UP_);  /* gemv_down: 464.2 to 969.2 us */
    stage_key(&s, '+');
    stage_key(&s, '+');
    assert_true(stage_sees(&s, "592 us") && stage_sees(&s, "842 us")); /* around 716.7 */
    stage_key(&s, '-');
    stage_key(&s, KEY_BACKSPACE_);
    assert_true(stage_sees(&s, "250 us"));
}

static const struct cell *cell(int x, int y)
{
    return &s.c.cells[y * s.c.cols + x];
}

/* The bar shows the path once from end to end. Where it changes from span to span a block has an
 * edge; where the next span does something else, the hue changes, too. */
TEST_WITH(the_bar_shows_the_whole_path_and_where_it_changes, set_up, tear_down)
{
    int x0, y, changes = 0, edges = 0;
    assert_true(stage_find(&s, "critical path     ", &x0, &y));
    int from = x0 + 18, to = s.c.cols - 2;
    for (int x = from; x < to; x++) {
        const struct cell *c = cell(x, y), *before = cell(x - 1, y);
        if (c->ch == ' ' || c->ch == 0x2592)
            fail_msg("column %d of the bar is empty\n%s", x, stage_row(&s, y));
        changes += x > from &&
                   (c->style.role != before->style.role || c->style.level != before->style.level);
        edges += c->ch == 0x2589;
    }
    assert_true(changes >= 2);
    assert_in_range(edges, 5, 9); /* nine steps, some of them too short for an edge */
    stage_key(&s, 'E');
    const char *row = stage_row(&s, y);
    int bars = 0;
    for (const char *p = strstr(row, "critical path"); p && *p; p++)
        bars += *p == '|';
    assert_int_equal(bars, edges + 1); /* and the box's border */
}

TEST_WITH(a_filter_keeps_what_matches, set_up, tear_down)
{
    stage_command(&s, "filter kind=kernel");
    assert_true(stage_sees(&s, "    8     gemv_down"));
    assert_false(stage_sees(&s, "    2   RmsNorm"));
    stage_command(&s, "filter share>99");
    assert_true(stage_sees(&s, "no step matches the filter"));
}

TEST_WITH(the_menu_knows_the_step, set_up, tear_down)
{
    stage_key(&s, KEY_DOWN_);
    stage_key(&s, KEY_ENTER_);
    assert_true(stage_sees(&s, "zoom the timeline in on it"));
    assert_true(stage_sees(&s, "show its thread only"));
    stage_key(&s, 'l');
    assert_true(stage_sees(&s, "filter 'lane"));
}

/* Gives the tree that is shown calls of one of its bricks: half of its time in fsync. */
static void trace_calls(const char *brick, bool partial)
{
    struct graph *g = (struct graph *)s.a->model.snap->bricks->tree;
    uint32_t node = 0;
    while (node < g->nnodes && strcmp(graph_name(g, node), brick) != 0)
        node++;
    assert_true(node < g->nnodes);
    const struct call_count n = {.calls = 3, .ns = g->duration[node] / 2};
    struct call_part *parts = calloc(1, sizeof *parts);
    parts[0] = (struct call_part){.node = node, .name = "fsync", .own = n, .all = n};
    struct graph_syscalls *calls = graph_syscalls_new(g->nnodes, parts, 1);
    calls->partial = partial;
    graph_set_syscalls(g, calls);
}

/* A step says what its brick waits in, where that was traced; no share of what was seen in part. */
TEST_WITH(a_step_has_the_system_calls_of_its_brick, set_up, tear_down)
{
    assert_false(stage_sees(&s, "SYSTEM CALLS"));
    trace_calls("gemv_down", false);
    stage_look(&s);
    assert_true(stage_sees(&s, "SYSTEM CALLS"));
    assert_non_null(strstr(stage_row(&s, row_of("    8     gemv_down")), "50 % fsync"));
    assert_null(strstr(stage_row(&s, row_of("    2   RmsNorm")), "fsync"));
    trace_calls("gemv_down", true);
    stage_look(&s);
    const char *row = stage_row(&s, row_of("    8     gemv_down"));
    assert_non_null(strstr(row, " fsync"));
    assert_null(strstr(row, "% fsync"));
    trace_calls("gemv_down", false);
    stage_command(&s, "filter syscalls_ns>0s");
    assert_true(stage_sees(&s, "    8     gemv_down"));
    assert_false(stage_sees(&s, "    2   RmsNorm"));
}

TEST_WITH(without_a_pass_it_says_how_to_get_one, set_up, tear_down)
{
    stage_feed(&s, "vm", 9);
    assert_true(stage_sees(&s, "rooftop_joins(awaited.span, waiting.span);"));
}

TEST_WITH(a_profile_tells_its_shares, set_up, tear_down)
{
    app_set_profile(s.a, opened_streams());
    stage_look(&s);
    assert_true(stage_sees(&s, "compute 77.2 %") && stage_sees(&s, "launch 3.5 %"));
    assert_true(stage_sees(&s, "host, nothing recorded 2.5 %") && stage_sees(&s, "1 inferred"));
    assert_true(stage_sees(&s, "(inferred) add_kernel"));
    stage_key(&s, 'm');
    int y = row_of("x1 gemm_f16_64x64");
    assert_non_null(strstr(stage_row(&s, y), "216 us")); /* not half of its 700 us */
}

/* What has no room is cut as a whole: a mark without its number says nothing. */
TEST_WITH(shares_are_not_cut_in_the_middle, set_up, tear_down)
{
    app_set_profile(s.a, opened_streams());
    for (int cols = 60; cols <= 120; cols++) {
        canvas_resize(&s.c, cols, 44);
        stage_look(&s);
        const char *row = stage_row(&s, row_of("█ compute 77.2 %"));
        if (!strstr(row, " % …") && !strstr(row, " %  …") && !strstr(row, "· wait 0.3 %"))
            fail_msg("%d columns: %s", cols, row);
    }
}

/* Steps stand at their own times, in the list, in the bar and in the lanes: the path leads through
 * the kernels while the host waits for them, and only the end of the wait is the host's. */
TEST_WITH(the_bar_and_the_lanes_show_when_each_step_is, set_up, tear_down)
{
    app_set_profile(s.a, opened_streams()); /* its first operation begins at 20 us */
    stage_look(&s);
    assert_non_null(strstr(stage_row(&s, row_of("    1   aten::copy_")), "   20.0 us    10.0 us"));
    int y = row_of("critical path    ");
    assert_non_null(strstr(stage_row(&s, y), "gemm_f16_64x64██"));
    assert_non_null(strstr(stage_row(&s, y), "adam_ker"));
    assert_null(strstr(stage_row(&s, y), "Synchronize"));
    y = row_of("·cudaDeviceSynchronize▒▒▒");
    if (!strstr(stage_row(&s, y), "▒▒▒█ ")) /* 8 of its 1020 us: one cell */
        fail_msg("%s", stage_row(&s, y));
}

/* If a path has too many steps to read, it is shown by name first; a key shows single steps. */
TEST_WITH(a_long_path_opens_by_name, set_up, tear_down)
{
    enum { STEPS = 2400 };
    static struct analysis a;
    struct error err = ERROR_INIT;
    char path[] = "/tmp/rooftop-path-XXXXXX";
    const char *paths[] = {path};
    FILE *f = fdopen(mkstemp(path), "w");
    assert_non_null(f);
    fputs("{\"traceEvents\":[", f);
    for (int i = 0; i < STEPS; i++)
        fprintf(f,
                "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"void ns::k<%d>(int)\",\"pid\":0,"
                "\"tid\":7,\"ts\":%d,\"dur\":8,\"args\":{\"device\":0,\"stream\":7}}",
                i ? "," : "", i % 3, 10 * i);
    fputs("]}", f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(analysis_open(&a, paths, 1, &err), 0);
    unlink(path);
    app_set_profile(s.a, &a);
    stage_look(&s);
    assert_true(stage_sees(&s, "critical path: by name") && stage_sees(&s, "4799 steps"));
    row_of("x800 k<0>");
    row_of("x800 k<2>");
    stage_key(&s, 'm');
    assert_true(stage_sees(&s, "critical path: step by step"));
    row_of("    7 k<0>");
    stage_key(&s, 'm');
    assert_true(stage_sees(&s, "critical path: by name"));
    app_set_profile(s.a, NULL);
    stage_look(&s);
    analysis_close(&a);
}

TEST_WITH(a_factor_is_asked_for, set_up, tear_down)
{
    app_set_profile(s.a, opened_streams());
    stage_command(&s, "filter name=gemm_f16_64x64");
    stage_key(&s, 'x');
    assert_true(stage_sees(&s, "how many times as fast (or: gone): 2"));
    stage_key(&s, KEY_ENTER_);
    assert_true(stage_sees(&s, "what if 2x as fast: gemm_f16_64x64 · path 1.65 ms, 216 us less"));
    assert_true(stage_sees(&s, "then most: gemm_f16_128x128 31.5 %"));
    stage_command(&s, "what-if relu_kernel=gone");
    row_of("what if gone: relu_kernel · path 1.81 ms, 58.0 us less");
    stage_command(&s, "what-if softmax_kernel=0.5");
    assert_true(stage_sees(&s, "260 us more"));
    stage_command(&s, "what-if off");
    assert_false(stage_sees(&s, "what if "));
    stage_command(&s, "what-if nobody=2");
    assert_true(stage_sees(&s, "the profile has nothing of that name"));
    stage_key(&s, KEY_ESCAPE);
    stage_key(&s, 'x');
    stage_type(&s, "x"); /* "2x" */
    stage_key(&s, KEY_ENTER_);
    assert_true(stage_sees(&s, "it does not end in =FACTOR"));
    stage_command(&s, "filter kind=kernel");
    app_set_profile(s.a, NULL);
    stage_look(&s);
    stage_key(&s, 'x');
    row_of("what-if needs the steps of an opened profile");
    stage_command(&s, "what-if a=2");
    assert_true(stage_sees(&s, "it needs an opened profile"));
}
