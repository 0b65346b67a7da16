/* Names of nodes where there is little room: of a profile's kernels as short as they can be read
 * (code/kernel_brief.h). */
#ifndef ROOFTOP_ENGINE_TRACE_GRAPH_BRIEF_H
#define ROOFTOP_ENGINE_TRACE_GRAPH_BRIEF_H

#include "engine/code/kernel_brief.h"
#include "engine/graph/graph.h"

/* Of a kernel what there is room for; where that is little, and of all else, the whole, which the
 * canvas cuts. Returns out, of at least 8 bytes, or the name itself. */
static inline const char *graph_brief(const struct graph *g, uint32_t node, int cells, bool ascii,
                                      char *out, size_t size)
{
    enum { LEAST = 16 };
    if (g->kind[node] != NODE_KERNEL || !g->briefs)
        return graph_name(g, node);
    return briefs_fit(g->briefs, graph_name(g, node), cells < LEAST ? (int)size : cells, ascii, out,
                      size);
}

#endif
