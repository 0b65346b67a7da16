#include "made_timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"

static uint32_t seed;

uint32_t made_random(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}

const char *const made_names[MADE_NAMES] = {"gemm",        "Softmax<float>", "memcpy",   "sync",
                                            "gemm_splitK", "rms_norm",       "hipLaunch"};

/* Makes nested and overlapping spans, short ones, unknown times, and spans at the end of time. */
static void make_spans(struct made_timeline *p, uint32_t n, uint64_t base, uint32_t range)
{
    p->n = n;
    for (uint32_t i = 0; i < n; i++) {
        struct made_span *m = &p->spans[i];
        uint32_t what = made_random(20);
        m->parent = made_random(MADE_LANES);
        m->start = base + made_random(range);
        m->duration = made_random(4) ? made_random(range / 8 + 2) : 0;
        m->name = made_random(MADE_NAMES);
        if (what < 8 && i > 0) { /* inside another span */
            m->parent = MADE_LANES + made_random(i);
            const struct made_span *up = &p->spans[m->parent - MADE_LANES];
            if (up->start != GRAPH_UNKNOWN && up->duration != GRAPH_UNKNOWN && up->duration > 1) {
                uint32_t room = up->duration < range ? (uint32_t)up->duration : range;
                m->start = up->start + made_random(room);
                m->duration = made_random((uint32_t)(up->start + room - m->start) + 1);
            }
        }
        if (what == 18)
            m->start = made_random(2) ? GRAPH_UNKNOWN : m->start;
        if (what == 19)
            m->duration = made_random(2) ? GRAPH_UNKNOWN : UINT64_MAX - 1;
    }
}

/* Adds the spans in the order of the file; parents always precede their children. */
static void make_graph(struct made_timeline *p, bool shuffled)
{
    static const char *const lanes[MADE_LANES] = {"thread 2", "thread 10", "queue 0", "queue 1",
                                                  NULL};
    uint32_t lane[MADE_LANES], order[MADE_MOST] = {0}, key[MADE_MOST];
    struct graph *g = p->g = graph_new();
    uint32_t a = graph_add(g, NODE_PROGRAM, graph_intern(g, "python3"), GRAPH_NONE, EDGE_CONTAINS,
                           GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    uint32_t b = graph_add(g, NODE_PROGRAM, graph_intern(g, "GPU 0"), GRAPH_NONE, EDGE_CONTAINS,
                           GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    for (uint32_t i = 0; i < MADE_LANES; i++)
        lane[i] = lanes[i]
                      ? graph_add(g, i < 2 ? NODE_THREAD : NODE_QUEUE, graph_intern(g, lanes[i]),
                                  i < 2 ? a : b, EDGE_CONTAINS, GRAPH_UNKNOWN, GRAPH_UNKNOWN)
                      : a;
    for (uint32_t i = 0; i < p->n; i++) {
        order[i] = i;
        key[i] = shuffled ? made_random(1u << 24) : i;
        for (uint32_t k = i; k > 0 && key[order[k - 1]] > key[i]; k--) {
            order[k] = order[k - 1];
            order[k - 1] = i;
        }
    }
    memset(p->node, 0xff, sizeof p->node);
    for (uint32_t done = 0; done < p->n;)
        for (uint32_t k = 0; k < p->n; k++) {
            uint32_t i = order[k], up = p->spans[i].parent;
            if (p->node[i] != GRAPH_NONE ||
                (up >= MADE_LANES && p->node[up - MADE_LANES] == GRAPH_NONE))
                continue;
            p->node[i] = graph_add(g, NODE_KERNEL, graph_intern(g, made_names[p->spans[i].name]),
                                   up < MADE_LANES ? lane[up] : p->node[up - MADE_LANES],
                                   EDGE_CONTAINS, p->spans[i].start, p->spans[i].duration);
            done++;
        }
}

static void index_it(struct made_timeline *p)
{
    struct error err = ERROR_INIT;
    graph_finish(p->g);
    assert_int_equal(critical_path_find(p->g, &p->way, &err), 0);
    assert_int_equal(timeline_build(&p->t, p->g, &p->way, &err), 0);
}

struct made_timeline *made_timeline(uint32_t s, uint32_t n, uint64_t base, uint32_t range)
{
    struct made_timeline *p = xcalloc(1, sizeof *p);
    seed = s;
    make_spans(p, n, base, range);
    make_graph(p, false);
    index_it(p);
    return p;
}

void made_timeline_free(struct made_timeline *p)
{
    timeline_free(&p->t);
    critical_path_free(&p->way);
    graph_unref(p->g);
    free(p);
}

uint64_t made_time(const struct made_timeline *p, uint32_t range)
{
    uint64_t base = p->t.from > 3 ? p->t.from - 3 : 0;
    return made_random(50) ? base + made_random(range + 10) : UINT64_MAX - made_random(3);
}

struct made_timeline *made_timeline_shuffled(const struct made_timeline *p)
{
    struct made_timeline *q = xcalloc(1, sizeof *q);
    memcpy(q->spans, p->spans, sizeof q->spans);
    q->n = p->n;
    make_graph(q, true);
    index_it(q);
    return q;
}

const struct made_shape made_shapes[MADE_SHAPES] = {{600, 100000, 1000},
                                                    {600, 300, 0},
                                                    {40, 50, 5},
                                                    {1, 10, 0},
                                                    {600, 2, 7},
                                                    {300, 1u << 23, 0},
                                                    {0, 10, 0},
                                                    {17, 1000, UINT64_MAX - 500},
                                                    {500, 9000, 1ull << 63}};
