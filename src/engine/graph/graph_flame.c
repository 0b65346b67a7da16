#include "engine/graph/graph_flame.h"

#include <string.h>

void graph_flame(const struct graph *g, uint64_t *width, uint32_t n)
{
    if (n)
        memset(width, 0, n * sizeof *width);
    for (uint32_t i = n; i-- > 0;) { /* children have higher numbers, so their sum is complete */
        width[i] += graph_self(g, i);
        if (g->parent[i] != GRAPH_NONE)
            width[g->parent[i]] += width[i];
    }
}
