/* The index of a timeline against looking at every span. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "engine/timeline.h"

static uint32_t seed;

static uint32_t random_below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}

/* --- profiles made up --- */

struct made {
    uint32_t parent; /* index into made; a lane for those below LANES */
    uint64_t start, duration;
    uint32_t name;
};
enum { LANES = 5, MOST = 600, NAMES = 7 };
struct profile {
    struct made spans[MOST];
    uint32_t n;
    struct graph *g;
    uint32_t node[MOST]; /* of each span in the graph */
    struct critical_path way;
    struct timeline t;
};

static const char *const span_names[NAMES] = {"gemm",        "Softmax<float>", "memcpy",   "sync",
                                              "gemm_splitK", "rms_norm",       "hipLaunch"};

/* What lies in something, what overlaps, nothing long, nothing known, the end of time. */
static void make_spans(struct profile *p, uint32_t n, uint64_t base, uint32_t range)
{
    p->n = n;
    for (uint32_t i = 0; i < n; i++) {
        struct made *m = &p->spans[i];
        uint32_t what = random_below(20);
        m->parent = random_below(LANES);
        m->start = base + random_below(range);
        m->duration = random_below(4) ? random_below(range / 8 + 2) : 0;
        m->name = random_below(NAMES);
        if (what < 8 && i > 0) { /* inside of another one */
            m->parent = LANES + random_below(i);
            const struct made *up = &p->spans[m->parent - LANES];
            if (up->start != GRAPH_UNKNOWN && up->duration != GRAPH_UNKNOWN && up->duration > 1) {
                uint32_t room = up->duration < range ? (uint32_t)up->duration : range;
                m->start = up->start + random_below(room);
                m->duration = random_below((uint32_t)(up->start + room - m->start) + 1);
            }
        }
        if (what == 18)
            m->start = random_below(2) ? GRAPH_UNKNOWN : m->start;
        if (what == 19)
            m->duration = random_below(2) ? GRAPH_UNKNOWN : UINT64_MAX - 1;
    }
}

/* The spans in an order of the file; parents come before their children in any. */
static void make_graph(struct profile *p, bool shuffled)
{
    static const char *const lanes[LANES] = {"thread 2", "thread 10", "queue 0", "queue 1", NULL};
    uint32_t lane[LANES], order[MOST] = {0}, key[MOST];
    struct graph *g = p->g = graph_new();
    uint32_t a = graph_add(g, NODE_PROGRAM, graph_intern(g, "python3"), GRAPH_NONE, EDGE_CONTAINS,
                           GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    uint32_t b = graph_add(g, NODE_PROGRAM, graph_intern(g, "GPU 0"), GRAPH_NONE, EDGE_CONTAINS,
                           GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    for (uint32_t i = 0; i < LANES; i++)
        lane[i] = lanes[i]
                      ? graph_add(g, i < 2 ? NODE_THREAD : NODE_QUEUE, graph_intern(g, lanes[i]),
                                  i < 2 ? a : b, EDGE_CONTAINS, GRAPH_UNKNOWN, GRAPH_UNKNOWN)
                      : a;
    for (uint32_t i = 0; i < p->n; i++) {
        order[i] = i;
        key[i] = shuffled ? random_below(1u << 24) : i;
        for (uint32_t k = i; k > 0 && key[order[k - 1]] > key[i]; k--) {
            order[k] = order[k - 1];
            order[k - 1] = i;
        }
    }
    memset(p->node, 0xff, sizeof p->node);
    for (uint32_t done = 0; done < p->n;)
        for (uint32_t k = 0; k < p->n; k++) {
            uint32_t i = order[k], up = p->spans[i].parent;
            if (p->node[i] != GRAPH_NONE || (up >= LANES && p->node[up - LANES] == GRAPH_NONE))
                continue;
            p->node[i] = graph_add(g, NODE_KERNEL, graph_intern(g, span_names[p->spans[i].name]),
                                   up < LANES ? lane[up] : p->node[up - LANES], EDGE_CONTAINS,
                                   p->spans[i].start, p->spans[i].duration);
            done++;
        }
}

static void index_it(struct profile *p)
{
    struct error err = ERROR_INIT;
    graph_finish(p->g);
    assert_int_equal(critical_path_find(p->g, &p->way, &err), 0);
    assert_int_equal(timeline_build(&p->t, p->g, &p->way, &err), 0);
}

static struct profile *profile_of(uint32_t s, uint32_t n, uint64_t base, uint32_t range)
{
    struct profile *p = xcalloc(1, sizeof *p);
    seed = s;
    make_spans(p, n, base, range);
    make_graph(p, false);
    index_it(p);
    return p;
}

static void forget(struct profile *p)
{
    timeline_free(&p->t);
    critical_path_free(&p->way);
    graph_unref(p->g);
    free(p);
}

/* --- by looking at all of them --- */

static bool critical(const struct profile *p, uint32_t v)
{
    for (uint32_t i = 0; i < p->way.nsteps; i++)
        if (p->way.steps[i].node == v)
            return true;
    return false;
}

static struct timeline_cell look_cell(const struct profile *p, uint32_t row, uint64_t t0,
                                      uint64_t t1)
{
    struct timeline_cell c = {.longest = GRAPH_NONE};
    uint64_t longest = 0;
    for (uint32_t i = p->t.row_first[row]; i < p->t.row_first[row + 1]; i++) {
        uint32_t v = p->t.spans[i];
        uint64_t a = p->g->start[v], b = timeline_end(p->g, v);
        if (a >= t1 || (b <= t0 && a < t0))
            continue;
        a = a < t0 ? t0 : a;
        b = b > t1 ? t1 : b;
        c.first = c.count ? c.first : a;
        c.last = b;
        c.busy += b - a;
        c.count++;
        c.critical |= critical(p, v);
        if (c.longest == GRAPH_NONE || b - a > longest) {
            c.longest = v;
            longest = b - a;
        }
    }
    return c;
}

static void same_cell(const struct timeline_cell *a, const struct timeline_cell *b)
{
    assert_int_equal(a->count, b->count);
    assert_true(a->busy == b->busy);
    assert_true(a->first == b->first && a->last == b->last);
    assert_int_equal(a->longest, b->longest);
    assert_int_equal(a->critical, b->critical);
}

static uint64_t some_time(const struct profile *p, uint32_t range)
{
    uint64_t base = p->t.from > 3 ? p->t.from - 3 : 0;
    return random_below(50) ? base + random_below(range + 10) : UINT64_MAX - random_below(3);
}

/* --- the tests --- */

static const struct {
    uint32_t spans, range;
    uint64_t base;
} shapes[] = {{600, 100000, 1000},
              {600, 300, 0},
              {40, 50, 5},
              {1, 10, 0},
              {600, 2, 7},
              {300, 1u << 23, 0},
              {0, 10, 0},
              {17, 1000, UINT64_MAX - 500},
              {500, 9000, 1ull << 63}};
enum { SHAPES = sizeof shapes / sizeof *shapes, SEEDS = 6 };
#define EACH_PROFILE                                                                               \
    for (uint32_t shape = 0; shape < SHAPES; shape++)                                              \
        for (uint32_t s = 0; s < SEEDS; s++)                                                       \
            for (struct profile *p =                                                               \
                     profile_of(s, shapes[shape].spans, shapes[shape].base, shapes[shape].range);  \
                 p; forget(p), p = NULL)

static void rows_hold_every_span_once_in_order_and_apart(void **state)
{
    (void)state;
    EACH_PROFILE
    {
        const struct timeline *t = &p->t;
        uint32_t timed = 0, spans = 0;
        for (uint32_t i = 0; i < p->n; i++) {
            bool known =
                p->spans[i].start != GRAPH_UNKNOWN && p->spans[i].duration != GRAPH_UNKNOWN;
            timed += known;
            assert_true(known == (t->row_of[p->node[i]] != GRAPH_NONE));
            uint32_t up = p->spans[i].parent;
            if (!known)
                continue;
            assert_int_equal(t->spans[timeline_place(t, p->node[i])], p->node[i]);
            if (up < LANES || t->row_of[p->node[up - LANES]] == GRAPH_NONE ||
                timeline_order(p->g, p->node[up - LANES], p->node[i]) > 0 ||
                timeline_end(p->g, p->node[up - LANES]) <= p->spans[i].start)
                continue;
            assert_true(t->row_of[p->node[i]] > t->row_of[p->node[up - LANES]]);
        }
        assert_int_equal(t->nspans, timed);
        assert_int_equal(t->untimed, p->n - timed);
        for (uint32_t l = 0; l < t->nlanes; l++)
            for (uint32_t r = t->lanes[l].first_row; r < t->lanes[l].first_row + t->lanes[l].nrows;
                 r++) {
                assert_int_equal(timeline_lane_of_row(t, r), l);
                assert_true(t->row_first[r] < t->row_first[r + 1]);
                for (uint32_t i = t->row_first[r]; i < t->row_first[r + 1]; i++, spans++) {
                    assert_int_equal(t->row_of[t->spans[i]], r);
                    if (i > t->row_first[r]) {
                        uint64_t end = timeline_end(p->g, t->spans[i - 1]);
                        assert_true(end <= p->g->start[t->spans[i]]);
                    }
                }
            }
        assert_int_equal(spans, timed);
    }
}

static void cells_are_what_lies_in_them(void **state)
{
    (void)state;
    EACH_PROFILE
    {
        for (int k = 0; k < 300 && p->t.nrows; k++) {
            uint32_t row = random_below(p->t.nrows);
            uint64_t a = some_time(p, shapes[shape].range), b = some_time(p, shapes[shape].range);
            if (a == b)
                continue;
            uint64_t t0 = a < b ? a : b, t1 = a < b ? b : a;
            struct timeline_cell got, want = look_cell(p, row, t0, t1);
            timeline_cell(&p->t, row, t0, t1, &got);
            same_cell(&got, &want);
        }
    }
}

static void the_cells_of_a_window_share_their_boundaries(void **state)
{
    (void)state;
    enum { MOST_CELLS = 97 };
    EACH_PROFILE
    {
        for (int k = 0; k < 20 && p->t.nrows; k++) {
            struct timeline_cell cells[MOST_CELLS];
            uint32_t row = random_below(p->t.nrows), n = 1 + random_below(MOST_CELLS);
            uint64_t a = some_time(p, shapes[shape].range), b = some_time(p, shapes[shape].range);
            uint64_t from = a < b ? a : b, to = a < b ? b : a;
            timeline_cells(&p->t, row, from, to, n, cells);
            assert_true(timeline_boundary(from, to, n, n) == to);
            for (uint32_t i = 0; i < n; i++) {
                uint64_t t0 = timeline_boundary(from, to, i, n);
                uint64_t t1 = timeline_boundary(from, to, i + 1, n);
                t1 = t1 > t0 || t0 == UINT64_MAX ? t1 : t0 + 1;
                struct timeline_cell want = look_cell(p, row, t0, t1);
                same_cell(&cells[i], &want);
            }
        }
    }
}

static uint64_t distance(const struct profile *p, uint32_t v, uint64_t time)
{
    uint64_t a = p->g->start[v], b = timeline_end(p->g, v);
    return time < a ? a - time : time >= b && time > a ? time - b : 0;
}

static void points_find_the_span_there_or_the_nearest(void **state)
{
    (void)state;
    EACH_PROFILE
    {
        for (int k = 0; k < 200 && p->t.nrows; k++) {
            const struct timeline *t = &p->t;
            uint32_t row = random_below(t->nrows), nearest = GRAPH_NONE;
            uint64_t time = some_time(p, shapes[shape].range);
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

/* As timeline_search and timeline_next_in_lane count. */
static bool before(const struct profile *p, uint32_t a, uint32_t b)
{
    if (p->g->start[a] != p->g->start[b])
        return p->g->start[a] < p->g->start[b];
    if (p->t.row_of[a] != p->t.row_of[b])
        return p->t.row_of[a] < p->t.row_of[b];
    return timeline_place(&p->t, a) < timeline_place(&p->t, b);
}

/* Among spans of that lane (GRAPH_NONE: any) and with these names (NULL: any). */
static uint32_t look_next(const struct profile *p, uint32_t from, int step, uint32_t lane,
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

static void neighbours_in_rows_and_lanes(void **state)
{
    (void)state;
    EACH_PROFILE
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

static void the_path_is_walked_in_order_of_time(void **state)
{
    (void)state;
    EACH_PROFILE
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

static void search_goes_to_the_next_hit_and_around(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t names; /* bits: of span_names */
    } wanted[] = {
        {"gemm", 0x11}, {"GEMM_", 0x10}, {"~^(gemm|sync)$", 0x09}, {"float>", 0x02},
        {"", 0x7f},     {"~", 0x00},     {"nothing", 0x00},        {"~norm|launch", 0x60}};
    EACH_PROFILE
    {
        for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
            struct timeline_names names;
            struct error err = ERROR_INIT;
            uint32_t hits = 0;
            assert_int_equal(timeline_names(&names, &p->t, wanted[w].text, &err), 0);
            for (uint32_t i = 0; i < p->t.nspans; i++) {
                const char *name = graph_name(p->g, p->t.spans[i]);
                for (int k = 0; k < NAMES; k++)
                    hits += strcmp(name, span_names[k]) == 0 && (wanted[w].names >> k & 1);
            }
            for (int k = 0; k < 10 && p->t.nspans; k++) {
                int step = random_below(2) ? 1 : -1;
                uint32_t from = p->t.spans[random_below(p->t.nspans)];
                struct timeline_hit h = timeline_search(&p->t, &names, from, 0, step);
                uint32_t want = look_next(p, from, step, GRAPH_NONE, &names);
                assert_int_equal(h.total, hits);
                if (want != GRAPH_NONE) {
                    assert_int_equal(h.node, want);
                } else if (hits) { /* around */
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

static void search_from_a_time_and_what_is_no_expression(void **state)
{
    (void)state;
    struct profile *p = profile_of(3, 400, 100, 5000);
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
    forget(p);
}

/* Lanes, rows and their cells, without the numbers that nodes have. */
static char *told(const struct profile *p)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    const struct timeline *t = &p->t;
    for (uint32_t l = 0; l < t->nlanes; l++)
        fprintf(f, "%s/%s %u\n", timeline_group_name(t, t->lanes[l].group),
                timeline_lane_name(t, l), t->lanes[l].nspans);
    for (uint32_t r = 0; r < t->nrows; r++)
        for (uint32_t i = t->row_first[r]; i < t->row_first[r + 1]; i++)
            fprintf(f, "%u %s %llu %llu\n", r, graph_name(p->g, t->spans[i]),
                    (unsigned long long)p->g->start[t->spans[i]],
                    (unsigned long long)p->g->duration[t->spans[i]]);
    fclose(f);
    return text;
}

static void the_order_of_rows_in_a_file_changes_nothing(void **state)
{
    (void)state;
    EACH_PROFILE
    {
        char *before_it = told(p);
        for (int k = 0; k < 3; k++) {
            struct profile *q = xcalloc(1, sizeof *q);
            memcpy(q->spans, p->spans, sizeof q->spans);
            q->n = p->n;
            make_graph(q, true);
            index_it(q);
            char *after_it = told(q);
            assert_string_equal(before_it, after_it);
            free(after_it);
            forget(q);
        }
        free(before_it);
    }
}

static void lanes_stand_in_order_of_programs_kinds_and_numbers(void **state)
{
    (void)state;
    struct profile *p = profile_of(1, 300, 0, 900);
    static const char *const want[] = {"thread 2", "thread 10", "outside", "queue 0", "queue 1"};
    assert_int_equal(p->t.nlanes, 5);
    assert_int_equal(p->t.ngroups, 2);
    for (uint32_t l = 0; l < 5; l++)
        assert_string_equal(timeline_lane_name(&p->t, l), want[l]);
    assert_string_equal(timeline_group_name(&p->t, 0), "python3"); /* it has threads */
    assert_string_equal(timeline_group_name(&p->t, 1), "GPU 0");
    assert_int_equal(p->t.groups[1].first_lane, 3);
    assert_int_equal(p->t.groups[1].nlanes, 2);
    forget(p);
}

/* Each of very many at once gets a row; each row after it is found in little time. */
static void everything_at_once_is_a_row_each(void **state)
{
    (void)state;
    enum { N = 30000 };
    struct graph *g = graph_new();
    uint32_t lane = graph_add(g, NODE_QUEUE, graph_intern(g, "q"), GRAPH_NONE, EDGE_CONTAINS,
                              GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    for (uint32_t i = 0; i < N; i++)
        graph_add(g, NODE_KERNEL, graph_intern(g, "k"), lane, EDGE_CONTAINS, i, N);
    graph_finish(g);
    struct critical_path way;
    struct timeline t;
    assert_int_equal(critical_path_find(g, &way, NULL), 0);
    assert_int_equal(timeline_build(&t, g, &way, NULL), 0);
    assert_int_equal(t.nrows, N);
    assert_string_equal(timeline_group_name(&t, 0), "no program");
    assert_true(t.from == 0 && t.to == 2 * N - 1);
    timeline_free(&t);
    critical_path_free(&way);
    graph_unref(g);
}

static void links_are_what_edges_and_parents_say(void **state)
{
    (void)state;
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
    timeline_free(&t);
    critical_path_free(&way);
    graph_unref(g);
}

static void a_span_costs_few_bytes(void **state)
{
    (void)state;
    enum { N = 100000 };
    struct graph *g = graph_new();
    uint32_t name = graph_intern(g, "k"), lane[4];
    for (int i = 0; i < 4; i++)
        lane[i] =
            graph_add(g, NODE_QUEUE, name, GRAPH_NONE, EDGE_CONTAINS, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    for (uint32_t i = 0; i < N; i++)
        graph_add(g, NODE_KERNEL, name, lane[i % 4], EDGE_CONTAINS, 100ull * i, 90);
    graph_finish(g);
    struct critical_path way;
    struct timeline t;
    assert_int_equal(critical_path_find(g, &way, NULL), 0);
    assert_int_equal(timeline_build(&t, g, &way, NULL), 0);
    assert_int_equal(t.nspans, N);
    assert_true(timeline_memory(&t) < 12.1 * N);
    timeline_free(&t);
    critical_path_free(&way);
    graph_unref(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_hold_every_span_once_in_order_and_apart),
        cmocka_unit_test(cells_are_what_lies_in_them),
        cmocka_unit_test(the_cells_of_a_window_share_their_boundaries),
        cmocka_unit_test(points_find_the_span_there_or_the_nearest),
        cmocka_unit_test(neighbours_in_rows_and_lanes),
        cmocka_unit_test(the_path_is_walked_in_order_of_time),
        cmocka_unit_test(search_goes_to_the_next_hit_and_around),
        cmocka_unit_test(search_from_a_time_and_what_is_no_expression),
        cmocka_unit_test(the_order_of_rows_in_a_file_changes_nothing),
        cmocka_unit_test(lanes_stand_in_order_of_programs_kinds_and_numbers),
        cmocka_unit_test(everything_at_once_is_a_row_each),
        cmocka_unit_test(links_are_what_edges_and_parents_say),
        cmocka_unit_test(a_span_costs_few_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
