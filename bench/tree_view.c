/*
 * Measures the tree view with 10^6 places: a frame for the first picture, scrolling to the end,
 * moving there, folding a level, and searching in folded parts. The target is one frame, 16 ms.
 * The first picture of a new graph names every place and is reported apart.
 */
#include <stdio.h>
#include <time.h>

#include "engine/bricks/bricks.h"
#include "tui/canvas/canvas.h"
#include "tui/model/view.h"

extern const struct view_ops view_tree;

enum { NODES = 1000000, FAN = 100, ROUNDS = 9 };
static const double target_ms = 16;

static struct canvas c;
static struct model m;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static struct graph *build(void)
{
    struct graph *g = graph_new();
    uint32_t names[FAN], last = graph_intern(g, "needle");
    char text[32];
    for (int i = 0; i < FAN; i++) {
        snprintf(text, sizeof text, "brick %d", i);
        names[i] = graph_intern(g, text);
    }
    for (uint32_t i = 0; i < NODES; i++) {
        uint32_t node =
            graph_add(g, i ? NODE_BRICK : NODE_PROGRAM, i + 1 == NODES ? last : names[i % FAN],
                      i ? (i - 1) / FAN : GRAPH_NONE, EDGE_CONTAINS, GRAPH_UNKNOWN, 1000 + i % 977);
        *graph_work(g, node) =
            (struct graph_work){.count = 1, .total = 1000 + i % 977, .histogram = GRAPH_NONE};
    }
    graph_finish(g);
    return g;
}

static double frame(struct view_state *st, enum action a)
{
    double before = now_ms();
    if (a != ACTION_NONE)
        view_tree.act(a, &m, st);
    canvas_clear(&c);
    view_tree.draw(&c, (struct rect){0, 0, c.cols, c.rows}, &m, st);
    return now_ms() - before;
}

static int say(const char *what, double ms, double most)
{
    printf("%-44s %8.2f ms%s\n", what, ms, ms <= most ? "" : "  OVER ITS TARGET");
    return ms > most;
}

/* The median of several frames of one action, from the same state. */
static int measure(const char *what, const struct view_state *from, enum action a)
{
    double ms[ROUNDS] = {0};
    for (int i = 0; i < ROUNDS; i++) {
        struct view_state st = *from;
        frame(&st, ACTION_NONE); /* draw the starting state first */
        double one = frame(&st, a);
        int k = i;
        for (; k > 0 && ms[k - 1] > one; k--)
            ms[k] = ms[k - 1];
        ms[k] = one;
    }
    return say(what, ms[ROUNDS / 2], target_ms);
}

int main(void)
{
    struct graph *g = build();
    struct bricks b = {.tree = g};
    struct snapshot s = {.bricks = &b};
    struct view_state st;
    int bad = 0;
    view_state_begin(&st, &view_tree);
    m.snap = &s;
    canvas_init(&c);
    canvas_resize(&c, 200, 50);
    say("first picture of a new graph", frame(&st, ACTION_NONE), 1e9);
    bad |= measure("folded: one row down", &st, ACTION_DOWN);
    frame(&st, ACTION_DOWN);
    bad |= measure("folded: fold one of 100", &st, ACTION_FOLD);
    bad |= measure("folded: fold the level", &st, ACTION_FOLD_LEVEL);
    snprintf(st.search, sizeof st.search, "needle");
    bad |= measure("folded: search to the last place", &st, ACTION_SEARCH_NEXT);
    st.search[0] = '\0';
    st.level = 100;
    st.scroll = st.selected = 0;
    say("all unfolded, 10^6 rows", frame(&st, ACTION_NONE), 1e9);
    bad |= measure("10^6 rows: fold one of 100", &st, ACTION_FOLD);
    bad |= measure("10^6 rows: to the end", &st, ACTION_BOTTOM);
    frame(&st, ACTION_BOTTOM);
    bad |= measure("10^6 rows: one row up at the end", &st, ACTION_UP);
    bad |= measure("10^6 rows: a page up at the end", &st, ACTION_PAGE_UP);
    snprintf(st.search, sizeof st.search, "needle");
    bad |= measure("10^6 rows: search around", &st, ACTION_SEARCH_PREV);
    bad |= measure("10^6 rows: to the parent", &st, ACTION_TREE_LEFT);
    bad |= measure("10^6 rows: the same again, at the end", &st, ACTION_NONE);
    view_state_end(&st, &view_tree);
    canvas_free(&c);
    graph_unref(g);
    return bad;
}
