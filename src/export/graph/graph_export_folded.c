/* Folded stacks for flame graph tools: each node with its own time, without its children's, in
 * microseconds. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/print.h"
#include "export/graph/graph_export.h"

void graph_export_folded(FILE *out, const struct graph *g, const struct graph_export_options *o)
{
    unsigned depth = 0, cap = 64;
    uint32_t *path = xcalloc(cap, sizeof *path);
    for (uint32_t n = graph_export_first(g, o); n != GRAPH_NONE;
         n = graph_walk(g, n, o->root, &depth)) {
        if (depth >= cap)
            path = xrealloc(path, cap *= 2, sizeof *path);
        path[depth] = n;
        uint64_t us = (graph_self(g, n) + 500) / 1000;
        if (us == 0)
            continue;
        for (unsigned d = 0; d <= depth; d++) {
            print_put(out, PRINT_FOLDED, graph_name(g, path[d]));
            fputc(d < depth ? ';' : ' ', out);
        }
        fprintf(out, "%" PRIu64 "\n", us);
    }
    free(path);
}
