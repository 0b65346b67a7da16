/* Names of nodes for narrow columns: kernels of a profile get short names (code/kernel_brief.h). */
#pragma once

#include "engine/code/kernel_brief.h"
#include "engine/graph/graph.h"

/* A node's name in `cells` columns. A kernel's name is shortened to fit. Other names, and kernels
 * in very few columns, are returned whole, and the canvas cuts them. size >= 8. Returns out, or the
 * name itself. */
static inline const char *graph_brief(const struct graph *g, uint32_t node, int cells, bool ascii,
                                      char *out, size_t size)
{
    enum { LEAST = 16 };
    if (g->kind[node] != NODE_KERNEL || !g->briefs)
        return graph_name(g, node);
    return briefs_fit(g->briefs, graph_name(g, node), cells < LEAST ? (int)size : cells, ascii, out,
                      size);
}
