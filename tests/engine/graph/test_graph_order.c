/* Sorts nodes by parent and time; compared with a plain sort. */
#include <stdlib.h>
#include <string.h>

#include "support/patience.h"
#include "support/test.h"
#include "base/watch.h"
#include "engine/graph/graph_order.h"

static uint64_t random_state;

static uint32_t next(uint32_t limit)
{
    /* Knuth's generator */
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % limit;
}

static const struct graph *sorting;
static bool by_end;

static int plain_order(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint64_t s = sorting->start[x] + (by_end ? sorting->duration[x] : 0);
    uint64_t t = sorting->start[y] + (by_end ? sorting->duration[y] : 0);
    return s != t ? (s < t ? -1 : 1) : (x > y) - (x < y);
}

/* n spans in this many lanes, some of them roots; close: with few different times. */
static struct graph *spans(uint32_t n, uint32_t lanes, bool close)
{
    struct graph *g = graph_new();
    uint64_t busy[40] = {0};
    for (uint32_t i = 0; i < lanes; i++)
        graph_add(g, NODE_QUEUE, graph_intern(g, "q"), GRAPH_NONE, EDGE_CONTAINS, GRAPH_UNKNOWN,
                  GRAPH_UNKNOWN);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t lane = next(lanes + 1), took = close ? next(3) : 100 + next(5000);
        uint64_t start = close ? next(50) : busy[lane] + next(200);
        busy[lane] = start + took;
        graph_add(g, NODE_KERNEL, graph_intern(g, "k"), lane == lanes ? GRAPH_NONE : lane,
                  EDGE_CONTAINS, start, took);
    }
    return g;
}

static bool is_kernel(const struct graph *g, uint32_t v)
{
    return g->kind[v] == NODE_KERNEL;
}

static void check(uint32_t n, uint32_t lanes, bool close, bool ends, bool grouped)
{
    struct graph *g = spans(n, lanes, close);
    uint32_t found, *list = graph_by_parent(g, 0, g->nnodes, is_kernel, &found);
    assert_int_equal(found, n);
    for (uint32_t i = 1; i < n; i++) { /* the roots come last */
        uint32_t p = g->parent[list[i - 1]], q = g->parent[list[i]];
        assert_true(p < q || (p == q && list[i - 1] < list[i]));
    }
    for (uint32_t i = 0; !grouped && i < n; i++) { /* in random order */
        uint32_t k = next(n), other = list[k];
        list[k] = list[i];
        list[i] = other;
    }
    uint32_t *plain = calloc(n + 1u, sizeof *plain);
    assert_non_null(plain);
    memcpy(plain, list, n * sizeof *plain);
    sorting = g;
    by_end = ends;
    if (n)
        qsort(plain, n, sizeof *plain, plain_order);
    graph_by_time(g, list, n, ends);
    if (n && memcmp(plain, list, n * sizeof *plain) != 0)
        fail_msg("%u spans in %u lanes%s%s%s: not in order", n, lanes, close ? ", close" : "",
                 ends ? ", by end" : "", grouped ? ", by lane" : "");
    free(plain);
    free(list);
    graph_unref(g);
}

TEST(any_order)
{
    static const uint32_t sizes[] = {0, 1, 2, 3, 7, 8, 9, 10, 63, 64, 65, 500, 4000};
    static const uint32_t lanes[] = {1, 2, 7, 8, 9, 33};
    random_state = 12;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t l = 0; l < sizeof lanes / sizeof *lanes; l++)
            for (int how = 0; how < 8; how++)
                check(sizes[s], lanes[l], how & 1, how & 2, how & 4);
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Giving up in any round ends soon, and no node is lost or occurs twice. */
TEST(sorting_is_given_up)
{
    enum { SPANS = 9 * WATCH_STEPS, LANES = 33 };
    struct graph *g = spans(SPANS, LANES, false);
    for (unsigned at = 0, looks = 0; at == 0 || at <= looks; at++) {
        struct patience p = {.most = at};
        const struct watch w = {patience_lasts, &p}, *before = watch_set(&w);
        uint32_t n, *list = graph_by_parent(g, 0, g->nnodes, is_kernel, &n);
        graph_by_time(g, list, n, false);
        watch_set(before);
        if (at == 0) {
            looks = p.looks;
            assert_true(looks > SPANS / WATCH_STEPS); /* checks happen regularly in each round */
        }
        assert_true(at == 0 || p.looks == at);
        qsort(list, n, sizeof *list, by_number);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(list[i], list[0] + i);
        free(list);
    }
    graph_unref(g);
}
