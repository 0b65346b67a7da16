/*
 * Measures the execution graph with 10^6 and 10^7 nodes and one sequence edge for each node:
 * building, linking, the critical path with all slack, and bytes per node.
 */
#include <stdio.h>
#include <time.h>

#include "engine/path/critical_path.h"

enum { FAN = 8 }; /* children of each node */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Builds a tree of spans: each takes an eighth of its parent, and neighbours are in sequence. */
static struct graph *build(uint32_t n)
{
    struct graph *g = graph_new();
    uint32_t name = graph_intern(g, "span");
    graph_add(g, NODE_THREAD, name, GRAPH_NONE, EDGE_CONTAINS, 0, (uint64_t)1 << 40);
    for (uint32_t i = 1; i < n; i++) {
        uint32_t parent = (i - 1) / FAN, k = (i - 1) % FAN;
        uint64_t part = g->duration[parent] / FAN;
        graph_add(g, NODE_BRICK, name, parent, EDGE_CONTAINS, g->start[parent] + k * part,
                  part - part / 16);
        if (k > 0)
            graph_connect(g, i - 1, i, EDGE_SEQUENCE);
        else if (i > FAN) /* an edge for each node, from a thread whose span ended before */
            graph_connect(g, i - FAN, i - FAN + 1, EDGE_CALLS);
    }
    return g;
}

static int measure(uint32_t n, double target)
{
    double t0 = now();
    struct graph *g = build(n);
    double t1 = now();
    graph_finish(g);
    double t2 = now();
    struct critical_path p;
    struct error err = ERROR_INIT;
    if (critical_path_find(g, &p, &err) != 0) {
        printf("%u nodes: %s: %s\n", n, err.what, err.why);
        return 1;
    }
    double t3 = now();
    bool right = p.length == g->duration[0];
    printf("%9u nodes: build %.3f s, finish %.3f s, path and slack %.3f s (target %.2f), "
           "%.1f bytes a node (target 64), %u steps%s\n",
           n, t1 - t0, t2 - t1, t3 - t2, target, (double)graph_memory(g) / n, p.nsteps,
           right ? "" : "  WRONG LENGTH");
    critical_path_free(&p);
    graph_unref(g);
    return !right;
}

int main(void)
{
    int wrong = measure(1000000, 0.25);
    return measure(10000000, 3) | wrong;
}
