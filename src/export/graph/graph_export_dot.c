/* Graphviz. Shapes and colours of nodes and edges are those of trueno's to_dot (8b92b1c4,
 * exec_graph/traversal/export.rs), so that pictures of both tools look alike. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/print.h"
#include "export/graph/graph_export.h"

static const char *const fill[NODE_KINDS] = {
    [NODE_PROGRAM] = "white",        [NODE_THREAD] = "whitesmoke",  [NODE_BACKEND] = "lavender",
    [NODE_LAYER] = "lightblue",      [NODE_BRICK] = "lightgreen",   [NODE_KERNEL] = "lightyellow",
    [NODE_TRANSFER] = "lightsalmon", [NODE_FUNCTION] = "lightgray", [NODE_TASK] = "lightcyan",
    [NODE_QUEUE] = "wheat",          [NODE_RANGE] = "whitesmoke",
};
static const char *const look[EDGE_KINDS] = {
    [EDGE_CONTAINS] = "style=dashed",
    [EDGE_LAUNCHES] = "style=bold,color=red",
    [EDGE_CALLS] = "style=solid",
    [EDGE_SEQUENCE] = "style=dotted,constraint=false",
    [EDGE_DEPENDS] = "style=solid,color=blue",
    [EDGE_TRANSFER] = "style=bold,color=orange",
    [EDGE_JOINS] = "style=dashed,color=blue",
    [EDGE_INFERRED] = "style=dotted,color=gray40",
    [EDGE_MEETS] = "style=dotted,dir=none,constraint=false",
    [EDGE_MESSAGE] = "style=bold,color=orange",
};

/* Draws nodes of the path as `rooftop report path --format dot` does. */
static void write_dot_slack(FILE *out, const struct critical_path *p, const bool *on, uint32_t n)
{
    if (!p)
        return;
    if (on[n])
        fputs(",color=red,penwidth=2,comment=\"critical\"", out);
    if (p->slack[n] != GRAPH_UNKNOWN)
        fprintf(out, ",tooltip=\"slack %" PRIu64 " ns\"", p->slack[n]);
}

static void print_path(FILE *out, const struct critical_path *p)
{
    for (uint32_t i = 0; p && i + 1 < p->nsteps; i++)
        if (p->steps[i].node != p->steps[i + 1].node)
            fprintf(out,
                    "  n%" PRIu32 " -> n%" PRIu32 " [color=red,penwidth=2,constraint=false];\n",
                    p->steps[i].node, p->steps[i + 1].node);
}

void graph_export_dot(FILE *out, const struct graph *g, const struct graph_export_options *o)
{
    unsigned depth = 0;
    bool *on = graph_on_path(g, o->path);
    fputs("digraph ExecutionGraph {\n  rankdir=TB;\n  node [shape=box];\n\n", out);
    for (uint32_t n = graph_export_first(g, o); n != GRAPH_NONE;
         n = graph_walk(g, n, o->root, &depth)) {
        char label[512];
        graph_label(g, n, o->ascii, label, sizeof label);
        fprintf(out, "  n%" PRIu32 " [label=\"", n);
        print_put(out, PRINT_DOT, label);
        print_dot(out, "\",style=filled,fillcolor=%s", fill[g->kind[n]]);
        write_dot_slack(out, o->path, on, n);
        fputs("];\n", out);
    }
    free(on);
    fputc('\n', out);
    depth = 0;
    for (uint32_t n = graph_export_first(g, o); n != GRAPH_NONE;
         n = graph_walk(g, n, o->root, &depth))
        if (g->parent[n] != o->root)
            print_dot(out, "  n%" PRIu32 " -> n%" PRIu32 " [%s];\n", g->parent[n], n,
                      look[g->via[n]]);
    for (uint32_t i = 0; i < g->nedges; i++)
        if (graph_below(g, g->edge_from[i], o->root) && graph_below(g, g->edge_to[i], o->root))
            print_dot(out, "  n%" PRIu32 " -> n%" PRIu32 " [%s];\n", g->edge_from[i], g->edge_to[i],
                      look[g->edge_kind[i]]);
    print_path(out, o->path);
    fputs("}\n", out);
}
