/* The tree as an icicle graph: width is time (graph_flame.h); a tooltip has the full name and
 * share. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/print.h"
#include "engine/graph/graph_flame.h"
#include "engine/value/document.h"
#include "export/graph/graph_export.h"
#include "export/svg.h"

enum { WIDTH = 1200, ROW = 20, MARGIN = 10, LEAST = 1, CHAR = 7 };

static const char *const fill[NODE_KINDS] = {
    [NODE_PROGRAM] = "#8d99ae",  [NODE_THREAD] = "#a5b0c3",   [NODE_BACKEND] = "#b8a9d9",
    [NODE_LAYER] = "#7fb2e5",    [NODE_BRICK] = "#79c28b",    [NODE_KERNEL] = "#f0c75e",
    [NODE_TRANSFER] = "#e79a6f", [NODE_FUNCTION] = "#c7c7c7", [NODE_TASK] = "#7fcac8",
    [NODE_QUEUE] = "#c9b28b",    [NODE_RANGE] = "#e3e0d6",
};

static void print_box(FILE *out, const struct graph *g, uint32_t n, double x, double w,
                      unsigned depth, double percent, bool ascii)
{
    char label[512];
    graph_label(g, n, ascii, label, sizeof label);
    fprintf(out, "<g><title>");
    print_xml(out, "%s", label);
    print_xml(
        out, "  %.2f%%</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>",
        percent, x, MARGIN + depth * ROW, w, ROW - 1, fill[g->kind[n]]);
    if (w > 4 * CHAR)
        svg_text_in(out, x + 3, MARGIN + depth * ROW + ROW - 6, (int)(w / CHAR), graph_name(g, n));
    fputs("</g>\n", out);
}

static unsigned find_deepest_level(const struct graph *g, const struct graph_export_options *o)
{
    unsigned depth = 0, most = 0;
    for (uint32_t n = graph_export_first(g, o); n != GRAPH_NONE;
         n = graph_walk(g, n, o->root, &depth))
        most = depth > most ? depth : most;
    return most;
}

void graph_export_svg(FILE *out, const struct graph *g, const struct graph_export_options *o)
{
    unsigned depth = 0;
    double *x = xcalloc(g->nnodes + 1u, sizeof *x), *w = xcalloc(g->nnodes + 1u, sizeof *w);
    double *used = xcalloc(g->nnodes + 1u, sizeof *used), all = 0, roots = 0;
    uint64_t *size = xcalloc(g->nnodes + 1u, sizeof *size);
    graph_flame(g, size, g->nnodes);
    for (uint32_t n = graph_export_first(g, o); n != GRAPH_NONE; n = g->next_sibling[n])
        all += (double)size[n];
    svg_begin(out, WIDTH, 2 * MARGIN + (find_deepest_level(g, o) + 1) * ROW, 12, "");
    for (uint32_t n = graph_export_first(g, o); n != GRAPH_NONE;
         n = graph_walk(g, n, o->root, &depth)) {
        bool root = g->parent[n] == o->root;
        double *taken = root ? &roots : &used[g->parent[n]];
        double of = root ? all : (double)size[g->parent[n]];
        double room = root ? WIDTH - 2 * MARGIN : w[g->parent[n]];
        w[n] = of > 0 ? room * (double)size[n] / of : 0;
        x[n] = (root ? MARGIN : x[g->parent[n]]) + *taken;
        *taken += w[n];
        if (w[n] >= LEAST)
            print_box(out, g, n, x[n], w[n], depth, all > 0 ? 100 * (double)size[n] / all : 0,
                      o->ascii);
    }
    svg_end(out);
    free(size);
    free(x);
    free(w);
    free(used);
}
