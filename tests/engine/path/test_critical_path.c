/* The critical path by hand, and what a thread does at each moment by brute force. What-if and
 * slack are compared with another simulation in test_what_if.c and test_path_shares.c. */
#include <stdlib.h>
#include <string.h>

#include "engine/path/critical_path.h"
#include "support/test.h"

enum { MOST = 24, RANDOM_GRAPHS = 4000 };
#define NO GRAPH_UNKNOWN

static uint64_t seed;
static uint32_t below(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % n;
}

static struct critical_path find(const struct graph *g)
{
    struct critical_path p;
    struct error err = ERROR_INIT;
    assert_int_equal(critical_path_find(g, &p, &err), 0);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p.nsteps; i++) {
        assert_int_equal(p.steps[i].start, sum);
        sum += p.steps[i].length;
    }
    assert_int_equal(sum, p.length);
    return p;
}

static uint32_t add(struct graph *g, enum node_kind kind, const char *name, uint32_t parent,
                    uint64_t start, uint64_t duration)
{
    return graph_add(g, kind, graph_intern(g, name), parent, EDGE_CONTAINS, start, duration);
}

static void check_step(const struct critical_path *p, uint32_t i, uint32_t node,
                       enum path_part part, uint64_t length)
{
    assert_true(i < p->nsteps);
    assert_int_equal(p->steps[i].node, node);
    assert_int_equal(p->steps[i].part, part);
    assert_int_equal(p->steps[i].length, length);
}

TEST(a_brick_and_its_kernel_are_counted_once)
{
    struct graph *g = graph_new();
    uint32_t brick = add(g, NODE_BRICK, "brick", GRAPH_NONE, 1000, 200000);
    uint32_t kernel = add(g, NODE_KERNEL, "kernel", brick, 1000, 200000);
    graph_finish(g);
    struct critical_path p = find(g);
    assert_int_equal(p.length, 200000);
    assert_int_equal(p.begin, 1000);
    assert_int_equal(p.nsteps, 1);
    check_step(&p, 0, kernel, PATH_COMPUTE, 200000);
    assert_int_equal(p.slack[brick], 0);
    critical_path_free(&p);
    graph_unref(g);
}

TEST(what_has_no_time_takes_no_part)
{
    struct graph *g = graph_new();
    uint32_t brick = add(g, NODE_BRICK, "brick", GRAPH_NONE, 0, 200);
    uint32_t inside = add(g, NODE_BRICK, "inside", brick, 50, NO);
    add(g, NODE_BRICK, "never", GRAPH_NONE, NO, 10);
    graph_finish(g);
    struct critical_path p = find(g);
    assert_int_equal(p.length, 200);
    assert_true(p.slack[inside] == GRAPH_UNKNOWN);
    critical_path_free(&p);
    graph_unref(g);
}

/*
 * p  a(5..20)  .  b(30..90) .    b waits for q, which ends at 10, or at 30
 */
TEST(waiting_is_not_the_parents_work)
{
    for (uint64_t end = 10; end <= 30; end += 20) {
        struct graph *g = graph_new();
        uint32_t p = add(g, NODE_BRICK, "p", GRAPH_NONE, 0, 100);
        uint32_t q = add(g, NODE_BRICK, "q", GRAPH_NONE, 0, end);
        uint32_t a = add(g, NODE_BRICK, "a", p, 5, 15), b = add(g, NODE_BRICK, "b", p, 30, 60);
        graph_connect(g, q, b, EDGE_DEPENDS);
        graph_finish(g);
        struct critical_path c = find(g);
        assert_int_equal(c.length, 100);
        if (end == 10) {
            assert_int_equal(c.slack[a], 0);
            assert_int_equal(c.slack[q], 20);
        } else {
            check_step(&c, 0, q, PATH_HOST, 30);
            check_step(&c, 1, b, PATH_HOST, 60);
            assert_int_equal(c.slack[a], 10); /* what p did from 20 on was waiting */
            assert_int_equal(c.slack[q], 0);
        }
        critical_path_free(&c);
        graph_unref(g);
    }
}

/* A brick gives work to another thread, does its own share, waits for the other one, and ends. */
TEST(waiting_for_another_thread_is_not_work)
{
    struct graph *g = graph_new();
    uint32_t brick = add(g, NODE_BRICK, "brick", GRAPH_NONE, 0, 100);
    uint32_t mine = add(g, NODE_BRICK, "mine", brick, 10, 30);
    uint32_t theirs = add(g, NODE_BRICK, "theirs", GRAPH_NONE, 12, 80);
    graph_connect(g, theirs, brick, EDGE_JOINS);
    graph_finish(g);
    struct critical_path p = find(g);
    assert_int_equal(p.length, 100);
    check_step(&p, 0, theirs, PATH_WAIT, 12); /* nothing says what it waited for */
    check_step(&p, 1, theirs, PATH_HOST, 80);
    check_step(&p, 2, brick, PATH_HOST, 8);
    assert_int_equal(p.slack[theirs], 0);
    assert_int_equal(p.slack[mine], 52); /* it could end at 92 */
    critical_path_free(&p);
    graph_unref(g);
}

/* `main` goes on 4 us after `worker` did its last: it waited for that, unless it slept. */
TEST(who_sleeps_waits_for_nobody)
{
    enum { US = 1000 };
    static const char *const waits[] = {"<built-in function sleep>", "queue.py(154): get"};
    for (unsigned i = 0; i < 2; i++) {
        struct graph *g = graph_new();
        uint32_t program = add(g, NODE_PROGRAM, "p", GRAPH_NONE, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
        uint32_t worker = add(g, NODE_THREAD, "worker", program, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
        uint32_t main = add(g, NODE_THREAD, "main", program, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
        add(g, NODE_FUNCTION, "before", main, 0, 100 * US);
        uint32_t wait = add(g, NODE_FUNCTION, waits[i], main, 100 * US, 104 * US);
        add(g, NODE_FUNCTION, "after", main, 204 * US, 50 * US);
        uint32_t last = add(g, NODE_FUNCTION, "last", worker, 0, 200 * US);
        graph_finish(g);
        struct critical_path p = find(g);
        assert_int_equal(p.length, 254 * US);
        check_step(&p, p.nsteps - 2, wait, i ? PATH_HOST : PATH_WAIT, i ? 4 * US : 104 * US);
        if (i)
            check_step(&p, 0, last, PATH_HOST, 200 * US);
        critical_path_free(&p);
        graph_unref(g);
    }
}

TEST(launched_work_may_end_after_its_parent)
{
    struct graph *g = graph_new();
    uint32_t brick = add(g, NODE_BRICK, "brick", GRAPH_NONE, 0, 10);
    uint32_t kernel =
        graph_add(g, NODE_KERNEL, graph_intern(g, "kernel"), brick, EDGE_LAUNCHES, 4, 70);
    graph_finish(g);
    struct critical_path p = find(g);
    assert_int_equal(p.length, 74);
    check_step(&p, 0, brick, PATH_HOST, 4);
    check_step(&p, 1, kernel, PATH_COMPUTE, 70);
    critical_path_free(&p);
    graph_unref(g);
}

/* Edges that contradict the times are left out, so there are no circles. */
TEST(edges_against_time_are_left_out)
{
    struct graph *g = graph_new();
    uint32_t a = add(g, NODE_BRICK, "a", GRAPH_NONE, 0, 10);
    uint32_t b = add(g, NODE_BRICK, "b", GRAPH_NONE, 10, 20);
    graph_connect(g, a, b, EDGE_DEPENDS);
    graph_connect(g, b, a, EDGE_DEPENDS);
    graph_finish(g);
    struct critical_path p = find(g);
    assert_int_equal(p.length, 30);
    check_step(&p, 0, a, PATH_HOST, 10);
    check_step(&p, 1, b, PATH_HOST, 20);
    critical_path_free(&p);
    graph_unref(g);
}

TEST(an_empty_graph_has_an_empty_path)
{
    struct graph *g = graph_new();
    graph_finish(g);
    struct critical_path p = find(g);
    assert_true(p.length == 0 && p.nsteps == 0);
    critical_path_free(&p);
    graph_unref(g);
}

/* --- the leaf, by brute force --- */

struct spans {
    uint32_t n, node[MOST];
    uint64_t start[MOST], end[MOST];
};

/* The span that began last and has not ended; of those that began together the shorter. */
static uint32_t leaf_at(const struct spans *s, uint64_t at)
{
    uint32_t best = GRAPH_NONE;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->start[i] <= at && at < s->end[i] &&
            (best == GRAPH_NONE || s->start[i] > s->start[best] ||
             (s->start[i] == s->start[best] && s->end[i] < s->end[best])))
            best = i;
    return best;
}

/* Spans of a thread may overlap in any way. */
TEST(a_thread_does_what_began_last)
{
    for (uint32_t number = 1; number <= RANDOM_GRAPHS; number++) {
        seed = number;
        struct spans s = {.n = 1 + below(MOST)};
        struct graph *g = graph_new();
        uint32_t thread = add(g, NODE_THREAD, "thread", GRAPH_NONE, NO, NO);
        uint64_t first = NO, last = 0, length[MOST];
        for (uint32_t i = 0; i < s.n; i++) {
            s.start[i] = (i ? s.start[i - 1] : 0) + 1 + below(i % 5 ? 8 : 60);
            length[i] = 1 + below(40);
            s.end[i] = s.start[i] + length[i];
            s.node[i] = add(g, NODE_FUNCTION, "f", thread, s.start[i], length[i]);
            first = s.start[i] < first ? s.start[i] : first;
            last = s.end[i] > last ? s.end[i] : last;
        }
        graph_finish(g);
        struct critical_path p = find(g);
        assert_int_equal(p.begin, first);
        assert_int_equal(p.length, last - first);
        for (uint32_t k = 0; k < p.nsteps; k++)
            for (uint64_t at = 0; at < p.steps[k].length; at++) {
                uint32_t leaf = leaf_at(&s, first + p.steps[k].start + at);
                assert_int_equal(p.steps[k].node, leaf == GRAPH_NONE ? thread : s.node[leaf]);
            }
        critical_path_free(&p);
        graph_unref(g);
    }
}
