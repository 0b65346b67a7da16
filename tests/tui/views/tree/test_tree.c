/* The tree view with large and folded trees: search finds what is folded, a level of any width can
 * be folded, and the cursor stays on its place. */
#include <stdio.h>
#include <string.h>

#include "tui/canvas/canvas.h"
#include "tui/views/tree/tree.h"
#include "support/test.h"

extern const struct view_ops view_tree;
enum { LAYERS = 300, BRICKS = 10, AT_START = 1 + LAYERS + LAYERS * BRICKS };

static struct canvas c;
static struct graph *g;
static struct bricks b;
static struct snapshot snap;
static struct model m;
static struct view_state st;
static uint32_t needles[2];

/* 1 program, 300 layers with 10 bricks each, a kernel in each brick: more than is unfolded at the
 * start, and wider than the list of exceptions. */
static struct graph *build(uint64_t ns)
{
    struct graph *made = graph_new();
    uint32_t layer = graph_intern(made, "layer"), kernel = graph_intern(made, "kernel");
    uint32_t root = graph_add(made, NODE_PROGRAM, graph_intern(made, "prog"), GRAPH_NONE,
                              EDGE_CONTAINS, GRAPH_UNKNOWN, ns * LAYERS);
    for (int i = 0; i < LAYERS; i++) {
        char name[32];
        snprintf(name, sizeof name, "layer %d", i);
        uint32_t l = graph_add(made, NODE_LAYER, i ? graph_intern(made, name) : layer, root,
                               EDGE_CONTAINS, GRAPH_UNKNOWN, ns);
        for (int k = 0; k < BRICKS; k++) {
            bool needle = k == 7 && (i == 40 || i == 250);
            snprintf(name, sizeof name, "brick %d", k);
            uint32_t n = graph_add(made, NODE_BRICK, graph_intern(made, name), l, EDGE_CONTAINS,
                                   GRAPH_UNKNOWN, ns / BRICKS);
            n = graph_add(made, NODE_KERNEL, needle ? graph_intern(made, "needle") : kernel, n,
                          EDGE_LAUNCHES, GRAPH_UNKNOWN, ns / BRICKS);
            if (needle)
                needles[i == 250] = n;
        }
    }
    graph_finish(made);
    return made;
}

static void draw(void)
{
    canvas_clear(&c);
    view_tree.draw(&c, (struct rect){0, 0, c.cols, c.rows}, &m, &st);
}

FIXTURE(setup)
{
    g = build(1000);
    b = (struct bricks){.tree = g};
    snap = (struct snapshot){.bricks = &b};
    m = (struct model){.snap = &snap};
    view_state_begin(&st, &view_tree);
    canvas_init(&c);
    canvas_resize(&c, 100, 30);
    draw();
}

FIXTURE(teardown)
{
    view_state_end(&st, &view_tree);
    graph_unref(g);
    canvas_free(&c);
}

static void act(enum action a)
{
    view_tree.act(a, &m, &st);
    draw();
}

static uint32_t cursor(void)
{
    return tree_node(tree_rows(&b, &st), st.at, NULL);
}

TEST_WITH(a_large_tree_starts_folded, setup, teardown)
{
    assert_int_equal(st.rows, AT_START); /* kernels are folded */
}

TEST_WITH(search_finds_what_is_folded_away, setup, teardown)
{
    snprintf(st.search, sizeof st.search, "NEEDLE");
    act(ACTION_SEARCH_NEXT);
    assert_int_equal(cursor(), needles[0]);
    assert_int_equal(st.rows, AT_START + 1);
    act(ACTION_SEARCH_NEXT);
    assert_int_equal(cursor(), needles[1]);
    act(ACTION_SEARCH_NEXT); /* wraps around */
    assert_int_equal(cursor(), needles[0]);
    act(ACTION_SEARCH_PREV);
    assert_int_equal(cursor(), needles[1]);
    assert_int_equal(st.rows, AT_START + 2);
    snprintf(st.search, sizeof st.search, "nowhere");
    act(ACTION_SEARCH_NEXT);
    assert_int_equal(cursor(), needles[1]);
}

TEST_WITH(search_follows_the_rows_in_any_order, setup, teardown)
{
    st.reverse = true; /* the last layer first */
    snprintf(st.search, sizeof st.search, "needle");
    act(ACTION_SEARCH_NEXT);
    assert_int_equal(cursor(), needles[1]);
}

TEST_WITH(a_level_wider_than_the_exceptions_folds, setup, teardown)
{
    act(ACTION_DOWN); /* a layer */
    act(ACTION_FOLD_LEVEL);
    assert_int_equal(st.rows, 1 + LAYERS);
    act(ACTION_UNFOLD); /* an exception to the folded level */
    assert_int_equal(st.rows, 1 + LAYERS + BRICKS);
    act(ACTION_DOWN); /* a brick: only a few on its level are shown */
    act(ACTION_FOLD_LEVEL);
    assert_int_equal(st.rows, 1 + LAYERS + 2 * BRICKS);
    act(ACTION_UP);
    act(ACTION_FOLD);
    act(ACTION_FOLD_LEVEL); /* all layers are unfolded again */
    assert_int_equal(st.rows, AT_START);
}

TEST_WITH(the_critical_path_is_followed_into_folds, setup, teardown)
{
    struct brick_span span = {.node = needles[0], .critical = true};
    uint32_t step = 0;
    graph_unref(g);
    g = build(2000);
    b = (struct bricks){.tree = g};
    b.window.spans = &span;
    b.window.nspans = b.window.nsteps = 1;
    b.window.steps = &step;
    draw();
    for (int i = 0; i < 3; i++) /* its layer, its brick, and itself */
        act(ACTION_NEXT_CRITICAL);
    assert_int_equal(cursor(), needles[0]);
    act(ACTION_NEXT_CRITICAL); /* wraps around: the program is on the path */
    assert_int_equal(cursor(), 0);
}

TEST_WITH(the_cursor_stays_on_its_place_in_a_new_graph, setup, teardown)
{
    act(ACTION_BOTTOM);
    uint64_t at = st.at;
    int scroll = st.scroll;
    struct graph *old = g;
    g = build(3000);
    b.tree = g;
    draw();
    graph_unref(old);
    assert_int_equal(st.at, at);
    assert_int_equal(st.scroll, scroll);
    assert_string_equal(graph_name(g, cursor()), "brick 9");
}

static void name_of_row(size_t i, char out[32])
{
    const struct tree_rows *rows = tree_rows(&b, &st);
    assert_true(i < rows->nrows);
    snprintf(out, 32, "%s", graph_name(rows->graph, rows->rows[i].node));
}

/* Each order puts another place on top: by time the one with the largest sum, by mean the one with
 * the longest call. A place without a count has one call. */
TEST_WITH(rows_are_sorted_by_what_the_order_says, setup, teardown)
{
    static const struct {
        const char *name;
        uint64_t time, calls; /* calls 0: not counted */
    } places[] = {{"often", 1000, 100}, {"b rare", 600, 2}, {"once", 400, 0}, {"a brief", 50, 1}};
    enum { ORDER, TIME, NAME, CALLS, MEAN, SORTS };
    static const char *const expected[SORTS][4] = {[ORDER] = {"often", "b rare", "once", "a brief"},
                                                   [TIME] = {"often", "b rare", "once", "a brief"},
                                                   [NAME] = {"a brief", "b rare", "often", "once"},
                                                   [CALLS] = {"often", "b rare", "a brief", "once"},
                                                   [MEAN] = {"once", "b rare", "a brief", "often"}};
    struct graph *old = g;
    g = graph_new();
    uint32_t root = graph_add(g, NODE_PROGRAM, graph_intern(g, "prog"), GRAPH_NONE, EDGE_CONTAINS,
                              GRAPH_UNKNOWN, 2050);
    for (size_t i = 0; i < 4; i++) {
        uint32_t n = graph_add(g, NODE_BRICK, graph_intern(g, places[i].name), root, EDGE_CONTAINS,
                               GRAPH_UNKNOWN, places[i].time);
        if (places[i].calls)
            *graph_work(g, n) = (struct graph_work){
                .count = places[i].calls, .total = places[i].time, .histogram = GRAPH_NONE};
    }
    graph_finish(g);
    graph_unref(old);
    b.tree = g;
    for (int sort = 0; sort < SORTS; sort++)
        for (int reverse = 0; reverse < 2; reverse++) {
            st.sort = sort;
            st.reverse = reverse;
            for (size_t i = 0; i < 4; i++) {
                char name[32];
                name_of_row(1 + (reverse ? 3 - i : i), name);
                if (strcmp(name, expected[sort][i]) != 0)
                    fail_msg("by %s%s: %s instead of %s", view_sort(&view_tree, &st, sort),
                             reverse ? " (reversed)" : "", name, expected[sort][i]);
            }
        }
}
