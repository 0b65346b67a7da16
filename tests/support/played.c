#include "support/played.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define NO GRAPH_UNKNOWN

static uint32_t seed;
static uint32_t below(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return n ? (uint32_t)(((uint64_t)(seed >> 8) * n) >> 24) : 0;
}

static uint32_t node(struct graph *g, enum node_kind kind, const char *name, uint32_t parent,
                     uint64_t start, uint64_t duration)
{
    return graph_add(g, kind, graph_intern(g, name), parent, EDGE_CONTAINS, start, duration);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t played_again(struct played *r, struct played_speeds by)
{
    uint64_t now = 0, done = 0, free_at[PLAYED_QUEUES] = {0};
    for (uint32_t i = 0; i < r->n; i++) {
        now += i ? r->pause[i] : 0;
        r->start[i] = now;
        if (!r->sync[i]) {
            uint64_t at = later(now + PLAYED_LATENCY + r->takes[i] / by.launch - r->takes[i],
                                free_at[r->queue[i]]);
            if (r->wait[i] < i)
                at = later(at, r->kernel_end[r->wait[i]]);
            r->kernel_start[i] = at + r->late[i];
            r->kernel_end[i] = r->kernel_start[i] + r->kernel[i] / by.kernel;
            free_at[r->queue[i]] = r->kernel_end[i];
            done = later(done, r->kernel_end[i]);
            now += r->takes[i] / by.launch;
        } else {
            now = later(now + r->asks[i] / by.wait, done) + r->takes[i] / by.wait;
        }
        r->end[i] = now;
    }
    return later(now, done);
}

/* What a call that waits takes before it finds out that it must: as much as a profile shows. */
static void find_asks(struct played *r)
{
    enum { ASKS = 1000 };
    uint64_t done = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        played_again(r, (struct played_speeds){1, 1, 1});
        done = r->sync[i] ? done : later(done, r->kernel_end[i]);
        uint64_t waits = r->sync[i] && done > r->start[i] ? done - r->start[i] : 0;
        r->asks[i] = waits < ASKS ? waits : ASKS;
    }
}

void played_make(struct played *r, uint32_t number)
{
    seed = number;
    *r = (struct played){.n = 1 + below(PLAYED_CALLS)};
    for (uint32_t i = 0; i < r->n; i++) {
        r->sync[i] = i && below(5) == 0;
        r->queue[i] = below(PLAYED_QUEUES);
        r->wait[i] = below(3) == 0 && i ? below(i) : PLAYED_CALLS;
        if (r->wait[i] < i && r->sync[r->wait[i]])
            r->wait[i] = PLAYED_CALLS;
        r->pause[i] = 1000 * below(30);
        r->takes[i] = 2000 + 2000 * below(5);
        r->kernel[i] = 2000 + 2000 * below(200);
    }
    find_asks(r);
    played_again(r, (struct played_speeds){1, 1, 1});
}

struct graph *played_graph(const struct played *r)
{
    struct graph *g = graph_new();
    uint32_t prog = node(g, NODE_PROGRAM, "prog", GRAPH_NONE, NO, NO), queue[PLAYED_QUEUES];
    uint32_t host = node(g, NODE_THREAD, "host", prog, NO, NO), call[PLAYED_CALLS] = {0},
             kernel[PLAYED_CALLS] = {0};
    host = node(g, NODE_FUNCTION, "main", host, 0, r->end[r->n - 1]);
    for (uint32_t q = 0; q < PLAYED_QUEUES; q++)
        queue[q] = node(g, NODE_QUEUE, "queue", prog, NO, NO);
    for (uint32_t i = 0; i < r->n; i++) {
        call[i] = node(g, NODE_FUNCTION, r->sync[i] ? "wait" : "launch", host, r->start[i],
                       r->end[i] - r->start[i]);
        if (i)
            graph_connect(g, call[i - 1], call[i], EDGE_SEQUENCE);
        for (uint32_t k = 0; k < i && r->sync[i]; k++)
            if (!r->sync[k]) /* it waits for all kernels, because speeds change which one is the
                                last */
                graph_connect(g, kernel[k], call[i], EDGE_JOINS);
        if (r->sync[i])
            continue;
        kernel[i] =
            node(g, NODE_KERNEL, "kernel", queue[r->queue[i]], r->kernel_start[i], r->kernel[i]);
        graph_connect(g, call[i], kernel[i], EDGE_LAUNCHES);
        for (uint32_t k = i; k-- > 0;)
            if (!r->sync[k] && r->queue[k] == r->queue[i]) {
                graph_connect(g, kernel[k], kernel[i], EDGE_SEQUENCE);
                break;
            }
        if (r->wait[i] < i)
            graph_connect(g, kernel[r->wait[i]], kernel[i],
                          below(2) ? EDGE_DEPENDS : EDGE_INFERRED);
    }
    graph_finish(g);
    return g;
}
