/* The timeline view: moving, folding, searching; and random keys with random profiles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "engine/analysis/analysis.h"
#include "support/stage.h"
#include "tui/views/timeline/timeline.h"
#include "support/test.h"

static struct stage s;
static struct analysis profile;

static void open_file(const char *path, int cols, int rows)
{
    struct error err = ERROR_INIT;
    profile = (struct analysis){0};
    assert_int_equal(analysis_open(&profile, &path, 1, &err), 0);
    stage_open(&s, "vm", cols, rows, 2);
    app_set_profile(s.a, &profile);
    stage_view(&s, "timeline");
}

static void close_all(void)
{
    stage_close(&s);
    analysis_close(&profile);
}

FIXTURE(set_up)
{
    open_file("tests/data/chrome/kineto_cuda.json", 120, 30);
    stage_key(&s, KEY_UP_); /* from the first span on the path to the range around it */
}

FIXTURE(tear_down)
{
    close_all();
}

static void expect(const char *text)
{
    if (!stage_sees(&s, text))
        fail_msg("no \"%s\" on\n%s", text, s.screen);
}

static void expect_not(const char *text)
{
    if (stage_sees(&s, text))
        fail_msg("\"%s\" on\n%s", text, s.screen);
}

static int row_of(const char *text)
{
    int x, y;
    if (!stage_find(&s, text, &x, &y))
        fail_msg("no \"%s\" on\n%s", text, s.screen);
    return y;
}

/* Expects this name in the details. */
static void expect_selected(const char *name)
{
    const char *row = stage_row(&s, row_of("takes  ") - 1);
    if (!strstr(row, name))
        fail_msg("\"%s\" is selected, not %s:\n%s", row, name, s.screen);
}

/* How long it took is seen at 80 columns, too. */
TEST_WITH(the_head_is_not_cut, set_up, tear_down)
{
    canvas_resize(&s.c, 80, 24);
    stage_look(&s);
    assert_null(strstr(stage_row(&s, 2), "…"));
    expect("200 us of 200 us · 11 spans, 4 lanes");
}

TEST_WITH(lanes_stand_below_their_programs, set_up, tear_down)
{
    expect("200 us of 200 us · 11 spans, 4 lanes");
    assert_true(row_of("▾ python3 ─") < row_of("  thread 4300    │"));
    assert_true(row_of("  thread 4300    │") < row_of("▾ python3 (GPU 1)"));
    assert_true(row_of("▾ python3 (GPU 1)") < row_of("  stream 7       │"));
    expect("│0 us    │20 us");
    expect("▒ ProfilerStep#3 ▒▒▒"); /* a range is not on the path: shaded */
    expect_selected("ProfilerStep#3  range");
}

TEST_WITH(arrows_go_from_span_to_span_and_row_to_row, set_up, tear_down)
{
    stage_key(&s, KEY_DOWN_);
    const char *below = stage_row(&s, row_of("takes  ") - 1);
    assert_null(strstr(below, "ProfilerStep"));
    stage_key(&s, KEY_HOME_);
    expect_selected("aten::");
    stage_key(&s, KEY_RIGHT_);
    char second[256];
    snprintf(second, sizeof second, "%.200s", stage_row(&s, row_of("takes  ")));
    stage_key(&s, KEY_LEFT_);
    stage_key(&s, KEY_LEFT_); /* there is no earlier span */
    expect_selected("aten::");
    stage_key(&s, KEY_RIGHT_);
    assert_string_equal(second, stage_row(&s, row_of("takes  ")));
    stage_key(&s, KEY_UP_);
    expect_selected("ProfilerStep#3");
    stage_key(&s, KEY_UP_); /* the heading of its program */
    expect("select a span with the arrows");
    stage_key(&s, KEY_UP_);
    stage_key(&s, KEY_DOWN_);
    expect_selected("ProfilerStep#3");
}

TEST_WITH(what_launched_it_and_what_it_launched, set_up, tear_down)
{
    stage_command(&s, "search");
    stage_type(&s, "gemm");
    stage_key(&s, KEY_ENTER_);
    expect("'gemm': 1 of 1");
    expect_selected("gemm<float, 128>");
    expect("grid (8, 16, 5), block 128, 12.2 KiB shared memory, 122 registers");
    expect("launched by  cudaLaunchKernel");
    stage_key(&s, '[');
    expect_selected("cudaLaunchKernel");
    expect("launches     gemm<float, 128>");
    stage_key(&s, ']');
    expect_selected("gemm<float, 128>");
    stage_key(&s, ']'); /* it launched no work, but something waited for it */
    expect_selected("Memcpy DtoH (Device -> Pinned)");
    expect("just after   gemm<float, 128>");
}

TEST_WITH(zooming_keeps_what_is_under_the_cursor, set_up, tear_down)
{
    stage_command(&s, "search");
    stage_type(&s, "gemm");
    stage_key(&s, KEY_ENTER_);
    for (int i = 0; i < 3; i++)
        stage_key(&s, '+');
    expect("25.0 us of 200 us");
    expect("name         void gemm<float, 128>(float const*, \"x\")");
    stage_key(&s, '-');
    expect("50.0 us of 200 us");
    stage_key(&s, 'z'); /* 40.25 us and a margin */
    expect("50.3 us of 200 us");
    char before[sizeof s.screen];
    memcpy(before, s.screen, sizeof before);
    stage_key(&s, 'l');
    assert_string_not_equal(before, s.screen);
    stage_key(&s, 'h');
    assert_string_equal(before, s.screen);
    for (int i = 0; i < 60; i++)
        stage_key(&s, '+');
    expect("32.0 ns of 200 us"); /* cannot zoom in further */
    for (int i = 0; i < 10; i++)
        stage_key(&s, '-');
    for (int i = 0; i < 40; i++)
        stage_key(&s, 'h');
    expect("│0 us"); /* nor move back */
    stage_key(&s, KEY_BACKSPACE_);
    expect("200 us of 200 us");
}

/* "z" zooms to the span, and later zooming keeps its middle, wherever the span was clicked. */
/* The range's copy on the queue, which begins 20.75 us later: 9 columns. */
static void find_mirror(int *x, int *y)
{
    assert_true(stage_find(&s, "▒ ProfilerStep#3 ▒", x, y));
    *x += 9;
    *y = row_of("stream 7       │");
}

TEST_WITH(zooming_to_a_span_looks_at_its_middle, set_up, tear_down)
{
    char screens[2][sizeof s.screen];
    int x, y;
    for (int i = 0; i < 2; i++) {
        find_mirror(&x, &y);
        stage_click(&s, x + 6, y + 1, MOUSE_LEFT); /* click another one first */
        stage_click(&s, x + (i ? 14 : 1), y, MOUSE_LEFT);
        expect_selected("ProfilerStep#3  range");
        stage_key(&s, 'z');
        for (int k = 0; k < 4; k++)
            stage_key(&s, '+');
        memcpy(screens[i], s.screen, sizeof s.screen);
        stage_key(&s, KEY_BACKSPACE_);
        expect("200 us of 200 us");
    }
    assert_string_equal(screens[0], screens[1]);
    /* a sixteenth of 60 us and the margin */
    const char *title = strstr(screens[0], " us of 200 us");
    assert_non_null(title);
    assert_true(strncmp(title - 4, "4.69", 4) == 0);
}

TEST_WITH(the_wheel_zooms_at_the_mouse_and_a_click_selects, set_up, tear_down)
{
    int x, y;
    find_mirror(&x, &y);
    stage_click(&s, x + 3, y, MOUSE_LEFT);
    expect_selected("ProfilerStep#3  range");
    expect("stream 7, row 1");
    stage_click(&s, x + 3, y, MOUSE_LEFT); /* clicked again: opens its menu */
    expect("copy name and times");
    stage_key(&s, KEY_ESCAPE);
    for (int i = 0; i < 2; i++) { /* whichever was selected */
        stage_click(&s, x + 6, y + 1, MOUSE_RIGHT);
        expect("╭─ gemm<float, 128>");
        stage_key(&s, KEY_ESCAPE);
        expect_selected("gemm<float, 128>");
    }
    assert_true(stage_find(&s, "  thread 4300    │", &x, &y));
    stage_click(&s, x + 4, y, MOUSE_LEFT);
    expect("thread 4300, row 1");
    assert_true(stage_find(&s, "▾ python3 (GPU 1)", &x, &y));
    stage_click(&s, x + 2, y, MOUSE_LEFT);
    expect("select a span with the arrows");
    assert_true(stage_find(&s, "│100 us", &x, &y));
    for (int i = 0; i < 4; i++)
        stage_click(&s, x, y + 2, MOUSE_WHEEL_UP);
    expect("12.5 us of 200 us");
    expect("│100 us");
    for (int i = 0; i < 4; i++)
        stage_click(&s, x, y + 2, MOUSE_WHEEL_DOWN);
    expect("200 us of 200 us");
}

TEST_WITH(programs_and_lanes_fold, set_up, tear_down)
{
    int below = row_of("  thread 4300    │") - row_of("▒ ProfilerStep#3");
    assert_int_equal(below, 4); /* one row for each level of nesting */
    stage_key(&s, ' ');
    expect("+3 │"); /* the number of rows that are not shown */
    assert_int_equal(row_of("  thread 4300    │") - row_of("▒ ProfilerStep#3"), 1);
    stage_key(&s, ' ');
    assert_int_equal(row_of("  thread 4300    │") - row_of("▒ ProfilerStep#3"), below);
    stage_key(&s, KEY_UP_);
    stage_key(&s, ' ');
    expect("▸ python3  2 lanes folded");
    expect_not("thread 4300");
    stage_command(&s, "search");
    stage_type(&s, "aten"); /* the match is shown */
    stage_key(&s, KEY_ENTER_);
    expect("▾ python3 ─");
    expect_selected("aten::");
}

TEST_WITH(search_walks_all_hits_and_says_how_many, set_up, tear_down)
{
    stage_command(&s, "search");
    stage_type(&s, "~^cuda|^aten");
    stage_key(&s, KEY_ENTER_);
    enum { TOTAL = 5 };
    unsigned first = 0, total = 0, at = 0;
    const char *p = strstr(s.screen, "^aten': ");
    assert_non_null(p);
    assert_int_equal(sscanf(p, "^aten': %u of %u", &first, &total), 2);
    assert_int_equal(total, TOTAL);
    for (unsigned i = 1; i <= TOTAL; i++) {
        stage_key(&s, 'n');
        p = strstr(s.screen, "^aten': ");
        assert_non_null(p);
        assert_int_equal(sscanf(p, "^aten': %u of", &at), 1);
        assert_int_equal(at, (first - 1 + i) % TOTAL + 1); /* wraps around */
    }
    stage_key(&s, 'N');
    p = strstr(s.screen, "^aten': ");
    assert_int_equal(sscanf(p, "^aten': %u of", &at), 1);
    assert_int_equal(at, (first + TOTAL - 2) % TOTAL + 1);
    stage_command(&s, "search");
    stage_type(&s, "no such kernel");
    stage_key(&s, KEY_ENTER_);
    expect("'no such kernel': no span");
    stage_command(&s, "search");
    stage_type(&s, "~(");
    stage_key(&s, KEY_ENTER_);
    expect("'~(': Unmatched");
}

TEST_WITH(the_path_is_walked, set_up, tear_down)
{
    stage_key(&s, 'c');
    for (int i = 0; i < 20; i++) {
        expect_selected("on the critical path");
        stage_key(&s, 'c');
    }
}

TEST_WITH(rows_and_details_as_wished, set_up, tear_down)
{
    stage_key(&s, 'd');
    expect_not("takes  ");
    stage_key(&s, 'd');
    expect("takes  ");
    stage_key(&s, 'm');
    expect("timeline: all rows");
    stage_key(&s, KEY_ENTER_);
    expect("zoom to it");
    expect("copy name and times");
    stage_key(&s, 'z');
    stage_key(&s, 'y');
    assert_true(s.asked & APP_COPY);
    assert_non_null(strstr(app_copied(s.a), "ProfilerStep#3  200 us from 0.000 us"));
}

TEST_WITH(without_a_profile_it_says_so, set_up, tear_down)
{
    app_set_profile(s.a, NULL);
    stage_key(&s, '1');
    expect_not("4 path");
    stage_view(&s, "timeline");
    expect("There are no spans");
}

/* For a running program the last pass is shown; the cursor stays on the corresponding span from
 * pass to pass. */
TEST_WITH(what_runs_shows_its_last_pass, set_up, tear_down)
{
    app_set_profile(s.a, NULL);
    for (int t = 3; t < 9; t++) {
        stage_feed(&s, "bricks", t);
        if (t == 3) {
            stage_view(&s, "timeline");
            expect("1.00 ms of 1.00 ms");
            expect("gemv_down ██");
            stage_command(&s, "search gemv_down");
            expect("'gemv_down': ");
        }
        expect_selected("gemv_down");
        expect("takes        505 us, from 0.464 ms to 0.969 ms");
    }
    stage_feed(&s, "vm", 9); /* now there is nothing to show */
    expect("There are no spans");
}

/* --- random keys with random profiles --- */

static uint32_t seed = 4711;

static uint32_t random_below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}

/* Spans at any time, even at the limits of the clock, and empty lanes. */
static void random_profile_of(struct analysis *a, uint32_t n)
{
    static const char *const names[] = {"gemm",     "",         "a\033[31mred",
                                        "漢字漢字", "\xff\xfe", "x<y>&"};
    struct graph *g = graph_new();
    uint32_t lanes[40] = {0}, nlanes = 1 + random_below(40);
    *a = (struct analysis){0};
    for (uint32_t i = 0; i < nlanes; i++) {
        uint32_t up = i ? lanes[random_below(i)] : GRAPH_NONE;
        uint32_t kind = random_below(3);
        while (up != GRAPH_NONE && g->parent[up] != GRAPH_NONE)
            up = g->parent[up];
        lanes[i] = graph_add(g,
                             kind == 0   ? NODE_PROGRAM
                             : kind == 1 ? NODE_THREAD
                                         : NODE_QUEUE,
                             graph_intern(g, names[random_below(6)]), kind == 0 ? GRAPH_NONE : up,
                             EDGE_CONTAINS, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    }
    uint64_t scale = 1ull << random_below(63), base = random_below(2) ? 1ull << 62 : 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t up = random_below(3) ? lanes[random_below(nlanes)] : random_below(g->nnodes);
        uint32_t v = graph_add(g, random_below(2) ? NODE_KERNEL : NODE_FUNCTION,
                               graph_intern(g, names[random_below(6)]), up,
                               random_below(9) ? EDGE_CONTAINS : EDGE_LAUNCHES,
                               base + scale / 1024 * random_below(1024),
                               random_below(3) ? scale / 1024 * random_below(99) : 0);
        if (i > 2 && random_below(2))
            graph_connect(g, v - 1 - random_below(2), v, EDGE_LAUNCHES);
    }
    graph_finish(g);
    a->trace.calls = g;
    a->bricks.tree = graph_ref(g); /* view 4, where some keys lead */
    assert_int_equal(critical_path_find(g, &a->path, NULL), 0);
    a->timeline = calloc(1, sizeof *a->timeline);
}

static void forget(struct analysis *a)
{
    timeline_free(a->timeline);
    free(a->timeline);
    critical_path_free(&a->path);
    graph_unref(a->bricks.tree);
    graph_unref(a->trace.calls);
}

TEST(random_keys_do_no_harm)
{
    static const uint32_t special[] = {KEY_UP_,    KEY_DOWN_, KEY_PGUP,   KEY_PGDN,
                                       KEY_HOME_,  KEY_END_,  KEY_ESCAPE, KEY_BACKSPACE_,
                                       KEY_RIGHT_, KEY_LEFT_, KEY_MOUSE_, KEY_MOUSE_,
                                       KEY_MOUSE_, '+',       '+',        '-',
                                       'z',        'h',       'l',        ' ',
                                       'm',        'd',       'c',        '[',
                                       ']',        '<',       '>',        'n'};
    static const char *const lines[] = {"/gemm\r", "/~a|x\r", "/~(\r", "\r\033", ":search\rx\r"};
    const char *asked = env_get("RANDOM_STEPS");
    int steps = asked ? atoi(asked) : 6000;
    const char *line = "";
    stage_open(&s, "vm", 120, 40, 2);
    struct analysis a;
    random_profile_of(&a, 100);
    for (int i = 0; i < steps; i++) {
        if (i % 300 == 0) {
            app_set_profile(s.a, NULL);
            forget(&a);
            random_profile_of(&a, random_below(4) ? random_below(500) : random_below(3));
            app_set_profile(s.a, &a);
        }
        if (i % 7 == 0)
            canvas_resize(&s.c, (int)random_below(210), (int)random_below(60));
        struct key_event ev = {.key = special[random_below(sizeof special / sizeof *special)],
                               .x = (int)random_below(220),
                               .y = (int)random_below(70),
                               .button = 1 + (int)random_below(5)};
        if (i % 89 == 0)
            line = lines[random_below(sizeof lines / sizeof *lines)];
        if (*line)
            ev.key = (unsigned char)*line++;
        app_key(s.a, &ev);
        if (strcmp(views[app_view(s.a)]->name, "overview") == 0)
            app_perform(s.a, ACTION_VIEW_TIMELINE, 0);
        app_draw(s.a, &s.c);
    }
    app_set_profile(s.a, NULL);
    forget(&a);
    stage_close(&s);
}

/* The profile of one thread with one span. */
static void one_span(struct analysis *a, uint64_t duration_ns)
{
    struct graph *g = graph_new();
    *a = (struct analysis){.trace.calls = g, .bricks.tree = graph_ref(g)};
    uint32_t lane = graph_add(g, NODE_THREAD, graph_intern(g, "one"), GRAPH_NONE, EDGE_CONTAINS,
                              GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    graph_add(g, NODE_FUNCTION, graph_intern(g, "moment"), lane, EDGE_CONTAINS, 5, duration_ns);
    graph_finish(g);
    assert_int_equal(critical_path_find(g, &a->path, NULL), 0);
    a->timeline = calloc(1, sizeof *a->timeline);
}

/* All spans begin and end at one moment, and the view is zoomed since the profile before. */
TEST(a_moment_without_length_is_zoomed)
{
    struct analysis a[2];
    one_span(&a[0], 1000000);
    one_span(&a[1], 0);
    stage_open(&s, "vm", 120, 40, 2);
    app_set_profile(s.a, &a[0]);
    stage_view(&s, "timeline");
    for (int i = 0; i < 8; i++)
        stage_key(&s, '+');
    app_set_profile(s.a, &a[1]);
    stage_view(&s, "timeline");
    expect("moment");
    app_set_profile(s.a, NULL);
    forget(&a[0]);
    forget(&a[1]);
    stage_close(&s);
}
