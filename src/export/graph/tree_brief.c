/* The short answer of an execution tree: the places that take the most time of their own. */
#include <inttypes.h>
#include <string.h>

#include "engine/code/kernel_brief.h"
#include "engine/value/value.h"
#include "export/brief.h"
#include "export/graph/graph_export.h"

enum { NAME_CELLS = 60, NAME_BYTES = 512 };

static const char *place_name(const struct graph *g, uint32_t node, bool ascii,
                              char out[NAME_BYTES])
{
    if (g->kind[node] != NODE_KERNEL || !g->briefs)
        return graph_name(g, node);
    return briefs_fit(g->briefs, graph_name(g, node), NAME_CELLS, ascii, out, NAME_BYTES);
}

static void brief_place_row(struct brief *b, const struct graph *g, uint32_t node, double all,
                            bool ascii)
{
    char name[NAME_BYTES], above[NAME_BYTES], self[VALUE_TEXT_MAX];
    const struct graph_work *w = graph_work_of(g, node);
    const uint32_t up = g->parent[node];
    const uint64_t calls = w ? w->count : 1;
    const double ns = (double)graph_self(g, node);
    brief_row(b, place_name(g, node, ascii, name),
              "%s of its own, %.1f %%, in %" PRIu64 " call%s%s%s", value_time(ns, ascii, self),
              100 * ns / all, calls, calls == 1 ? "" : "s", up == GRAPH_NONE ? "" : "; below ",
              up == GRAPH_NONE ? "" : place_name(g, up, ascii, above));
}

void tree_brief(struct brief *b, const struct graph *g, bool ascii)
{
    struct brief_top top = {.n = 0};
    char text[VALUE_TEXT_MAX], name[NAME_BYTES];
    double all = 0;
    uint32_t unrecorded = 0;
    for (uint32_t i = 0; i < g->nnodes; i++) {
        const double ns = (double)graph_self(g, i);
        all += ns;
        unrecorded += g->duration[i] == GRAPH_UNKNOWN;
        if (ns > 0)
            brief_top_add(&top, i, ns);
    }
    if (top.n == 0) {
        brief_verdict(b, "%" PRIu32 " places, none of which has a time", g->nnodes);
        return;
    }
    brief_verdict(b, "%s takes the most time of its own, %.1f %% of %s in %" PRIu32 " places",
                  place_name(g, (uint32_t)top.index[0], ascii, name), 100 * top.weight[0] / all,
                  value_time(all, ascii, text), g->nnodes);
    if (unrecorded)
        brief_evidence(b, "%" PRIu32 " places have no time", unrecorded);
    for (size_t i = 0; i < top.n; i++)
        brief_place_row(b, g, (uint32_t)top.index[i], all, ascii);
    b->left_out += top.left_out;
}
