#include "engine/graph/graph_clocks.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/list.h"

void graph_set_clock(struct graph *g, uint32_t node, struct graph_clock clock)
{
    if (!g->clocks)
        g->clocks = xcalloc(1, sizeof *g->clocks);
    struct graph_clocks *c = g->clocks;
    while (c->n <= node)
        LIST_ADD(c->list, c->n, c->cap, (struct graph_clock){0});
    c->list[node] = clock;
}

struct graph_clock graph_clock_of(const struct graph *g, uint32_t node)
{
    const struct graph_clocks *c = g->clocks;
    return c && node < c->n ? c->list[node] : (struct graph_clock){0};
}

void graph_clocks_free(struct graph_clocks *c)
{
    if (!c)
        return;
    free(c->list);
    free(c);
}
