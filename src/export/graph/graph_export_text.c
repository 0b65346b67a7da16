/* The tree as text: deterministic, in the order of the graph. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/print.h"
#include "export/graph/graph_export.h"

enum { LABEL_MAX = 512 };

/* Prints one line. more[d]: the ancestor at depth d has siblings after it. */
static void print_node(FILE *out, const struct graph *g, uint32_t node, const bool *more,
                       unsigned depth, bool connector, bool ascii)
{
    char label[LABEL_MAX];
    graph_label(g, node, ascii, label, sizeof label);
    unsigned first = connector ? 0 : 1;
    for (unsigned d = first; d < depth; d++)
        fputs(more[d] ? (ascii ? "|   " : "│   ") : "    ", out);
    if (depth >= first)
        fputs(more[depth] ? (ascii ? "|-- " : "├── ") : (ascii ? "`-- " : "└── "), out);
    print_text(out, "%s\n", label);
}

void graph_export_text(FILE *out, const struct graph *g, const struct graph_export_options *o)
{
    uint32_t node = graph_export_first(g, o);
    if (node == GRAPH_NONE) {
        fputs("(empty graph)\n", out);
        return;
    }
    bool several = g->next_sibling[node] != GRAPH_NONE;
    unsigned depth = 0, cap = 64;
    bool *more = xcalloc(cap, sizeof *more);
    if (several)
        fputs("Execution Graph\n", out);
    while (node != GRAPH_NONE) {
        if (depth + 1 >= cap)
            more = xrealloc(more, cap *= 2, sizeof *more);
        more[depth] = g->next_sibling[node] != GRAPH_NONE;
        print_node(out, g, node, more, depth, several, o->ascii);
        node = graph_walk(g, node, o->root, &depth);
    }
    free(more);
}
