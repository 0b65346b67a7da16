/* Moving and searching in a timeline; compared with a loop over all spans. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/made_timeline.h"
#include "support/test.h"

static bool critical(const struct made_timeline *p, uint32_t v)
{
    for (uint32_t i = 0; i < p->way.nsteps; i++)
        if (p->way.steps[i].node == v)
            return true;
    return false;
}

static uint64_t distance(const struct made_timeline *p, uint32_t v, uint64_t time)
{
    uint64_t a = p->g->start[v], b = timeline_end(p->g, v);
    return time < a ? a - time : time >= b && time > a ? time - b : 0;
}

TEST(points_find_the_span_there_or_the_nearest)
{
    EACH_TIMELINE
    {
        for (int k = 0; k < 200 && p->t.nrows; k++) {
            const struct timeline *t = &p->t;
            uint32_t row = made_random(t->nrows), nearest = GRAPH_NONE;
            uint64_t time = made_time(p, made_shapes[shape].range);
            uint32_t at = timeline_at(t, row, time), near = timeline_near(t, row, time);
            for (uint32_t i = t->row_first[row]; i < t->row_first[row + 1]; i++) {
                uint32_t v = t->spans[i];
                if (nearest == GRAPH_NONE || distance(p, v, time) < distance(p, nearest, time))
                    nearest = v;
                if (at == GRAPH_NONE) {
                    bool there = p->g->start[v] == time ||
                                 (p->g->start[v] < time && timeline_end(p->g, v) > time);
                    assert_false(there);
                }
            }
            assert_true(distance(p, near, time) == distance(p, nearest, time));
            if (at != GRAPH_NONE) {
                assert_true(p->g->start[at] <= time &&
                            (timeline_end(p->g, at) > time || p->g->start[at] == time));
                assert_int_equal(near, at);
            }
        }
    }
}

/* The order that timeline_search and timeline_next_in_lane use. */
static bool before(const struct made_timeline *p, uint32_t a, uint32_t b)
{
    if (p->g->start[a] != p->g->start[b])
        return p->g->start[a] < p->g->start[b];
    if (p->t.row_of[a] != p->t.row_of[b])
        return p->t.row_of[a] < p->t.row_of[b];
    return timeline_place(&p->t, a) < timeline_place(&p->t, b);
}

/* The next span in that lane (GRAPH_NONE: any) with these names (NULL: any). */
static uint32_t look_next(const struct made_timeline *p, uint32_t from, int step, uint32_t lane,
                          const struct timeline_names *names)
{
    uint32_t found = GRAPH_NONE;
    for (uint32_t i = 0; i < p->t.nspans; i++) {
        uint32_t v = p->t.spans[i];
        if (v == from || before(p, from, v) != (step > 0) ||
            (lane != GRAPH_NONE && timeline_lane_of_row(&p->t, p->t.row_of[v]) != lane) ||
            (names && !names->hit[p->g->name[v]]))
            continue;
        if (found == GRAPH_NONE || before(p, v, found) == (step > 0))
            found = v;
    }
    return found;
}

TEST(neighbours_in_rows_and_lanes)
{
    EACH_TIMELINE
    {
        for (uint32_t k = 0; k < p->t.nspans; k += 1 + p->t.nspans / 60) {
            uint32_t v = p->t.spans[k], row = p->t.row_of[v];
            uint32_t lane = timeline_lane_of_row(&p->t, row);
            for (int step = -1; step <= 1; step += 2) {
                uint32_t n = timeline_next(&p->t, v, step);
                bool last = step > 0 ? k + 1 == p->t.row_first[row + 1] : k == p->t.row_first[row];
                assert_int_equal(n, last ? GRAPH_NONE : p->t.spans[step > 0 ? k + 1 : k - 1]);
                assert_int_equal(timeline_next_in_lane(&p->t, v, step),
                                 look_next(p, v, step, lane, NULL));
            }
        }
    }
}

TEST(the_path_is_walked_in_order_of_time)
{
    EACH_TIMELINE
    {
        uint32_t all = 0, walked = 0, v = timeline_next_critical(&p->t, GRAPH_NONE, 0, 1);
        for (uint32_t i = 0; i < p->t.nspans; i++)
            all += timeline_is_critical(&p->t, p->t.spans[i]);
        for (uint32_t last = GRAPH_NONE; v != GRAPH_NONE && walked <= all; walked++) {
            assert_true(critical(p, v));
            if (last != GRAPH_NONE)
                assert_int_equal(timeline_next_critical(&p->t, v, 0, -1), last);
            last = v;
            v = timeline_next_critical(&p->t, v, 0, 1);
        }
        assert_int_equal(walked, all);
    }
}

TEST(search_goes_to_the_next_hit_and_around)
{
    static const struct {
        const char *text;
        uint32_t names; /* bits of made_names */
    } wanted[] = {
        {"gemm", 0x11}, {"GEMM_", 0x10}, {"~^(gemm|sync)$", 0x09}, {"float>", 0x02},
        {"", 0x7f},     {"~", 0x00},     {"nothing", 0x00},        {"~norm|launch", 0x60}};
    EACH_TIMELINE
    {
        for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
            struct timeline_names names;
            struct error err = ERROR_INIT;
            uint32_t hits = 0;
            assert_int_equal(timeline_names(&names, &p->t, wanted[w].text, &err), 0);
            for (uint32_t i = 0; i < p->t.nspans; i++) {
                const char *name = graph_name(p->g, p->t.spans[i]);
                for (int k = 0; k < MADE_NAMES; k++)
                    hits += strcmp(name, made_names[k]) == 0 && (wanted[w].names >> k & 1);
            }
            for (int k = 0; k < 10 && p->t.nspans; k++) {
                int step = made_random(2) ? 1 : -1;
                uint32_t from = p->t.spans[made_random(p->t.nspans)];
                struct timeline_hit h = timeline_search(&p->t, &names, from, 0, step);
                uint32_t want = look_next(p, from, step, GRAPH_NONE, &names);
                assert_int_equal(h.total, hits);
                if (want != GRAPH_NONE) {
                    assert_int_equal(h.node, want);
                } else if (hits) { /* wraps around */
                    assert_int_equal(h.index, step > 0 ? 0 : hits - 1);
                } else {
                    assert_int_equal(h.node, GRAPH_NONE);
                }
                uint32_t rank = 0;
                for (uint32_t i = 0; h.node != GRAPH_NONE && i < p->t.nspans; i++)
                    rank +=
                        names.hit[p->g->name[p->t.spans[i]]] && before(p, p->t.spans[i], h.node);
                assert_int_equal(h.index, rank);
            }
            timeline_names_free(&names);
        }
    }
}

TEST(search_from_a_time_and_what_is_no_expression)
{
    struct made_timeline *p = made_timeline(3, 400, 100, 5000);
    struct timeline_names names;
    struct error err = ERROR_INIT;
    assert_int_equal(timeline_names(&names, &p->t, "memcpy", &err), 0);
    for (uint64_t time = 0; time < 6000; time += 171) {
        struct timeline_hit next = timeline_search(&p->t, &names, GRAPH_NONE, time, 1);
        struct timeline_hit prev = timeline_search(&p->t, &names, GRAPH_NONE, time, -1);
        uint64_t first = UINT64_MAX, last = 0;
        bool any = false;
        for (uint32_t i = 0; i < p->t.nspans; i++) {
            uint64_t start = p->g->start[p->t.spans[i]];
            if (!names.hit[p->g->name[p->t.spans[i]]])
                continue;
            first = start >= time && start < first ? start : first;
            any |= start < time;
            last = start < time && start > last ? start : last;
        }
        if (first != UINT64_MAX)
            assert_true(p->g->start[next.node] == first);
        else
            assert_int_equal(next.index, 0);
        if (any)
            assert_true(p->g->start[prev.node] == last);
        else
            assert_int_equal(prev.index, prev.total - 1);
    }
    timeline_names_free(&names);
    assert_int_equal(timeline_names(&names, &p->t, "~(", &err), -EINVAL);
    assert_int_equal(err.kind, ERROR_USAGE);
    assert_null(names.hit);
    made_timeline_free(p);
}

/* Says when an edge holds what back. */
static void check_arrow(const struct timeline_arrow *a, uint32_t from, uint32_t to,
                        enum edge_kind kind, uint64_t leaves, uint64_t arrives)
{
    assert_int_equal(a->from, from);
    assert_int_equal(a->to, to);
    assert_int_equal(a->kind, kind);
    assert_int_equal(a->leaves, leaves);
    assert_int_equal(a->arrives, arrives);
}

TEST(links_are_what_edges_and_parents_say)
{
    struct graph *g = graph_new();
    uint32_t name = graph_intern(g, "x"), out[4];
    uint32_t thread =
        graph_add(g, NODE_THREAD, name, GRAPH_NONE, EDGE_CONTAINS, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    uint32_t queue =
        graph_add(g, NODE_QUEUE, name, GRAPH_NONE, EDGE_CONTAINS, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    uint32_t call = graph_add(g, NODE_FUNCTION, name, thread, EDGE_CONTAINS, 10, 5);
    uint32_t late = graph_add(g, NODE_KERNEL, name, queue, EDGE_CONTAINS, 40, 5);
    uint32_t early = graph_add(g, NODE_KERNEL, name, queue, EDGE_CONTAINS, 20, 5);
    uint32_t task = graph_add(g, NODE_TASK, name, call, EDGE_LAUNCHES, 12, 50);
    uint32_t wait = graph_add(g, NODE_FUNCTION, name, thread, EDGE_CONTAINS, 30, 20);
    graph_connect(g, call, late, EDGE_LAUNCHES);
    graph_connect(g, call, early, EDGE_LAUNCHES);
    graph_connect(g, early, late, EDGE_SEQUENCE);
    graph_connect(g, late, wait, EDGE_JOINS);
    graph_finish(g);
    struct critical_path way;
    struct timeline t;
    assert_int_equal(critical_path_find(g, &way, NULL), 0);
    assert_int_equal(timeline_build(&t, g, &way, NULL), 0);
    assert_int_equal(timeline_links(&t, call, EDGE_LAUNCHES, true, out, 4), 3);
    assert_int_equal(out[0], task);
    assert_int_equal(out[1], early);
    assert_int_equal(out[2], late);
    assert_int_equal(timeline_links(&t, call, EDGE_LAUNCHES, true, out, 2), 3);
    assert_int_equal(out[1], early);
    assert_int_equal(timeline_links(&t, call, EDGE_LAUNCHES, true, NULL, 0), 3);
    assert_int_equal(timeline_links(&t, task, EDGE_LAUNCHES, false, out, 4), 1);
    assert_int_equal(out[0], call);
    assert_int_equal(timeline_links(&t, early, EDGE_LAUNCHES, false, out, 4), 1);
    assert_int_equal(timeline_links(&t, wait, EDGE_JOINS, false, out, 4), 1);
    assert_int_equal(out[0], late);
    assert_int_equal(timeline_links(&t, late, EDGE_SEQUENCE, false, out, 4), 0);
    assert_int_equal(t.nlinks, 3);
    struct timeline_arrow arrows[4];
    assert_int_equal(timeline_arrows(&t, call, true, arrows, 4), 3);
    check_arrow(&arrows[0], call, task, EDGE_LAUNCHES, 10, 12);
    check_arrow(&arrows[1], call, early, EDGE_LAUNCHES, 10, 20);
    check_arrow(&arrows[2], call, late, EDGE_LAUNCHES, 10, 40);
    assert_int_equal(timeline_arrows(&t, call, true, arrows, 2), 2);
    assert_int_equal(timeline_arrows(&t, wait, false, arrows, 4), 1);
    check_arrow(&arrows[0], late, wait, EDGE_JOINS, 45, 50);
    assert_int_equal(timeline_cause(&t, wait, false), late);
    assert_int_equal(timeline_cause(&t, call, false), GRAPH_NONE);
    assert_int_equal(timeline_cause(&t, late, true), wait);
    timeline_free(&t);
    critical_path_free(&way);
    graph_unref(g);
}
