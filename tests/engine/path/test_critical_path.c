/* The critical path and slack follow their definition: what happens to the whole when one node
 * takes longer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/path/critical_path.h"

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
    return p;
}

static uint32_t node(struct graph *g, const char *name, uint32_t parent, enum edge_kind via,
                     uint64_t start, uint64_t duration)
{
    return graph_add(g, NODE_BRICK, graph_intern(g, name), parent, via, start, duration);
}

static void a_brick_and_its_kernel_are_counted_once(void **state)
{
    (void)state;
    for (int known = 0; known < 2; known++) {
        struct graph *g = graph_new();
        uint32_t brick = node(g, "brick", GRAPH_NONE, EDGE_CONTAINS, known ? 1000 : NO, 200000);
        uint32_t kernel = node(g, "kernel", brick, EDGE_CONTAINS, known ? 1000 : NO, 200000);
        graph_finish(g);
        struct critical_path p = find(g);
        assert_int_equal(p.length, 200000);
        assert_int_equal(p.nsteps, 1);
        assert_int_equal(p.steps[0].node, kernel); /* of equally long ones the deeper */
        assert_int_equal(p.slack[brick], 0);
        critical_path_free(&p);
        graph_unref(g);
    }
}

static void a_child_of_unknown_length_takes_nothing_from_its_parent(void **state)
{
    (void)state;
    struct graph *g = graph_new();
    uint32_t brick = node(g, "brick", GRAPH_NONE, EDGE_CONTAINS, 0, 200);
    node(g, "kernel", brick, EDGE_CONTAINS, 50, NO);
    graph_finish(g);
    struct critical_path p = find(g);
    assert_int_equal(p.length, 200);
    critical_path_free(&p);
    graph_unref(g);
}

static void pauses_are_the_parents_work_and_waiting_is_not(void **state)
{
    (void)state;
    struct graph *g = graph_new();
    uint32_t p = node(g, "p", GRAPH_NONE, EDGE_CONTAINS, 0, 100);
    uint32_t q = node(g, "q", GRAPH_NONE, EDGE_CONTAINS, 0, 10);
    uint32_t a = node(g, "a", p, EDGE_CONTAINS, 5, 15);
    uint32_t b = node(g, "b", p, EDGE_CONTAINS, 30, 60);
    graph_connect(g, a, b, EDGE_SEQUENCE);
    graph_connect(g, q, b, EDGE_DEPENDS);
    graph_finish(g);
    struct critical_path c = find(g);
    assert_int_equal(c.length, 100);
    assert_int_equal(c.slack[a], 0);
    assert_int_equal(c.slack[q], 10); /* if it had ended at 20, b could not have begun later */
    critical_path_free(&c);
    graph_unref(g);

    g = graph_new(); /* b waits for q until 30, so a could also have ended later than at 20 */
    p = node(g, "p", GRAPH_NONE, EDGE_CONTAINS, 0, 100);
    q = node(g, "q", GRAPH_NONE, EDGE_CONTAINS, 0, 30);
    a = node(g, "a", p, EDGE_CONTAINS, 5, 15);
    b = node(g, "b", p, EDGE_CONTAINS, 30, 60);
    graph_connect(g, a, b, EDGE_SEQUENCE);
    graph_connect(g, q, b, EDGE_DEPENDS);
    graph_finish(g);
    c = find(g);
    assert_int_equal(c.length, 100);
    assert_int_equal(c.slack[a], 10);
    assert_int_equal(c.slack[q], 0);
    critical_path_free(&c);
    graph_unref(g);
}

/* A brick gives work to another thread, does its own share, waits for the other one, and ends. */
static void waiting_for_another_thread_is_not_work(void **state)
{
    (void)state;
    struct graph *g = graph_new();
    uint32_t brick = node(g, "brick", GRAPH_NONE, EDGE_CONTAINS, 0, 100);
    uint32_t mine = node(g, "mine", brick, EDGE_CONTAINS, 10, 30);
    uint32_t theirs = node(g, "theirs", GRAPH_NONE, EDGE_CONTAINS, 12, 80);
    graph_connect(g, theirs, brick, EDGE_JOINS);
    graph_finish(g);
    struct critical_path p = find(g);
    /* 80 of the other thread and 8 of the brick after it; the brick's own way would be 10 + 30 +
     * 8 */
    assert_int_equal(p.length, 88);
    assert_int_equal(p.nsteps, 2);
    assert_int_equal(p.steps[0].node, theirs);
    assert_int_equal(p.steps[1].node, brick);
    assert_int_equal(p.steps[1].length, 8);
    assert_int_equal(p.slack[theirs], 0);
    assert_int_equal(p.slack[mine], 40);
    critical_path_free(&p);
    graph_unref(g);
    /* it ended later than the one that waited for it, which means two clocks: only the order
     * counts */
    g = graph_new();
    brick = node(g, "brick", GRAPH_NONE, EDGE_CONTAINS, 0, 100);
    theirs = node(g, "theirs", GRAPH_NONE, EDGE_CONTAINS, 50, 60);
    graph_connect(g, theirs, brick, EDGE_JOINS);
    graph_finish(g);
    p = find(g);
    assert_int_equal(p.length, 100);
    assert_int_equal(p.slack[theirs], 40);
    critical_path_free(&p);
    graph_unref(g);
}

static void launched_work_may_end_after_its_parent(void **state)
{
    (void)state;
    struct graph *g = graph_new();
    uint32_t brick = node(g, "brick", GRAPH_NONE, EDGE_CONTAINS, NO, 10);
    uint32_t kernel = node(g, "kernel", brick, EDGE_LAUNCHES, NO, 70);
    graph_finish(g);
    struct critical_path p = find(g);
    assert_int_equal(p.length, 70);
    assert_int_equal(p.slack[kernel], 0);
    critical_path_free(&p);
    graph_unref(g);
}

static void cycles_are_told_and_left_out(void **state)
{
    (void)state;
    struct graph *g = graph_new();
    uint32_t a = node(g, "a", GRAPH_NONE, EDGE_CONTAINS, NO, 10);
    uint32_t b = node(g, "b", GRAPH_NONE, EDGE_CONTAINS, NO, 20);
    uint32_t c = node(g, "c", GRAPH_NONE, EDGE_CONTAINS, NO, 5);
    graph_connect(g, a, b, EDGE_DEPENDS);
    graph_connect(g, b, a, EDGE_DEPENDS);
    graph_finish(g);
    struct critical_path p = find(g);
    assert_int_equal(p.ncyclic, 2);
    assert_int_equal(p.first_cyclic, a);
    assert_true(p.slack[a] == GRAPH_UNKNOWN && p.slack[b] == GRAPH_UNKNOWN);
    assert_int_equal(p.length, 5);
    assert_int_equal(p.slack[c], 0);
    critical_path_free(&p);
    graph_unref(g);
}

static void an_empty_graph_has_an_empty_path(void **state)
{
    (void)state;
    struct graph *g = graph_new();
    graph_finish(g);
    struct critical_path p = find(g);
    assert_true(p.length == 0 && p.nsteps == 0 && p.first_cyclic == GRAPH_NONE);
    critical_path_free(&p);
    graph_unref(g);
}

/* --- random graphs --- */

struct model {
    uint32_t n, nedges;
    uint32_t parent[MOST], from[MOST], to[MOST];
    uint8_t via[MOST], kind[MOST];
    uint64_t start[MOST], duration[MOST];
};

/* at[i]: the number of the model's node i in the graph. Parents come before their children. */
static struct graph *build(const struct model *m, const uint32_t *at)
{
    struct graph *g = graph_new();
    uint32_t who[MOST];
    for (uint32_t i = 0; i < m->n; i++)
        who[at[i]] = i;
    for (uint32_t k = 0; k < m->n; k++) {
        uint32_t i = who[k];
        assert_int_equal(node(g, "x", m->parent[i] == GRAPH_NONE ? GRAPH_NONE : at[m->parent[i]],
                              m->via[i], m->start[i], m->duration[i]),
                         k);
    }
    for (uint32_t e = 0; e < m->nedges; e++)
        assert_true(graph_connect(g, at[m->from[e]], at[m->to[e]], m->kind[e]));
    graph_finish(g);
    return g;
}

static void keep_numbers(const struct model *m, uint32_t *at)
{
    for (uint32_t i = 0; i < m->n; i++)
        at[i] = i;
}

/* Any order in which parents come before their children. */
static void shuffle(const struct model *m, uint32_t *at)
{
    bool done[MOST] = {false};
    for (uint32_t k = 0; k < m->n;) {
        uint32_t i = below(m->n);
        if (done[i] || (m->parent[i] != GRAPH_NONE && !done[m->parent[i]]))
            continue;
        done[i] = true;
        at[i] = k++;
    }
}

static bool is_above(const struct model *m, uint32_t a, uint32_t of)
{
    for (; of != GRAPH_NONE; of = m->parent[of])
        if (of == a)
            return true;
    return false;
}

/* Starts are unknown; edges lead from a node to any that is neither its ancestor nor its
 * descendant. */
static void make_sums(struct model *m, bool cycles)
{
    static const uint8_t kinds[] = {EDGE_SEQUENCE, EDGE_DEPENDS, EDGE_TRANSFER,
                                    EDGE_CALLS,    EDGE_JOINS,   EDGE_LAUNCHES};
    *m = (struct model){.n = 1 + below(MOST)};
    for (uint32_t i = 0; i < m->n; i++) {
        m->parent[i] = i == 0 || below(4) == 0 ? GRAPH_NONE : below(i);
        m->via[i] = below(4) == 0 ? EDGE_LAUNCHES : EDGE_CONTAINS;
        m->start[i] = NO;
        m->duration[i] = below(8) == 0 ? NO : below(100);
    }
    for (uint32_t tries = below(MOST); tries-- > 0;) {
        uint32_t a = below(m->n), b = below(m->n);
        if (a == b || (!cycles && (a > b || is_above(m, a, b) || is_above(m, b, a))))
            continue;
        m->from[m->nedges] = a;
        m->to[m->nedges] = b;
        m->kind[m->nedges++] = kinds[below(6)];
    }
}

struct matrix {
    int64_t way[2 * MOST][2 * MOST]; /* the longest from event to event; -1 = none */
    bool reach[2 * MOST][2 * MOST];
};

static void arc(struct matrix *x, uint32_t a, uint32_t b, uint64_t weight)
{
    if ((int64_t)weight > x->way[a][b])
        x->way[a][b] = (int64_t)weight;
    x->reach[a][b] = true;
}

/* Computes the longest ways straight from the definition, for graphs without starts. Events in a
 * cycle, or after one, have no ways. */
static void all_ways(const struct model *m, struct matrix *x, bool *ordered)
{
    uint32_t n = 2 * m->n;
    memset(x->reach, 0, sizeof x->reach);
    memset(x->way, -1, sizeof x->way);
    for (uint32_t i = 0; i < m->n; i++) {
        arc(x, 2 * i, 2 * i + 1, m->duration[i] == NO ? 0 : m->duration[i]);
        if (m->parent[i] != GRAPH_NONE)
            arc(x, 2 * m->parent[i], 2 * i, 0);
        if (m->parent[i] != GRAPH_NONE && m->via[i] != EDGE_LAUNCHES)
            arc(x, 2 * i + 1, 2 * m->parent[i] + 1, 0);
    }
    for (uint32_t e = 0; e < m->nedges; e++)
        if (m->kind[e] != EDGE_CALLS)
            arc(x, 2 * m->from[e] + (m->kind[e] != EDGE_LAUNCHES),
                2 * m->to[e] + (m->kind[e] == EDGE_JOINS), 0);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                x->reach[i][j] |= x->reach[i][k] && x->reach[k][j];
    for (uint32_t j = 0; j < n; j++) {
        ordered[j] = !x->reach[j][j];
        for (uint32_t i = 0; i < n; i++)
            ordered[j] &= !(x->reach[i][i] && x->reach[i][j]);
    }
    for (uint32_t i = 0; i < n; i++)
        x->way[i][i] = 0;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; ordered[k] && i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                if (ordered[i] && ordered[j] && x->way[i][k] >= 0 && x->way[k][j] >= 0 &&
                    x->way[i][k] + x->way[k][j] > x->way[i][j])
                    x->way[i][j] = x->way[i][k] + x->way[k][j];
}

static void compare(const struct model *m, const uint32_t *at)
{
    static struct matrix x;
    bool ordered[2 * MOST];
    int64_t early[2 * MOST] = {0}, tail[2 * MOST] = {0}, length = 0;
    uint32_t n = 2 * m->n, cyclic = 0;
    all_ways(m, &x, ordered);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (ordered[i] && ordered[j] && x.way[i][j] >= 0) {
                early[j] = x.way[i][j] > early[j] ? x.way[i][j] : early[j];
                tail[i] = x.way[i][j] > tail[i] ? x.way[i][j] : tail[i];
                length = x.way[i][j] > length ? x.way[i][j] : length;
            }
    struct graph *g = build(m, at);
    struct critical_path p = find(g);
    assert_int_equal(p.length, length);
    for (uint32_t i = 0; i < m->n; i++) {
        bool in = ordered[2 * i] && ordered[2 * i + 1];
        cyclic += !in;
        uint64_t slack = in ? (uint64_t)(length - early[2 * i] - tail[2 * i]) : GRAPH_UNKNOWN;
        assert_int_equal(p.slack[at[i]], slack);
    }
    assert_int_equal(p.ncyclic, cyclic);
    critical_path_free(&p);
    graph_unref(g);
}

static void brute_force_agrees_in_any_numbering(void **state)
{
    (void)state;
    for (seed = 1; seed < RANDOM_GRAPHS; seed += 1) {
        uint64_t kept = seed;
        struct model m;
        uint32_t at[MOST];
        make_sums(&m, kept % 4 == 0);
        keep_numbers(&m, at);
        compare(&m, at);
        shuffle(&m, at);
        compare(&m, at);
        seed = kept;
    }
}

/* What a launch led to depends on the begin of the call, not on its end. */
static bool launches(const struct model *m, uint32_t node)
{
    for (uint32_t e = 0; e < m->nedges; e++)
        if (m->kind[e] == EDGE_LAUNCHES && m->from[e] == node)
            return true;
    return false;
}

static void slack_is_what_a_node_can_be_longer(void **state)
{
    (void)state;
    for (seed = 1; seed < RANDOM_GRAPHS; seed += 4) {
        uint64_t kept = seed;
        struct model m;
        uint32_t at[MOST], i;
        make_sums(&m, false);
        keep_numbers(&m, at);
        struct graph *g = build(&m, at);
        struct critical_path before = find(g);
        for (i = 0; i < m.n; i++)
            if (m.duration[i] != NO && g->first_child[i] == GRAPH_NONE &&
                before.slack[i] != GRAPH_UNKNOWN && !launches(&m, i))
                for (unsigned more = 0; more < 2; more++) {
                    m.duration[i] += before.slack[i] + more;
                    struct graph *longer = build(&m, at);
                    struct critical_path after = find(longer);
                    assert_int_equal(after.length, before.length + more);
                    critical_path_free(&after);
                    graph_unref(longer);
                    m.duration[i] -= before.slack[i] + more;
                }
        critical_path_free(&before);
        graph_unref(g);
        seed = kept;
    }
}

/* --- measured spans --- */

/* A thread: a root with spans one after another, some of them with nested spans. */
static void add_thread(struct model *m, uint32_t spans)
{
    uint32_t root = m->n++;
    uint64_t t = below(50), last_of[MOST];
    uint32_t last[MOST];
    for (uint32_t i = 0; i < MOST; i++)
        last[i] = GRAPH_NONE;
    m->parent[root] = GRAPH_NONE;
    m->start[root] = t;
    last_of[root] = t;
    m->duration[root] = 200 + below(300);
    for (; spans-- > 0; m->n++) {
        uint32_t i = m->n, p = root + below(i - root);
        uint64_t end = m->start[p] + m->duration[p];
        m->parent[i] = p;
        m->via[i] = EDGE_CONTAINS;
        m->start[i] = last_of[p] + (end > last_of[p] ? below((uint32_t)(end - last_of[p])) : 0);
        m->duration[i] = end > m->start[i] ? below((uint32_t)(end - m->start[i]) + 1) : 0;
        last_of[i] = m->start[i];
        last_of[p] = m->start[i] + m->duration[i];
        if (last[p] != GRAPH_NONE) {
            m->from[m->nedges] = last[p];
            m->to[m->nedges] = i;
            m->kind[m->nedges++] = EDGE_SEQUENCE;
        }
        last[p] = i;
    }
}

static void check_steps(const struct graph *g, const struct critical_path *p)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p->nsteps; i++) {
        const struct critical_step *s = &p->steps[i];
        assert_true(s->start >= sum || i == 0 || s->start + s->length <= p->length);
        if (g->first_child[s->node] == GRAPH_NONE)
            assert_int_equal(p->slack[s->node], 0);
        sum += s->length;
    }
    assert_int_equal(sum, p->length);
}

static void measured_spans_give_no_more_than_the_wall(void **state)
{
    (void)state;
    for (seed = 1; seed < RANDOM_GRAPHS; seed += 1) {
        uint64_t kept = seed, longest = 0, first = NO, end = 0;
        struct model m = {0};
        uint32_t at[MOST], threads = 1 + below(2);
        for (uint32_t i = 0; i < threads; i++)
            add_thread(&m, below(10));
        bool waits = false;
        for (uint32_t tries = below(6); threads > 1 && tries-- > 0 && m.nedges < MOST;) {
            uint32_t a = below(m.n), b = below(m.n);
            if (is_above(&m, a, b) || is_above(&m, b, a) ||
                m.start[a] + m.duration[a] > m.start[b] || m.duration[a] == 0)
                continue;
            m.from[m.nedges] = a;
            m.to[m.nedges] = b;
            m.kind[m.nedges++] = EDGE_DEPENDS;
            waits = true;
        }
        for (uint32_t i = 0; i < m.n; i++) {
            longest = m.duration[i] > longest ? m.duration[i] : longest;
            first = m.start[i] < first ? m.start[i] : first;
            end = m.start[i] + m.duration[i] > end ? m.start[i] + m.duration[i] : end;
        }
        keep_numbers(&m, at);
        struct graph *g = build(&m, at);
        struct critical_path p = find(g);
        assert_int_equal(p.ncyclic, 0);
        assert_true(p.length <= end - first);
        if (!waits) /* threads that do not wait take as long as they took */
            assert_int_equal(p.length, longest);
        check_steps(g, &p);
        shuffle(&m, at);
        struct graph *other = build(&m, at);
        struct critical_path q = find(other);
        assert_int_equal(q.length, p.length);
        for (uint32_t i = 0; i < m.n; i++)
            assert_int_equal(q.slack[at[i]], p.slack[i]);
        check_steps(other, &q);
        critical_path_free(&p);
        critical_path_free(&q);
        graph_unref(g);
        graph_unref(other);
        seed = kept;
    }
}

/* Lanes with the same number of spans; those of the second lane are a nanosecond longer than those
 * of the first, those of the third two. With few spans, and with so many that threads help. */
static void large_graphs_are_as_small_ones(void **state)
{
    enum { LANES = 3, LEAST = 1000 };
    static const uint32_t sizes[] = {5, 50000};
    (void)state;
    for (size_t s = 0; s < 2; s++) {
        uint32_t n = sizes[s], lane[LANES], last[LANES] = {0};
        struct graph *g = graph_new();
        for (uint32_t l = 0; l < LANES; l++)
            lane[l] = graph_add(g, NODE_QUEUE, graph_intern(g, "queue"), GRAPH_NONE, EDGE_CONTAINS,
                                NO, NO);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t l = 0; l < LANES; l++) {
                uint64_t took = LEAST + l;
                uint32_t v = node(g, "span", lane[l], EDGE_CONTAINS, 10 + i * took, took);
                if (i > 0)
                    graph_connect(g, last[l], v, EDGE_SEQUENCE);
                last[l] = v;
            }
        graph_finish(g);
        struct critical_path p = find(g);
        assert_int_equal(p.length, (uint64_t)n * (LEAST + LANES - 1));
        assert_int_equal(p.nsteps, n);
        for (uint32_t v = LANES; v < g->nnodes; v++)
            assert_int_equal(p.slack[v], n * (LANES - 1 - (v - LANES) % LANES));
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(p.steps[i].node, LANES + LANES * i + LANES - 1);
        critical_path_free(&p);
        graph_unref(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_brick_and_its_kernel_are_counted_once),
        cmocka_unit_test(a_child_of_unknown_length_takes_nothing_from_its_parent),
        cmocka_unit_test(pauses_are_the_parents_work_and_waiting_is_not),
        cmocka_unit_test(waiting_for_another_thread_is_not_work),
        cmocka_unit_test(launched_work_may_end_after_its_parent),
        cmocka_unit_test(cycles_are_told_and_left_out),
        cmocka_unit_test(an_empty_graph_has_an_empty_path),
        cmocka_unit_test(brute_force_agrees_in_any_numbering),
        cmocka_unit_test(slack_is_what_a_node_can_be_longer),
        cmocka_unit_test(measured_spans_give_no_more_than_the_wall),
        cmocka_unit_test(large_graphs_are_as_small_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
