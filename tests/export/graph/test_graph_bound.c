/* A bounded tree: what is kept is a tree, is what takes longest, and the rest is counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/graph/graph_export.h"
#include "support/test.h"

static uint32_t add(struct graph *g, const char *name, uint32_t parent, uint64_t ns)
{
    return graph_add(g, NODE_FUNCTION, graph_intern(g, name), parent, EDGE_CONTAINS, GRAPH_UNKNOWN,
                     ns);
}

/* main 100: a 60 (b 50, c 10), d 30 */
static struct graph *small_graph(void)
{
    struct graph *g = graph_new();
    const uint32_t main = add(g, "main", GRAPH_NONE, 100), a = add(g, "a", main, 60);
    add(g, "b", a, 50);
    add(g, "c", a, 10);
    add(g, "d", main, 30);
    graph_finish(g);
    return g;
}

static void expect_tree(const struct graph *g, struct graph_bound bound, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    struct graph_shown shown;
    graph_shown_make(&shown, g, GRAPH_NONE, &bound);
    const struct graph_export_options o = {.ascii = true, .root = GRAPH_NONE, .shown = &shown};
    FILE *f = open_memstream(&text, &size);
    graph_export_text(f, g, &o);
    fclose(f);
    assert_string_equal(text, expected);
    free(text);
    graph_shown_free(&shown);
}

TEST(what_is_left_out_is_counted)
{
    struct graph *g = small_graph();
    expect_tree(g, (struct graph_bound){.depth = 0}, "main\n|-- a\n|   |-- b\n|   `-- c\n`-- d\n");
    expect_tree(g, (struct graph_bound){.depth = 2},
                "main\n|-- a\n`-- d\n\n2 nodes are left out, with 60.0 ns of own time (60.0 % of "
                "all); --min 0 shows all\n");
    expect_tree(g, (struct graph_bound){.least_ns = 50},
                "main\n`-- a\n    `-- b\n\n2 nodes are left out, with 40.0 ns of own time (40.0 % "
                "of all); --min 0 shows all\n");
    expect_tree(g, (struct graph_bound){.lines = 2},
                "main\n`-- a\n\n3 nodes are left out, with 90.0 ns of own time (90.0 % of all); "
                "--min 0 shows all\n");
    graph_unref(g);
}

/* What was launched may take longer than the call that launched it: the call is kept with it. */
TEST(a_short_parent_of_a_long_child_is_kept)
{
    struct graph *g = graph_new();
    const uint32_t call = add(g, "call", GRAPH_NONE, 1);
    graph_add(g, NODE_KERNEL, graph_intern(g, "gemm"), call, EDGE_LAUNCHES, GRAPH_UNKNOWN, 500);
    add(g, "other", call, GRAPH_UNKNOWN);
    graph_finish(g);
    expect_tree(g, (struct graph_bound){.least_ns = 400},
                "call\n`-- gemm\n\n1 node is left out, with 0 s of own time (0.0 % of all); "
                "--min 0 shows all\n");
    graph_unref(g);
}

/* The weight that the bound goes by, by its definition. */
static uint64_t longest_below(const struct graph *g, uint32_t node)
{
    uint64_t most = g->duration[node] == GRAPH_UNKNOWN ? 0 : g->duration[node];
    for (uint32_t i = g->first_child[node]; i != GRAPH_NONE; i = g->next_sibling[i]) {
        const uint64_t below = longest_below(g, i);
        most = below > most ? below : most;
    }
    return most;
}

TEST(random_trees_keep_what_takes_longest)
{
    srand(1);
    for (int round = 0; round < 200; round++) {
        struct graph *g = graph_new();
        const uint32_t n = 1 + (uint32_t)rand() % 60;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t up = i ? (uint32_t)rand() % i : GRAPH_NONE;
            add(g, "x", rand() % 8 ? up : GRAPH_NONE,
                rand() % 5 ? (uint64_t)(rand() % 20) : GRAPH_UNKNOWN);
        }
        graph_finish(g);
        const struct graph_bound bound = {.lines = 1 + (size_t)rand() % 70};
        struct graph_shown shown;
        size_t kept = 0;
        uint64_t least_kept = UINT64_MAX, most_left = 0, left = 0, all = 0;
        graph_shown_make(&shown, g, GRAPH_NONE, &bound);
        for (uint32_t i = 0; i < n; i++) {
            const uint64_t weight = longest_below(g, i);
            all += graph_self(g, i);
            if (shown.keep[i]) {
                kept++;
                least_kept = weight < least_kept ? weight : least_kept;
                assert_true(g->parent[i] == GRAPH_NONE || shown.keep[g->parent[i]]);
            } else {
                left += graph_self(g, i);
                most_left = weight > most_left ? weight : most_left;
            }
        }
        assert_int_equal(kept, bound.lines < n ? bound.lines : n);
        assert_int_equal(shown.left_out, n - kept);
        assert_true(least_kept >= most_left);
        assert_int_equal(shown.left_ns, left);
        assert_int_equal(shown.all_ns, all);
        graph_shown_free(&shown);
        graph_unref(g);
    }
}

TEST_MAIN(NULL, NULL)
